package converge

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// autoregressive is AR(1) with φ = 0.7 around 10, standard deviation 3: p99 is
// 10 + 3·2.326 = 16.98.
func autoregressive(r *rand.Rand, n int) []float64 {
	x, v := make([]float64, n), r.NormFloat64()
	for i := range x {
		x[i] = 10 + 3*v
		v = 0.7*v + math.Sqrt(1-0.49)*r.NormFloat64()
	}
	return x
}

const autoregressiveP99 = 10 + 3*2.3263

// sojourns are times in an M/M/1 queue with unit mean service from its start,
// empty. At ρ = 0.5 their mean is 2, at ρ > 1 they grow without end.
func sojourns(r *rand.Rand, rho float64, n int) []float64 {
	x, wait := make([]float64, n), 0.0
	for i := range x {
		x[i] = wait + r.ExpFloat64()
		wait = max(0, x[i]-r.ExpFloat64()/rho)
	}
	return x
}

func must(t *testing.T, goal string) Goal {
	t.Helper()
	g, err := ParseGoal(goal)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// follow looks at a series as a run would, until the decision or the end, and
// returns the number of values at it.
func follow(g Goal, series []float64) (Decision, int) {
	w := New(g)
	for n := Next(0); n < len(series); n = Next(n) {
		if d := w.Look(series[:n], false); d.State != Continue {
			return d, n
		}
	}
	return w.Look(series, true), len(series)
}

// Of 50 stationary runs of 60,000 values all stop early, and the intervals at
// the stop hold the truth in about 95 %.
func TestStopsAStationarySeriesEarly(t *testing.T) {
	const runs, length = 50, 60_000
	g, held, total := must(t, "ttft.p99±5%"), 0, 0
	for i := range runs {
		d, n := follow(g, autoregressive(rand.New(rand.NewPCG(uint64(i), 1)), length))
		if d.State != Reached || n > length/2 {
			t.Errorf("run %d: %s after %d values: %s", i, d.State, n, d.Reason)
		}
		if *d.Width > g.Relative {
			t.Errorf("run %d: ±%v where ±%v was asked for", i, *d.Width, g.Relative)
		}
		total += n
		if *d.Interval.Low <= autoregressiveP99 && autoregressiveP99 <= *d.Interval.High {
			held++
		}
	}
	t.Logf("%d values in the mean, %d of %d intervals hold the truth", total/runs, held, runs)
	if held < 43 { // of Binomial(50, 0.95): 47.5 ± 1.5
		t.Errorf("%d of %d intervals hold the truth", held, runs)
	}
}

// A series that rises by its own size every 4,000 values, and a queue that grows without end,
// are never called known, and the reason says why.
func TestRefusesADriftingSeries(t *testing.T) {
	rising := func(r *rand.Rand) []float64 {
		x := autoregressive(r, 20_000)
		for i := range x {
			x[i] *= 1 + float64(i)/4000
		}
		return x
	}
	growing := func(r *rand.Rand) []float64 { return sojourns(r, 1.2, 20_000) }
	for name, series := range map[string]func(*rand.Rand) []float64{"rising": rising, "growing": growing} {
		for i := range 20 {
			x := series(rand.New(rand.NewPCG(uint64(i), 2)))
			d, _ := follow(must(t, "e2e.mean±5%"), x)
			if d.State != Cannot || !strings.Contains(d.Reason, "drifts") && !strings.Contains(d.Reason, "not settled") {
				t.Errorf("%s, run %d: %s: %s", name, i, d.State, d.Reason)
			}
		}
	}
}

// 1,000 values of a cold start, three times as slow and warming up, before
// 9,000 steady ones.
func TestFindsThePlantedWarmUp(t *testing.T) {
	for i := range 20 {
		x := autoregressive(rand.New(rand.NewPCG(uint64(i), 3)), 10_000)
		for k := range 1000 {
			x[k] *= 3 - 2*float64(k)/1000
		}
		d, _ := follow(must(t, "ttft.mean±0.1%"), x)
		if d.Warmup < 600 || d.Warmup > 1500 {
			t.Errorf("run %d: %d values of warm-up, planted are 1000: %s", i, d.Warmup, d.Reason)
		}
		if d.State != Cannot || !strings.Contains(d.Reason, "needs some") {
			t.Errorf("run %d: ±0.1 %% of 9,000 values: %s, %s", i, d.State, d.Reason)
		}
	}
}

func TestDecisionsInWords(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	steady := autoregressive(r, 5000)
	constant := make([]float64, 1000)
	for i := range constant {
		constant[i] = 7
	}
	tests := []struct {
		why    string
		goal   string
		series []float64
		last   bool
		state  State
		words  string
	}{
		{"nothing yet", "ttft.p99±5%", nil, false, Continue, "0 values so far, at least 200"},
		{"nothing at the end", "ttft.p99±5%", nil, true, Cannot, "0 values so far"},
		{"no value beyond a p99.9", "ttft.p99.9±5%", steady[:300], true, Cannot, "no interval yet"},
		{"too wide, with what it takes", "ttft.mean±0.5%", steady, false, Continue, "±0.5% needs some"},
		{"narrow once does not count", "ttft.mean±5%", steady, false, Continue, "if the next look finds it so again"},
		{"but at the end it is all there is", "ttft.mean±5%", steady, true, Reached, "independent ones"},
		{"equal values", "ttft.p50±1%", constant, true, Reached, "p50 is 7 ±0%"},
	}
	for _, tt := range tests {
		d := New(must(t, tt.goal)).Look(tt.series, tt.last)
		if d.State != tt.state || !strings.Contains(d.Reason, tt.words) {
			t.Errorf("%s: %s: %q, want %s with %q", tt.why, d.State, d.Reason, tt.state, tt.words)
		}
	}
}

// What it takes, as foretold at 5,000 values, is about right: at twice as many
// as foretold the interval is narrow enough.
func TestForetellsTheLength(t *testing.T) {
	x := autoregressive(rand.New(rand.NewPCG(6, 6)), 100_000)
	g := must(t, "ttft.mean±1%")
	d := New(g).Look(x[:5000], false)
	if d.Needed < 5000 || d.Needed > 50_000 {
		t.Fatalf("needed: %d, %s", d.Needed, d.Reason)
	}
	if d := New(g).Look(x[:2*d.Needed], true); d.State != Reached {
		t.Errorf("at twice the length: %s", d.Reason)
	}
}

func TestParseGoal(t *testing.T) {
	tests := []struct {
		text string
		want Goal
	}{
		{"ttft.p99±5%", Goal{"ttft", "wire", "p99", 0.05}},
		{"e2e.mean+-2.5%", Goal{"e2e", "wire", "mean", 0.025}},
		{" itl.observed.p50 ± 10 % ", Goal{"itl", "observed", "p50", 0.1}},
		{"ntpot.scheduled.p99.9±50%", Goal{"ntpot", "scheduled", "p99.9", 0.5}},
		{"tpot.p99.9±1%", Goal{"tpot", "wire", "p99.9", 0.01}},
	}
	for _, tt := range tests {
		got, err := ParseGoal(tt.text)
		if err != nil || got != tt.want {
			t.Errorf("%q: got %+v, %v", tt.text, got, err)
		}
		if again, err := ParseGoal(got.String()); err != nil || again != got {
			t.Errorf("%q is written as %q, which is %+v, %v", tt.text, got, again, err)
		}
	}
	for _, bad := range []string{"", "ttft", "ttft.p99", "ttft.p99±5", "ttft.p98±5%", "lag.p99±5%", "ttft.wire±5%", "ttft.p99±0%", "ttft.p99±100%", "ttft.p99±-5%", "ttft.p99±NaN%"} {
		if g, err := ParseGoal(bad); err == nil {
			t.Errorf("%q: got %+v, want an error", bad, g)
		}
	}
}

func FuzzParseGoal(f *testing.F) {
	f.Add("ttft.p99±5%")
	f.Add("itl.bias.p99.9+-1e1%")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ParseGoal(text)
		if err != nil {
			return
		}
		if again, err := ParseGoal(g.String()); err != nil || again.Metric != g.Metric || again.Figure != g.Figure || again.Column != g.Column {
			t.Errorf("%q is %+v, written %q: %v", text, g, g.String(), err)
		}
	})
}
