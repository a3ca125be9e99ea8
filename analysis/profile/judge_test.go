package profile

import (
	"testing"

	"tare/ipc"
)

// judged plays one step of so many seconds at a share of the capacity of 80/s
// and judges it at its end.
func judged(t *testing.T, arrival, service string, load, length float64, seed uint64) Judgement {
	t.Helper()
	p := auto(30, 240)
	p.StepDuration, p.MinStep, p.MaxStep = seconds(length), seconds(length), seconds(length)
	b := bench{t: t, p: p, arrival: arrival, server: queue{slots: 8, service: service}, seed: seed}
	return b.step(Ask{Rate: readable(80 * load)}, nil).Judgement
}

// Constant arrivals at 8 slots of exactly 100 ms: 80/s is served without a
// wait, and half a request a second above it is seen within 8 s.
func TestJudgeWithoutNoise(t *testing.T) {
	for _, c := range []struct {
		load, length float64
		want         Status
	}{
		{0.9, 4, Stable}, {1, 4, Stable}, {1.1, 4, Saturated},
		{80.5 / 80, 8, Saturated}, {79.5 / 80, 8, Stable}, {3, 4, Saturated},
	} {
		j := judged(t, "constant", "100ms", c.load, c.length, 1)
		if j.Status != c.want {
			t.Errorf("at %g of the capacity: %s, want %s: %q", c.load, j.Status, c.want, j.Reasons)
		}
		if growth := 80 * max(0, c.load-1); j.Growth.Lo > growth+0.05 || j.Growth.Hi < growth-0.05 {
			t.Errorf("at %g of the capacity: in flight grows by %v, want %.2f", c.load, *j.Growth, growth)
		}
	}
}

// Poisson arrivals and lognormal services with an SCV of 1, a minute each, at
// shares of the capacity. What must hardly ever happen is the wrong verdict:
// stable above the capacity, saturated below it. What is near the capacity
// cannot be told in a minute; at exactly the capacity, in no time at all.
func TestJudgeWithNoise(t *testing.T) {
	for _, c := range []struct {
		load, length                  float64
		leastStable, mostStable       float64 // shares of runs
		leastSaturated, mostSaturated float64
		leastExponent, mostExponent   float64 // mean of β
	}{
		{0.5, 16, 0.95, 1, 0, 0, -0.2, 0.2},
		{0.9, 60, 0.6, 1, 0, 0.02, -0.1, 0.35}, // 0.73 in 200 runs
		{1.0, 60, 0, 0.05, 0, 0.04, 0.2, 0.8},  // the root of time: β = ½
		{1.1, 60, 0, 0.01, 0.8, 1, 0.6, 1.2},
		{1.5, 16, 0, 0, 1, 1, 0.8, 1.2}, // a growing backlog: β = 1
	} {
		n := float64(max(40, runs(100)))
		stable, saturated, exponents := 0.0, 0.0, 0.0
		for seed := range uint64(n) {
			j := judged(t, "poisson", "lognormal(100ms,1)", c.load, c.length, seed+1)
			switch j.Status {
			case Stable:
				stable++
			case Saturated:
				saturated++
			}
			exponents += *j.Exponent / n
		}
		stable, saturated = stable/n, saturated/n
		t.Logf("at %g of the capacity: stable %.3f, saturated %.3f, mean exponent %.2f", c.load, stable, saturated, exponents)
		if stable < c.leastStable || stable > c.mostStable || saturated < c.leastSaturated || saturated > c.mostSaturated {
			t.Errorf("at %g of the capacity: stable in %.3f of runs, saturated in %.3f", c.load, stable, saturated)
		}
		if exponents < c.leastExponent || exponents > c.mostExponent {
			t.Errorf("at %g of the capacity: in flight grows like t^%.2f on average", c.load, exponents)
		}
	}
}

// The first seconds of any step look like growth: in flight rises until the
// first requests end. Services of 10 s in a step of 30 s are no saturation.
func TestJudgeWaitsForTheFirstRequests(t *testing.T) {
	for _, c := range []struct {
		length float64
		want   Status
	}{{8, Undecided}, {30, Undecided}, {120, Stable}} {
		p := auto(5, 100)
		p.StepDuration, p.MinStep, p.MaxStep = seconds(c.length), seconds(c.length), seconds(c.length)
		b := bench{t: t, p: p, arrival: "constant", server: queue{slots: 1000, service: "normal(10s,500ms)"}, seed: 1}
		if s := b.step(Ask{Rate: 10}, nil); s.Status != c.want {
			t.Errorf("after %g s: %s, want %s: %q", c.length, s.Status, c.want, s.Reasons)
		}
	}
}

// What a server works off from the step before is no growth.
func TestJudgeOfAShrinkingBacklog(t *testing.T) {
	f := NewFlow(0, ipc.SLO{})
	for i := range 400 { // 100/s for 4 s, each in flight for 3 s at first and 50 ms at the end
		at := int64(i) * 1e7
		f.Due(at)
		end := at + 5e7 + max(0, 29e8-at)
		f.End(served{at, end, ipc.OK}.record(new(ipc.Record)), false)
	}
	f.spans = f.spans[:0]
	for i := range 10 {
		f.spans = append(f.spans, span{int64(i) * 1e7, int64(i)*1e7 + 5e7})
	}
	if j := judgeFlow(f, 29e8, 4e9, nil, 0.05); j.Status == Saturated {
		t.Errorf("%s: %q", j.Status, j.Reasons)
	}
}

// What a lighter load had no trouble with, and what any load has.
func TestJudgeRefusals(t *testing.T) {
	for _, c := range []struct {
		why       string
		share     float64
		reference *float64
		want      Status
	}{
		{"one in ten fails where none did before", 0.9, new(1.0), Saturated},
		{"one in ten fails at any load", 0.9, new(0.9), Stable},
		{"one in ten fails at the first step", 0.9, nil, Stable},
		{"nine in ten fail at the first step", 0.1, nil, Failing},
		{"one in two hundred is not enough to tell", 0.995, new(1.0), Stable},
	} {
		f := NewFlow(0, ipc.SLO{})
		for i := range 1000 {
			at := int64(i) * 4e6
			f.Due(at)
			s := served{at, at + 1e8, ipc.OK}
			if float64(i*7%200) >= 200*c.share { // one here, one there
				s = served{at, at + 1e6, ipc.HTTPStatus}
			}
			f.End(s.record(new(ipc.Record)), false)
		}
		if j := judgeFlow(f, 4e8, 4e9, c.reference, 0.05); j.Status != c.want {
			t.Errorf("%s: %s, want %s: %q", c.why, j.Status, c.want, j.Reasons)
		}
	}
}
