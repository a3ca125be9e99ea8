package metrics

// A Dist describes the distribution of a time, in milliseconds. Figures of an
// empty one are nil. Percentiles are of nearest rank: the p-quantile of n
// values is the ⌈pn⌉-th smallest, a value that was measured.
type Dist struct {
	Mean *float64 `json:"mean_ms"`
	P50  *float64 `json:"p50_ms"`
	P90  *float64 `json:"p90_ms"`
	P95  *float64 `json:"p95_ms"`
	P99  *float64 `json:"p99_ms"`
	P999 *float64 `json:"p999_ms"`
	Max  *float64 `json:"max_ms"`
	N    int64    `json:"n"`

	*Bounds // nil where nobody asked for them
}

// nsPerMs converts nanoseconds to milliseconds by division: 1e6 is exact, its
// inverse is not.
const nsPerMs = 1e6

// ranks are the percentiles of a Dist in thousandths.
const (
	median      = 500
	ninety      = 900
	ninetyFive  = 950
	ninetyNine  = 990
	threeNines  = 999
	thousandths = 1000
)

// distOf takes the figures of m, whose columns it sorts.
func distOf(m mixture) Dist {
	d := Dist{N: m.len()}
	if d.N == 0 {
		return d
	}
	for _, p := range m.parts {
		p.column.Sort()
	}
	at := func(p int64) *float64 { return new(m.at(rank(p, d.N)) / nsPerMs) }
	d.Mean = new(m.mean() / nsPerMs)
	d.P50, d.P90, d.P95 = at(median), at(ninety), at(ninetyFive)
	d.P99, d.P999, d.Max = at(ninetyNine), at(threeNines), at(thousandths)
	return d
}

// rank is the nearest rank ⌈pn/1000⌉, from 0, of n values.
func rank(p, n int64) int64 {
	q, r := n/thousandths, n%thousandths
	return q*p + (r*p+thousandths-1)/thousandths - 1
}
