package metrics

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tare/ipc"
)

// series is n requests, one each millisecond, whose time to the first of two
// events is given in ms.
func series(n int, ttft func(i int) float64) []*ipc.Record {
	records := make([]*ipc.Record, n)
	for i := range records {
		at := float64(i)
		r := answer(at+1+ttft(i), at+2+ttft(i))
		r.Index, r.Scheduled, r.Sent = int64(i), int64(at*1e6), int64((at+1)*1e6)
		records[i] = r
	}
	return records
}

func bounded(records []*ipc.Record) (Latency, map[string]Shortage) {
	c := &LatencyCollector{}
	for _, r := range records {
		c.Add(0, NewRequest(r, false))
	}
	l := c.Latency()
	return l, c.Bound(&l)
}

// Independent uniform values on [0, 1] ms: mean 0.5 with a standard error of
// 1/√(12·4000) = 0.0046, p99 with one of √(0.99·0.01/4000) = 0.0016.
func TestBoundsOfIndependentValues(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	l, short := bounded(series(4000, func(int) float64 { return r.Float64() }))
	d := l.TTFT.Wire
	for _, x := range []struct {
		what              string
		lo, value, hi     *float64
		atLeast, atLarger float64
	}{
		{"mean", d.MeanLo, d.Mean, d.MeanHi, 0.006, 0.014},
		{"p50", d.P50Lo, d.P50, d.P50Hi, 0.01, 0.03},
		{"p99", d.P99Lo, d.P99, d.P99Hi, 0.002, 0.008},
	} {
		if x.lo == nil || x.hi == nil || !(*x.lo <= *x.value && *x.value <= *x.hi) {
			t.Errorf("%s: %v is not within %v to %v", x.what, *x.value, x.lo, x.hi)
			continue
		}
		if half := (*x.hi - *x.lo) / 2; half < x.atLeast || half > x.atLarger {
			t.Errorf("%s: ± %v, want %v to %v", x.what, half, x.atLeast, x.atLarger)
		}
	}
	if d.P99Upper == nil || *d.P99Upper <= *d.P99 || *d.P99Upper > 1 {
		t.Errorf("p99 is %v, its upper bound %v", *d.P99, d.P99Upper)
	}
	want := Shortage{Percentile: "p99.9", Needed: 4603, Values: 4000}
	got := short["ttft"]
	if got.Effective > 4000 || got.Effective < 2000 {
		t.Errorf("4000 independent values are worth %v", got.Effective)
	}
	got.Effective = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d.Sample != 4000 || *d.Effective < 2500 {
		t.Errorf("sample %d, effective %v", d.Sample, *d.Effective)
	}
}

// The same values, but each for 100 requests on end: the intervals are some ten
// times as wide, and the requests are worth too few for a p90.
func TestBoundsKnowCorrelation(t *testing.T) {
	values := make([]float64, 40)
	r := rand.New(rand.NewPCG(8, 8))
	for i := range values {
		values[i] = r.Float64()
	}
	l, short := bounded(series(4000, func(i int) float64 { return values[i/100] }))
	d := l.TTFT.Wire
	if half := (*d.MeanHi - *d.MeanLo) / 2; half < 0.05 {
		t.Errorf("mean ± %v: correlation is not seen", half)
	}
	if *d.Effective > 120 {
		t.Errorf("40 independent values are said to be worth %v", *d.Effective)
	}
	if s := short["ttft"]; s.Percentile == "" || s.Percentile == "p99.9" {
		t.Errorf("shortage: %+v", s)
	}
}

// Ten requests have figures, but no bound; every key is there.
func TestBoundsOfFewAreUndefined(t *testing.T) {
	l, short := bounded(series(10, func(i int) float64 { return float64(i) }))
	want := &Bounds{Sample: 10, P50Upper: l.TTFT.Wire.P50Upper}
	if diff := cmp.Diff(want, l.TTFT.Wire.Bounds); diff != "" {
		t.Error(diff)
	}
	if want.P50Upper == nil { // seven values or more bound a median
		t.Error("no upper bound of p50")
	}
	if s := short["e2e"]; s.Percentile != "p90" || s.Effective != 10 || s.Needed != 44 {
		t.Errorf("shortage: %+v, want p90 with 10 of 44", s)
	}
	if l.SendLag.Bounds != nil {
		t.Error("send lag has bounds that nobody asked for")
	}
}

// Each column has bounds of its own; TPOT and ITL have no start, so those of
// scheduled are those of wire.
func TestBoundsOfEachColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	records := series(500, func(int) float64 { return r.Float64() })
	for _, rec := range records {
		for i := range rec.Output {
			rec.Output[i].Handled = rec.Output[i].Arrival + int64(r.Float64()*1e5)
		}
	}
	l, _ := bounded(records)
	for name, c := range map[string]Columns{"ttft": l.TTFT, "e2e": l.E2E, "tpot": l.TPOT.Columns, "ntpot": l.NTPOT.Columns, "itl": l.ITL} {
		for column, d := range map[string]Dist{"wire": c.Wire, "observed": c.Observed, "scheduled": c.Scheduled, "bias": c.Bias} {
			if d.MeanLo == nil || *d.MeanLo > *d.Mean || *d.MeanHi < *d.Mean || *d.P50Lo > *d.P50 || *d.P50Hi < *d.P50 {
				t.Errorf("%s %s: %v in %v to %v", name, column, *d.Mean, d.MeanLo, d.MeanHi)
			}
		}
	}
	if l.TPOT.Scheduled.Bounds != l.TPOT.Wire.Bounds {
		t.Error("TPOT: scheduled is not wire")
	}
}

// More gaps than are kept: the bounds come from a sample and hold the figures
// of all.
func TestBoundsOfASample(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	c := &LatencyCollector{}
	ats := make([]float64, 101)
	for i := range thinnedLimit/100 + 400 {
		at := float64(i)
		for j := range ats {
			at += r.Float64()
			ats[j] = at
		}
		rec := answer(ats...)
		rec.Index = int64(i)
		c.Add(0, NewRequest(rec, false))
	}
	l := c.Latency()
	c.Bound(&l)
	d := l.ITL.Wire
	if d.Sample >= d.N || d.Sample < thinnedLimit/3 {
		t.Errorf("sample of %d among %d", d.Sample, d.N)
	}
	if *d.MeanLo > *d.Mean || *d.MeanHi < *d.Mean || *d.MeanHi-*d.MeanLo > 0.02 {
		t.Errorf("mean %v in %v to %v", *d.Mean, *d.MeanLo, *d.MeanHi)
	}
}
