package profile

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tare/ipc"
)

// An oracle says what the n-th step at a rate tells, from 1 on.
type oracle func(rate float64, n int) Step

// tells is a step that told something.
func tells(status Status) Step { return Step{Judgement: Judgement{Status: status}} }

// delivers is a saturated step whose server delivers x requests/s, known to
// the given half width.
func delivers(rate, x, half float64) Step {
	const n, length = blocks - 1, 1.0
	sd := half / quantile(n-1) * n * length / math.Sqrt(n)
	s := tells(Saturated)
	s.rate = rate
	s.ends = drift{rise: x * n * length, n: n, seconds: length, variance: sd * sd}
	s.swell = drift{rise: (rate - x) * n * length, n: n, seconds: length}
	s.Throughput = new(s.ends.rate())
	return s
}

// sharp is a server of an exact capacity: it keeps up with what is not above it.
func sharp(capacity float64) oracle {
	return func(rate float64, _ int) Step {
		if rate <= capacity {
			return tells(Stable)
		}
		return delivers(rate, capacity, 0.01*capacity)
	}
}

// follow runs a search by an oracle and returns its steps and its course, a
// word for each.
func follow(t *testing.T, p ipc.Profile, ask oracle) (steps []Step, course string) {
	t.Helper()
	var words []string
	for range 50 {
		a, more, why := Next(p, ipc.SLO{}, steps)
		if !more {
			return steps, strings.Join(append(words, "| "+why), " ")
		}
		s := ask(a.load(), runsOf(steps, a.load())+1)
		s.Number, s.Purpose = len(steps), a.Purpose
		if a.Concurrency > 0 {
			s.Concurrency = &a.Concurrency
		} else {
			s.Asked = &a.Rate
		}
		s.Saturated = s.Status == Saturated
		steps = append(steps, s)
		words = append(words, fmt.Sprintf("%g", a.load()))
	}
	t.Fatalf("the search does not end: %v", words)
	return nil, ""
}

