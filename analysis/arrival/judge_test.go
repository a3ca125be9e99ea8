package arrival

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// asSent gives due instants the lags of a healthy sender: it wakes 30 to 60 µs
// late when it slept, needs 15 µs a send when it did not, and one send in a
// thousand finds the CPU gone for up to 2 ms.
func asSent(due []int64, r *rand.Rand) []int64 {
	const wake, send = 30_000, 15_000
	sent := make([]int64, len(due))
	free := int64(0)
	for i, t := range due {
		if t >= free {
			t += wake + r.Int64N(wake)
		}
		if r.IntN(1000) == 0 {
			t += r.Int64N(2_000_000)
		}
		sent[i] = max(t, free)
		free = sent[i] + send
	}
	return sent
}

// sharedSeed is the fault of workers that each draw the same gaps but take
// turns on one schedule: gaps come in runs of W equal values.
func sharedSeed(w, n int, perSecond float64, r *rand.Rand) []int64 {
	due := make([]int64, 0, n)
	at, gap := 0.0, 0.0
	for i := range n {
		if i%w == 0 {
			gap = -math.Log(1-r.Float64()) / perSecond * 1e9
		}
		at += gap
		due = append(due, int64(at))
	}
	return due
}

func figures(list []Finding) []string {
	var keys []string
	for _, f := range list {
		keys = append(keys, f.Figure)
	}
	return keys
}

// alarms counts in how many of runs Judge finds the given figure ("": any).
func alarms(runs int, figure string, judge func(r *rand.Rand) []Finding) int {
	n := 0
	for i := range runs {
		found := figures(judge(rand.New(rand.NewPCG(uint64(i), 9))))
		if figure == "" && len(found) > 0 || slices.Contains(found, figure) {
			n++
		}
	}
	return n
}

// At n = 10,000 fewer than 1 % of faithful runs are suspected, also at 5,000/s
// where the mean gap is some ten times a send.
func TestFalseAlarms(t *testing.T) {
	const n = 10_000
	runs := 200
	if testing.Short() {
		runs = 101
	}
	for _, s := range []Spec{
		{Rate: rate(t, "100")},
		{Rate: rate(t, "1000")},
		{Rate: rate(t, "5000")},
		{Rate: rate(t, "1000"), Law: Gamma, Burstiness: 0.25},
		{Rate: rate(t, "1000"), Law: Gamma, Burstiness: 4},
		{Rate: rate(t, "1000"), Law: Constant},
		{Rate: rate(t, "5000"), Law: Constant},
	} {
		s.Requests = n
		got := alarms(runs, "", func(r *rand.Rand) []Finding {
			s.Seed = r.Uint64()
			due := instants(s)
			return s.Judge(due, asSent(due, r))
		})
		if got*100 >= runs {
			t.Errorf("%v at %v/s: %d of %d faithful runs suspected", s.Law, s.Rate, got, runs)
		}
	}
}

// Small samples are noisy; they must not be suspected for it.
func TestFalseAlarmsInShortRuns(t *testing.T) {
	const runs = 1000
	for _, n := range []int64{50, 200, 1000} {
		got := alarms(runs, "", func(r *rand.Rand) []Finding {
			s := poisson(t, "1000", n)
			s.Seed = r.Uint64()
			due := instants(s)
			return s.Judge(due, asSent(due, r))
		})
		if got*100 >= runs {
			t.Errorf("n = %d: %d of %d faithful runs suspected", n, got, runs)
		}
	}
}

// Workers with a shared seed keep mean and CV, so only correlation and
// dispersion show them; each of the two sees every run of 10,000.
func TestSharedSeedIsFound(t *testing.T) {
	const runs, n = 20, 10_000
	for _, perSecond := range []string{"1000", "5000"} {
		s := poisson(t, perSecond, n)
		for _, w := range []int{2, 4, 10} {
			for _, figure := range []string{"acf1", "idc_10ms"} {
				got := alarms(runs, figure, func(r *rand.Rand) []Finding {
					due := sharedSeed(w, n, s.Rate.Float64(), r)
					return s.Judge(due, asSent(due, r))
				})
				if got != runs {
					t.Errorf("%d workers at %v/s: %s sees %d of %d runs", w, s.Rate, figure, got, runs)
				}
			}
		}
	}
}

// The figures of the shared-seed fault are known: ACF1 (W−1)/W, IDC towards W.
func TestMeasureSharedSeed(t *testing.T) {
	for _, w := range []int{1, 2, 4, 10} {
		s := Measure(sharedSeed(w, 200_000, 1000, rand.New(rand.NewPCG(4, 4))))
		if acf := float64(w-1) / float64(w); math.Abs(*s.ACF1-acf) > 0.02 {
			t.Errorf("W = %d: ACF1 %v, want %v", w, *s.ACF1, acf)
		}
		if math.Abs(*s.IDC200ms/float64(w)-1) > 0.25 || math.Abs(*s.CV-1) > 0.03 || *s.KSD > 0.02 {
			t.Errorf("W = %d: IDC %v, CV %v, D %v; want %d, 1, 0", w, *s.IDC200ms, *s.CV, *s.KSD, w)
		}
	}
}

