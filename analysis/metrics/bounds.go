package metrics

import (
	"slices"

	"tare/analysis/stats"
)

// Bounds say how much the figures of a Dist are worth, in milliseconds. Lo and
// Hi are 95 % confidence intervals that allow for correlation between
// neighbours in time; Upper is the value that the true percentile does not
// exceed with 99 % confidence, the conservative estimate of MLPerf's early
// stopping on the effective count. A bound is nil where the data cannot say it.
type Bounds struct {
	MeanLo    *float64 `json:"mean_lo_ms"`
	MeanHi    *float64 `json:"mean_hi_ms"`
	P50Lo     *float64 `json:"p50_lo_ms"`
	P50Hi     *float64 `json:"p50_hi_ms"`
	P50Upper  *float64 `json:"p50_upper_ms"`
	P90Lo     *float64 `json:"p90_lo_ms"`
	P90Hi     *float64 `json:"p90_hi_ms"`
	P90Upper  *float64 `json:"p90_upper_ms"`
	P95Lo     *float64 `json:"p95_lo_ms"`
	P95Hi     *float64 `json:"p95_hi_ms"`
	P95Upper  *float64 `json:"p95_upper_ms"`
	P99Lo     *float64 `json:"p99_lo_ms"`
	P99Hi     *float64 `json:"p99_hi_ms"`
	P99Upper  *float64 `json:"p99_upper_ms"`
	P999Lo    *float64 `json:"p999_lo_ms"`
	P999Hi    *float64 `json:"p999_hi_ms"`
	P999Upper *float64 `json:"p999_upper_ms"`
	// Effective is how many independent values would tell the mean as well;
	// nil for fewer than stats.MinValues.
	Effective *float64 `json:"n_effective"`
	// Sample is the number of values that the bounds come from: all of them,
	// or of more than 2¹⁸ a sample.
	Sample int64 `json:"n_sample"`
}

// Confidence of the intervals and of the upper bounds.
const (
	confidence      = 0.95
	upperConfidence = 0.99
)

// A percentile is one of a Dist with the place of its bounds.
type percentile struct {
	name          string
	p             float64
	value         *float64
	lo, hi, upper **float64
}

// percentiles lists those of d, whose bounds go to b, in rising order.
func percentiles(d *Dist, b *Bounds) []percentile {
	return []percentile{
		{"p50", 0.5, d.P50, &b.P50Lo, &b.P50Hi, &b.P50Upper},
		{"p90", 0.9, d.P90, &b.P90Lo, &b.P90Hi, &b.P90Upper},
		{"p95", 0.95, d.P95, &b.P95Lo, &b.P95Hi, &b.P95Upper},
		{"p99", 0.99, d.P99, &b.P99Lo, &b.P99Hi, &b.P99Upper},
		{"p99.9", 0.999, d.P999, &b.P999Lo, &b.P999Hi, &b.P999Upper},
	}
}

// A Shortage names the lowest percentile of a latency that too few requests
// stand behind: Effective independent values where Needed would do to say with
// 99 % confidence that it meets a bound of which not one value is above. Values
// is how many there are.
type Shortage struct {
	Percentile string
	Effective  float64
	Needed     int64
	Values     int64
}

// bound gives d its Bounds from x, its values in ns or a sample of them in the
// order of time. It returns nil, or what there are too few values for.
func (d *Dist) bound(x []float64) *Shortage {
	b := &Bounds{Sample: int64(len(x))}
	d.Bounds = b
	if d.N == 0 || len(x) == 0 {
		return nil
	}
	mean, _ := stats.MeanInterval(x, confidence)
	b.MeanLo, b.MeanHi = around(d.Mean, mean)
	if mean.Low != nil {
		b.Effective = new(mean.Effective)
	}
	var short *Shortage
	sorted := slices.Sorted(slices.Values(x))
	for _, q := range percentiles(d, b) {
		effective := q.bound(x, sorted)
		if need := stats.MinCount(q.p, 0, upperConfidence); short == nil && effective < float64(need) {
			short = &Shortage{Percentile: q.name, Effective: effective, Needed: need, Values: d.N}
		}
	}
	return short
}

// bound sets the bounds of a percentile and returns its effective count. An
// interval that stats does not trust is not given.
func (q percentile) bound(x, sorted []float64) (effective float64) {
	i, _ := stats.PercentileInterval(x, sorted, q.p, confidence)
	if len(i.Warnings) == 0 {
		*q.lo, *q.hi = around(q.value, i)
	}
	if upper, ok := stats.UpperBound(sorted, i.Effective, q.p, upperConfidence); ok {
		*q.upper = new(max(upper/nsPerMs, *q.value))
	}
	return i.Effective
}

// around turns the bounds of i, which are in ns and perhaps of a sample, into
// milliseconds, so that the figure of all the data lies within.
func around(value *float64, i stats.Interval) (lo, hi *float64) {
	if i.Low != nil {
		lo = new(min(*i.Low/nsPerMs, *value))
	}
	if i.High != nil {
		hi = new(max(*i.High/nsPerMs, *value))
	}
	return lo, hi
}

// bound gives each column its Bounds from n items in the order of time, of which
// at returns the values, in ns, that are defined. It returns the shortage of
// wire. Where wire and scheduled are the same by definition, so are their bounds.
func (c *Columns) bound(n int, same bool, at func(i, column int) (float64, bool)) *Shortage {
	x := make([]float64, 0, n)
	of := func(d *Dist, column int) *Shortage {
		x = x[:0]
		for i := range n {
			if v, ok := at(i, column); ok {
				x = append(x, v)
			}
		}
		return d.bound(x)
	}
	short := of(&c.Wire, inWire)
	of(&c.Observed, inObserved)
	of(&c.Bias, inBias)
	if same {
		c.Scheduled = c.Wire
	} else {
		of(&c.Scheduled, inScheduled)
	}
	return short
}
