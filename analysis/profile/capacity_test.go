package profile

import (
	"math"
	"testing"

	"tare/ipc"
)

// runs is how many seeded profiles a test plays.
func runs(full int) uint64 {
	if testing.Short() {
		return uint64(full) / 10
	}
	return uint64(full)
}

// The capacity of a queue of 8 slots and services of 100 ms on average is
// 8/E[S] = 80/s, whatever the laws. In at least 95 % of all runs the interval
// holds it and is at most 5 % wide.
func TestCapacityOfAQueue(t *testing.T) {
	for _, c := range []struct {
		arrival, service string
		full             int
	}{
		{"constant", "100ms", 10},
		{"poisson", "100ms", 40},
		{"poisson", "lognormal(100ms,0.5)", 200},
		{"poisson", "lognormal(100ms,1)", 40},
		{"constant", "lognormal(100ms,1)", 20},
	} {
		t.Run(c.arrival+" "+c.service, func(t *testing.T) {
			t.Parallel()
			n, good := runs(c.full), uint64(0)
			for seed := range n {
				b := bench{t: t, p: auto(30, 240), arrival: c.arrival, server: queue{slots: 8, service: c.service}, seed: seed + 1}
				got := Conclude(b.p, b.slo, b.play()).Capacity
				if got.LimitedBy == ByServer && *got.Lo <= 80 && 80 <= *got.Hi && *got.Hi-*got.Lo <= 0.05*80 {
					good++
				} else {
					t.Logf("seed %d: %s by %s, %q", seed+1, show(got), got.LimitedBy, got.Notes)
				}
			}
			t.Logf("%d of %d", good, n)
			if 100*good < 95*n {
				t.Errorf("the interval was right in %d of %d runs", good, n)
			}
		})
	}
}

// Where a profile comes to no capacity, it says so and why.
func TestNoCapacity(t *testing.T) {
	for _, c := range []struct {
		why  string
		b    bench
		by   string
		last Status
		want func(Capacity) bool
	}{
		{"the server is never saturated", bench{p: auto(10, 60), server: queue{slots: 8, service: "100ms"}}, ByNone, Stable,
			func(c Capacity) bool { return c.Rate == nil && *c.Lo == 60 && c.Hi == nil }},
		{"nine requests in ten fail, from the first step on", bench{p: auto(30, 240), server: queue{slots: 8, service: "100ms", fails: 0.9}}, ByNone, Failing,
			func(c Capacity) bool { return c.Rate == nil && c.Lo == nil && c.Hi == nil }},
		{"requests take longer than any step", bench{p: auto(30, 240), server: queue{slots: 4000, service: "100s"}}, ByNone, Undecided,
			func(c Capacity) bool { return c.Rate == nil && c.Lo == nil && c.Hi == nil }},
		{"the client is not valid above 50/s", bench{p: auto(10, 240), server: queue{slots: 8, service: "100ms"}, limit: 50}, ByClient, Stable,
			func(c Capacity) bool {
				return c.Rate == nil && *c.Lo >= 40 && *c.Lo < 50 && c.Hi == nil && *c.ClientLimit <= 60
			}},
	} {
		c.b.t, c.b.arrival, c.b.seed = t, "poisson", 1
		steps := c.b.play()
		got := Conclude(c.b.p, c.b.slo, steps)
		if last := steps[len(steps)-1]; got.Capacity.LimitedBy != c.by || last.Status != c.last || !c.want(got.Capacity) || len(got.Capacity.Notes) == 0 {
			t.Errorf("%s: %s by %s, last step %s, %q", c.why, show(got.Capacity), got.Capacity.LimitedBy, last.Status, got.Capacity.Notes)
		}
		if got.Knee.Rate != nil && c.by == ByClient {
			t.Errorf("%s: a knee at %v", c.why, *got.Knee.Rate)
		}
	}
}

// A server that sheds what it cannot queue has no growing backlog: it is found
// by what it refuses. One request in fifty fails at any load, and does not hide
// it.
func TestCapacityOfAServerThatSheds(t *testing.T) {
	b := bench{t: t, p: auto(30, 240), arrival: "poisson", seed: 3, server: queue{slots: 8, service: "exp(100ms)", room: 16, fails: 0.02}}
	steps := b.play()
	got := Conclude(b.p, b.slo, steps).Capacity
	// Of the arrivals 98 % reach the queue, so that it takes 80/0.98 = 81.6/s;
	// what it sheds of a lighter load for want of room comes off that.
	if got.LimitedBy != ByServer || got.Lo == nil || got.Hi == nil || *got.Lo > 82 || *got.Hi < 74 {
		t.Errorf("%s by %s, %q", show(got), got.LimitedBy, got.Notes)
	}
}

// saturated is a step that was saturated at a load.
func saturated(rate, x, half float64) Step {
	s := delivers(rate, x, half)
	s.Asked = &rate
	return s
}

func TestThroughput(t *testing.T) {
	for _, c := range []struct {
		why   string
		steps []Step
		want  float64
		note  bool
	}{
		{"equal lengths weigh the same", []Step{saturated(120, 79, 2), saturated(120, 81, 2)}, 80, false},
		{"what is barely saturated counts less than what is for certain", []Step{saturated(81, 79, 2), saturated(120, 80, 2)}, 80, false},
		{"but alone it counts", []Step{saturated(81, 79, 2)}, 79, false},
		{"of unequal speeds the one at the lightest overload", []Step{saturated(240, 60, 1), saturated(120, 80, 1)}, 80, true},
	} {
		got, note := throughput(c.steps)
		if got == nil || math.Abs(got.Value-c.want) > 1e-9 || (note != "") != c.note {
			t.Errorf("%s: %v, note %q; want %v", c.why, got, note, c.want)
		}
	}
	if got, _ := throughput([]Step{tells(Stable)}); got != nil {
		t.Errorf("a stable step has a throughput of %v", got)
	}
}

// A closed loop of so many streams on 8 slots of 100 ms delivers ten a second
// for each stream up to eight, and 80 from there on.
func TestCapacityOfAClosedLoop(t *testing.T) {
	p := ipc.Profile{Scale: Auto, ConcurrencyFrom: 1, ConcurrencyTo: 64, Steps: 12, Precision: 0.05}
	ask := func(streams float64, _ int) Step {
		x := min(10*streams, 80)
		s := tells(Stable)
		if streams > 8 {
			s = tells(Saturated)
		}
		s.ends = drift{rise: 15 * x, n: 15, seconds: 1, variance: 1e-6}
		s.Throughput = new(s.ends.rate())
		return s
	}
	steps, course := follow(t, p, ask)
	if want := "1 2 4 8 16 | the throughput rises no more"; course != want {
		t.Errorf("course %q, want %q", course, want)
	}
	got := Conclude(p, ipc.SLO{}, steps).Capacity
	if got.LimitedBy != ByServer || !near(got.Rate, 80) {
		t.Errorf("%s by %s", show(got), got.LimitedBy)
	}
}