// A sender that sleeps each gap after its work slips: 1 µs a request, a
// thousandth of the gap, is 10 ms after 10,000.
func TestDriftIsFound(t *testing.T) {
	got := alarms(50, "drift_ms", func(r *rand.Rand) []Finding {
		s := poisson(t, "1000", 10_000)
		s.Seed = r.Uint64()
		due := instants(s)
		sent := asSent(due, r)
		for i := range sent {
			sent[i] += int64(i) * 1000
		}
		return s.Judge(due, sent)
	})
	if got != 50 {
		t.Errorf("%d of 50 drifting runs found", got)
	}
}

// Each law is told from the others.
func TestWrongLawIsFound(t *testing.T) {
	specs := []Spec{
		{Rate: rate(t, "1000")},
		{Rate: rate(t, "1000"), Law: Constant},
		{Rate: rate(t, "1000"), Law: Gamma, Burstiness: 0.25},
		{Rate: rate(t, "1000"), Law: Gamma, Burstiness: 4},
	}
	for i, asked := range specs {
		for j, given := range specs {
			given.Requests = 10_000
			due := instants(given)
			found := asked.Judge(due, asSent(due, rand.New(rand.NewPCG(1, 1))))
			if (len(found) == 0) != (i == j) {
				t.Errorf("asked for %v %v, sent %v %v: %v", asked.Law, asked.Burstiness, given.Law, given.Burstiness, found)
			}
		}
	}
}

// A process rescaled so that its N-th arrival falls at N/λ (over its span λ·T
// = N exactly) is found after three runs of 10,000; honest runs, and honest
// windows of one run, are not.
func TestConditionedProcessIsFound(t *testing.T) {
	const n = 10_000
	forced := []Total{{n, n}, {n, n}, {n, n}}
	if found := JudgeTotals(forced); len(found) != 1 {
		t.Errorf("three runs forced to their mean: %v", found)
	}
	if found := JudgeTotals(forced[:1]); found != nil {
		t.Errorf("one run at its mean is no proof: %v", found)
	}
	if found := JudgeTotals(nil); found != nil {
		t.Errorf("no runs: %v", found)
	}
	got := alarms(300, "totals", func(r *rand.Rand) []Finding {
		var totals []Total
		for range 5 {
			s := poisson(t, "1000", n)
			s.Seed = r.Uint64()
			last, _ := s.Last()
			totals = append(totals, Total{n, float64(last.At) / 1e6})
		}
		return JudgeTotals(totals)
	})
	if got != 0 {
		t.Errorf("%d of 300 honest sets of five runs suspected", got)
	}
}

// Figures that do not exist are absent: nil, not 0 or NaN.
func TestMeasureUndefined(t *testing.T) {
	for _, c := range []struct {
		why string
		at  []int64
	}{
		{"no point", nil}, {"one gap", []int64{1, 2}}, {"no time passes", []int64{5, 5, 5, 5}},
	} {
		if s := Measure(c.at); s != (Stats{N: len(c.at)}) {
			t.Errorf("%s: %+v", c.why, s)
		}
	}
	s := Measure([]int64{0, 10, 20, 30})
	if *s.CV != 0 || s.ACF1 != nil || s.IDC10ms != nil {
		t.Errorf("equal gaps: CV %v, ACF1 %v, IDC %v; want 0 and none", *s.CV, s.ACF1, s.IDC10ms)
	}
	stuck := make([]int64, 100)
	if found := (Spec{}).Judge(stuck, stuck); found != nil {
		t.Errorf("sends at one instant: %v", found)
	}
}

// Hand figures: gaps 1, 3, 1, 3 have mean 2, variance 4/3 and successive
// products −1, −1, −1 over a square sum of 4. Against the exponential law of
// mean 2 the largest step is just before 1 at 1−e^(−½) = 0.393, above the
// 0.277 = 1 − e^(−1.5) − ½ just before 3.
func TestMeasureByHand(t *testing.T) {
	s := Measure([]int64{0, 1, 4, 5, 8})
	if !same(*s.CV, math.Sqrt(4./3)/2) || !same(*s.ACF1, -0.75) || !same(*s.KSD, 1-math.Exp(-0.5)) {
		t.Errorf("CV %v, ACF1 %v, D %v", *s.CV, *s.ACF1, *s.KSD)
	}
	// Counts 1, 0, 1, 0, … in twelve windows of 10 ms: mean ½, variance 6·¼·2/11.
	var at []int64
	for i := range int64(7) {
		at = append(at, i*20_000_000)
	}
	if idc := *Measure(at).IDC10ms; !same(idc, 12*0.25/11/0.5) {
		t.Errorf("IDC %v, want %v", idc, 12*0.25/11/0.5)
	}
}

// Of four gaps one is off by 0.5 of the scale: ε = ¼ leaves a share ¼ beyond.
func TestKyFan(t *testing.T) {
	if d := kyFan([]float64{100, 100, 100, 150}, 100, 100); d != 0.25 {
		t.Errorf("Ky Fan distance %v, want 0.25", d)
	}
	if d := kyFan([]float64{100, 102}, 100, 100); !same(d, 0.02) {
		t.Errorf("Ky Fan distance %v, want 0.02", d)
	}
}

func same(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