func TestSearchDecides(t *testing.T) {
	narrow := "| the interval is as narrow as asked for"
	for _, c := range []struct {
		why    string
		p      ipc.Profile
		ask    oracle
		course string
		lo, hi float64 // of the capacity; 0: none
		by     string
	}{
		// 120 delivers 80 ± 0.8. Probes stand 0.45 of the precision of 5 %
		// from 80: 78.2 and 81.8, a bracket of 4.5 %.
		{"a server of exactly 80", auto(30, 240), sharp(80), "30 60 120 78.2 81.8 " + narrow, 79.2, 80.8, ByServer},
		{"every step is stable", auto(30, 240), sharp(1000), "30 60 120 240 | --to is reached without saturation", 240, 0, ByNone},
		// Down to half of what 100 delivers, and up again from there.
		{"saturated at the first step", auto(100, 400), sharp(80), "100 40 78.2 81.8 " + narrow, 79.2, 80.8, ByServer},
		{"saturated at every step", auto(64, 400), func(rate float64, _ int) Step {
			return delivers(rate, rate/2, 0.1)
		}, "64 16 4 1 | the server does not keep up with any load that was tried", 0.4, 0.6, ByServer},
		{"the server fails", auto(30, 240), func(float64, int) Step { return tells(Failing) }, "30 | the server fails", 0, 0, ByNone},
		{"steps are too short for the server", auto(30, 240), func(float64, int) Step {
			s := tells(Undecided)
			s.short = true
			return s
		}, "30 | steps are too short for this server: give a longer --step-duration or --max-step", 0, 0, ByNone},
		// Nothing can be told between 76 and 84: the bracket stays at the
		// doubling's, the throughput of 1.15·81.8 and 78.2 alone is sharp.
		{"nothing can be told near the capacity", auto(30, 240), func(rate float64, n int) Step {
			if 76 < rate && rate < 84 {
				return tells(Undecided)
			}
			return sharp(80)(rate, n)
		}, "30 60 120 78.2 81.8 " + narrow, 79.2, 80.8, ByServer},
		// ± 8 at 120 is too wide, and there is no narrow bracket: it is
		// measured at 1.15·81.8. After n steps of ± 1.5 the pool is
		// known to √(8² + n·1.5²)/(n+1), times 0.90 for Student's t of
		// more blocks: 1.9 for n = 3, 1.53 for 4, and 1.8 is asked for.
		{"a throughput that is known badly is measured", auto(30, 240), func(rate float64, n int) Step {
			switch {
			case rate == 120:
				return delivers(rate, 80, 8)
			case rate > 84:
				return delivers(rate, 80, 1.5)
			case rate > 76:
				return tells(Undecided)
			}
			return tells(Stable)
		}, "30 60 120 78.2 81.8 94.07 94.07 94.07 94.07 " + narrow, 78.47, 81.53, ByServer},
		// The probe above what 120 delivers is stable: one stable and one
		// saturated step are confirmed, then overload is known to cost the
		// server throughput. The rest is bisection.
		{"overload costs throughput", auto(30, 240), func(rate float64, n int) Step {
			if rate > 100 {
				return delivers(rate, 70, 0.5)
			}
			return tells(Stable)
		}, "30 60 120 68.42 71.58 71.58 120 92.68 106.3 99.49 102.9 " +
			"| the bracket is as narrow as asked for, or as can be told", 99.49, 102.9, ByServer},
		// 60 seems to deliver 57 once. The probe at 58.28 is stable, which
		// contradicts it: both are run again, and 60 is found to be stable.
		{"a step that was wrong is run again", auto(30, 240), func(rate float64, n int) Step {
			if rate == 60 && n == 1 {
				return delivers(rate, 57, 0.5)
			}
			return sharp(80)(rate, n)
		}, "30 60 55.72 58.28 58.28 60 120 78.2 81.8 " + narrow, 79.2, 80.8, ByServer},
		{"the limit of --steps", ipc.Profile{Scale: Auto, From: 30, To: 240, Steps: 4, Precision: 0.05}, sharp(80), "30 60 120 78.2 | --steps 4 is reached", 79.2, 80.8, ByServer},
	} {
		t.Run(c.why, func(t *testing.T) {
			steps, course := follow(t, c.p, c.ask)
			if course != c.course {
				t.Errorf("course %q\nwant   %q", course, c.course)
			}
			got := Conclude(c.p, ipc.SLO{}, steps).Capacity
			if got.LimitedBy != c.by || !near(got.Lo, c.lo) || !near(got.Hi, c.hi) {
				t.Errorf("capacity %s by %s, want [%g, %g] by %s; notes %q", show(got), got.LimitedBy, c.lo, c.hi, c.by, got.Notes)
			}
		})
	}
}

// near compares to two per mille; 0 is nil.
func near(got *float64, want float64) bool {
	if got == nil || want == 0 {
		return got == nil && want == 0
	}
	return math.Abs(*got-want) <= 0.002*want
}

func show(c Capacity) string {
	text := func(x *float64) string {
		if x == nil {
			return "-"
		}
		return fmt.Sprintf("%.2f", *x)
	}
	return text(c.Rate) + " [" + text(c.Lo) + ", " + text(c.Hi) + "]"
}

// limited is a step whose client was not valid, for a moment or throughout.
func limited(throughout bool) Step {
	s := tells(Client)
	s.limit = throughout
	return s
}

// A client that is the limit is never taken for the server's: each such step is
// run twice, and nothing above the highest stable rate is said of the server.
func TestSearchKnowsTheClient(t *testing.T) {
	p := auto(50, 1600)
	steps, course := follow(t, p, func(rate float64, _ int) Step {
		if rate > 300 {
			return limited(true)
		}
		return tells(Stable)
	})
	if want := "50 100 200 400 400 282.8 341.4 341.4 | the client is the limit"; course != want {
		t.Errorf("course %q\nwant   %q", course, want)
	}
	r := Conclude(p, ipc.SLO{}, steps)
	c := r.Capacity
	if c.LimitedBy != ByClient || c.Rate != nil || c.Hi != nil || !near(c.Lo, 282.8) || !near(c.ClientLimit, 341.4) || r.Knee.Rate != nil {
		t.Errorf("capacity %s by %s, client limit %v, knee %v", show(c), c.LimitedBy, c.ClientLimit, r.Knee.Rate)
	}
	if !strings.Contains(c.Notes[0], "client-limited at 341/s") {
		t.Errorf("notes %q", c.Notes)
	}
}

// A client that was not valid for a moment is no limit: the step is run again,
// and once more, and then left out.
func TestSearchForgivesAMoment(t *testing.T) {
	p := auto(30, 240)
	once := func(rate float64, n int) Step {
		if n == 1 {
			return limited(false)
		}
		return sharp(80)(rate, n)
	}
	always := func(rate float64, n int) Step {
		if rate == 60 {
			return limited(false)
		}
		return sharp(80)(rate, n)
	}
	for _, c := range []struct {
		why, course string
		ask         oracle
	}{
		{"each step at its first run", "30 30 60 60 120 120 78.2 78.2 81.8 81.8 | the interval is as narrow as asked for", once},
		{"one step at every run", "30 60 60 60 120 78.2 81.8 | the interval is as narrow as asked for", always},
	} {
		steps, course := follow(t, p, c.ask)
		if course != c.course {
			t.Errorf("%s: course %q\nwant   %q", c.why, course, c.course)
		}
		if got := Conclude(p, ipc.SLO{}, steps).Capacity; got.LimitedBy != ByServer || !near(got.Lo, 79.2) || !near(got.Hi, 80.8) {
			t.Errorf("%s: capacity %s", c.why, show(got))
		}
	}
}

// The course is a function of what the steps told: a search can be followed
// again from any of its steps.
func TestNextIsAFunctionOfTheSteps(t *testing.T) {
	p := auto(30, 240)
	p.Down = true
	steps, _ := follow(t, p, sharp(80))
	for i := range steps {
		a, more, _ := Next(p, ipc.SLO{}, steps[:i])
		if !more || a.load() != steps[i].load() || a.Purpose != steps[i].Purpose {
			t.Errorf("step %d is followed by %+v, was by %g for %s", i, a, steps[i].load(), steps[i].Purpose)
		}
	}
}

// The rates that were tried in vain cut the bracket, and the widest piece is
// halved.
func TestBetween(t *testing.T) {
	for _, c := range []struct {
		why           string
		lo, hi, least float64
		vain          []float64
		want          float64 // 0: none
	}{
		{"near: the arithmetic mean", 80, 90, 1, nil, 85},
		{"far: the geometric one", 10, 90, 1, nil, 30},
		{"around what was tried, on the wider side", 80, 90, 1, []float64{83}, 86.5},
		{"what lies outside does not matter", 80, 90, 1, []float64{70, 95}, 85},
		{"narrow enough", 80, 90, 10, nil, 0},
		{"no piece is wide enough", 80, 90, 5, []float64{85}, 0},
	} {
		got, ok := between(c.lo, c.hi, c.vain, c.least)
		if ok != (c.want > 0) || ok && got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.why, got, ok, c.want)
		}
	}
}

func TestLadder(t *testing.T) {
	loads := func(p ipc.Profile) []float64 {
		var x []float64
		for _, a := range ladder(p) {
			x = append(x, a.load())
		}
		return x
	}
	for _, c := range []struct {
		why  string
		p    ipc.Profile
		want []float64
	}{
		{"equal ratios", ipc.Profile{Scale: Geometric, From: 10, To: 160, Steps: 5}, []float64{10, 20, 40, 80, 160}},
		{"equal distances", ipc.Profile{Scale: Linear, From: 10, To: 50, Steps: 5}, []float64{10, 20, 30, 40, 50}},
		{"rates are cut to four digits", ipc.Profile{Scale: Geometric, From: 10, To: 20, Steps: 3}, []float64{10, 14.14, 20}},
		{"streams are whole, and none comes twice", ipc.Profile{Scale: Geometric, ConcurrencyFrom: 1, ConcurrencyTo: 4, Steps: 6}, []float64{1, 2, 3, 4}},
		{"one step is the lowest", ipc.Profile{Scale: Linear, From: 10, To: 50, Steps: 1}, []float64{10}},
	} {
		if diff := cmp.Diff(c.want, loads(c.p)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.why, diff)
		}
	}
}

// A ladder ends at the second saturated rung, and repeats a rung whose client
// was not valid.
func TestClimbLadder(t *testing.T) {
	p := ipc.Profile{Scale: Linear, From: 20, To: 200, Steps: 10}
	_, course := follow(t, p, func(rate float64, n int) Step {
		if rate == 40 && n == 1 {
			return limited(false)
		}
		return sharp(80)(rate, n)
	})
	if want := "20 40 40 60 80 100 120 | the server is saturated"; course != want {
		t.Errorf("course %q\nwant   %q", course, want)
	}
	_, course = follow(t, p, sharp(1e3))
	if !strings.HasSuffix(course, "180 200 | the last rung is done") {
		t.Errorf("course %q", course)
	}
	steps, course := follow(t, p, func(rate float64, _ int) Step {
		if rate > 100 {
			return limited(true)
		}
		return tells(Stable)
	})
	if !strings.HasSuffix(course, "100 120 120 | the last step was the end of it: client") {
		t.Errorf("course %q", course)
	}
	if c := Conclude(p, ipc.SLO{}, steps).Capacity; c.LimitedBy != ByClient || !near(c.Lo, 100) {
		t.Errorf("capacity %s by %s", show(c), c.LimitedBy)
	}
}

// After the way up, the way down goes through overload and then through the
// loads that were stable, from the highest.
func TestWayDown(t *testing.T) {
	p := auto(10, 240)
	p.Down = true
	steps, course := follow(t, p, sharp(80))
	if want := "10 20 40 80 160 81.8 160 80 40 20 10 | the interval is as narrow as asked for"; course != want {
		t.Errorf("course %q\nwant   %q", course, want)
	}
	h := Conclude(p, ipc.SLO{}, steps).Hysteresis
	var loads []float64
	for _, s := range h.Steps {
		loads = append(loads, s.Load)
	}
	if !*h.Recovers || !slices.Equal(loads, []float64{80, 40, 20, 10}) {
		t.Errorf("recovers %v at %v", *h.Recovers, loads)
	}

	// A server that stays slow after overload does not recover.
	p = auto(10, 240)
	p.Down = true
	tired := false
	steps, _ = follow(t, p, func(rate float64, n int) Step {
		s := sharp(80)(rate, n)
		if tired && rate == 80 {
			s = delivers(rate, 60, 1)
		}
		tired = tired || rate == 160 && n == 2
		return s
	})
	h = Conclude(p, ipc.SLO{}, steps).Hysteresis
	if *h.Recovers || *h.Steps[0].Recovers || !*h.Steps[1].Recovers {
		t.Errorf("%+v", h)
	}
}

// A median TTFT that is a fifth longer after overload is no recovery, half a
// millisecond is; what could not be told is neither.
func TestRecovery(t *testing.T) {
	at := func(status Status, ttft float64) *Step {
		s := tells(status)
		s.Asked, s.Summary.Latency.TTFT.Wire.P50 = new(80.0), &ttft
		return &s
	}
	for _, c := range []struct {
		why      string
		up, down *Step
		want     *bool
	}{
		{"as fast as before", at(Stable, 100), at(Stable, 100), new(true)},
		{"a little slower, within a fifth", at(Stable, 100), at(Stable, 115), new(true)},
		{"a third slower", at(Stable, 100), at(Stable, 133), new(false)},
		{"four times as slow, by 0.3 ms", at(Stable, 0.1), at(Stable, 0.4), new(true)},
		{"still saturated", at(Stable, 100), at(Saturated, 900), new(false)},
		{"nobody knows", at(Stable, 100), at(Undecided, 100), nil},
	} {
		if got := recovery(c.up, c.down); !cmp.Equal(got.Recovers, c.want) || got.Why == "" {
			t.Errorf("%s: %+v", c.why, got)
		}
	}
}
