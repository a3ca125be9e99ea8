package queueing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tare/analysis/dist"
)

func law(t testing.TB, s string) dist.Dist {
	t.Helper()
	d, err := dist.Parse(s, dist.Count)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func moments(d dist.Dist) Moments {
	return Moments{d.Mean(), d.SecondMoment(), d.ThirdMoment()}
}

// queue is a queue in virtual time: batches of size(r) events arrive after
// gaps of gap, m servers take them in order, and an event that finds its
// server idle needs a set-up first.
type queue struct {
	gap, service, setup dist.Dist
	size                func(r *rand.Rand) int
	servers             int
}

// observed are the figures of a simulated run.
type observed struct {
	waits                []float64 // up to the start of service, set-up being service
	busyMean, allSecond  float64   // E[S | arrived busy] and E[S²], set-up in S
	serviceTimesWait     float64   // E[S·W]
	setupWaitMean        float64   // mean wait if set-up is waited for
	lambda, wait, second float64
}

// run simulates n events: Lindley's recursion on the earliest free server.
func (q queue) run(n int, seed uint64) observed {
	r := rand.New(rand.NewPCG(seed, 1))
	free := make([]float64, q.servers)
	var o observed
	now, busy, setups, last := 0.0, 0.0, 0.0, 0.0
	left := 0
	for range n {
		if left == 0 {
			now, left, last = now+q.gap.Sample(r), q.batch(r), -1
		}
		left--
		i := earliest(free)
		start, work := max(free[i], now), q.service.Sample(r)
		w := start - now
		if free[i] <= now {
			last = q.setup.Sample(r)
			work += last
			setups += last
		} else {
			busy++
			o.busyMean += work
		}
		free[i] = start + work
		o.waits = append(o.waits, w)
		o.allSecond += work * work
		o.serviceTimesWait += work * w
		o.wait += w
		o.second += w * w
	}
	k := float64(n)
	o.setupWaitMean = (o.wait + setups) / k
	o.busyMean /= busy
	o.allSecond, o.serviceTimesWait, o.wait, o.second = o.allSecond/k, o.serviceTimesWait/k, o.wait/k, o.second/k
	o.lambda = k / now
	return o
}

func (q queue) batch(r *rand.Rand) int {
	if q.size == nil {
		return 1
	}
	return q.size(r)
}

func earliest(free []float64) int {
	best := 0
	for i, t := range free {
		if t < free[best] {
			best = i
		}
	}
	return best
}

func single(t testing.TB, gap, service string) queue {
	return queue{gap: law(t, gap), service: law(t, service), setup: law(t, "0"), servers: 1}
}

// events is enough of them for a mean wait to 1 % or so: successive waits
// stay alike for some 1/(1−ρ)² events.
func events(rho float64) int { return int(250_000 / (1 - rho)) }

// Measured mean waits agree with the exact formulas within 4 %, the squares
// within 15 %: some three standard errors of the worst row (ρ = 0.8, SCV 4).
// The p99 is an approximation, coarser where few events wait.
func TestMG1AgainstSimulation(t *testing.T) {
	for _, service := range []string{"1", "exp(1)", "hyperexp(1,4)", "lognormal(1,2)"} {
		for _, rho := range []float64{0.2, 0.5, 0.8} {
			q := single(t, "1", service)
			q.gap, _ = dist.Exp(1 / rho)
			o := q.run(events(rho), 3)
			m := moments(q.service)
			check(t, "MG1 of "+service, o.wait, value(func() (float64, error) { return MG1(rho, m) }), 0.04)
			check(t, "MG1Second of "+service, o.second, value(func() (float64, error) { return MG1Second(rho, m) }), 0.15)
			check(t, "Workload of "+service, o.wait, value(func() (float64, error) {
				return Workload(o.lambda, o.serviceTimesWait, o.allSecond)
			}), 0.02)
			slices.Sort(o.waits)
			check(t, "MG1Quantile of "+service, o.waits[len(o.waits)*99/100], value(func() (float64, error) { return MG1Quantile(rho, m, 0.99) }), 0.05+0.03/rho)
		}
	}
}

func check(t *testing.T, what string, measured float64, formula value, tolerance float64) {
	t.Helper()
	want, err := formula()
	if err != nil || !near(measured, want, tolerance) {
		t.Errorf("%s: simulated %.4f, formula %.4f (%+.1f %%), %v", what, measured, want, 100*(measured/want-1), err)
	}
}

// A wake-up of many times the work, as measured in real workers: plain
// Pollaczek–Khinchine is far off, Welch is not.
func TestSetupAgainstSimulation(t *testing.T) {
	for _, rho := range []float64{0.2, 0.5, 0.8} {
		q := single(t, "1", "gamma(1,0.5)")
		q.gap, _ = dist.Exp(1 / rho)
		q.setup = law(t, "uniform(4,8)")
		o := q.run(events(rho), 4)
		s, u := moments(q.service), moments(q.setup)
		first := Moments{Mean: s.Mean + u.Mean, Second: s.Second + 2*s.Mean*u.Mean + u.Second}
		check(t, "Welch", o.wait, func() (float64, error) { return Welch(rho, first, s) }, 0.02)
		check(t, "WelchMixed", o.wait, func() (float64, error) { return WelchMixed(o.lambda, o.busyMean, o.allSecond) }, 0.02)
		if plain, _ := MG1(rho, s); near(o.wait, plain, 0.15) {
			t.Errorf("ρ = %v: plain P–K %v is not told from the set-up's %v", rho, plain, o.wait)
		}
	}
}

// Batches of geometric and of fixed size, with and without set-up, counted as
// service and as wait.
func TestBatchesAgainstSimulation(t *testing.T) {
	geometric := func(r *rand.Rand) int { // mean 3, E[X²] = (2−p)/p² = 15
		return 1 + int(math.Log(1-r.Float64())/math.Log(2./3))
	}
	four := func(*rand.Rand) int { return 4 }
	for _, c := range []struct {
		why   string
		size  func(*rand.Rand) int
		x     Moments
		setup string
	}{
		{"geometric, no set-up", geometric, Moments{3, 15, 0}, "0"},
		{"geometric, set-up", geometric, Moments{3, 15, 0}, "exp(5)"},
		{"fours, set-up", four, Moments{4, 16, 0}, "5"},
	} {
		for _, rho := range []float64{0.3, 0.7} {
			q := single(t, "1", "gamma(1,0.5)")
			q.gap, _ = dist.Exp(c.x.Mean / rho)
			q.size, q.setup = c.size, law(t, c.setup)
			o := q.run(events(rho), 5)
			b := Batches{rho, moments(q.service), c.x, moments(q.setup)}
			check(t, c.why+", set-up served", o.wait, func() (float64, error) { return MXG1SetupServed(b) }, 0.03)
			check(t, c.why+", set-up waited for", o.setupWaitMean, func() (float64, error) { return MXG1Setup(b) }, 0.03)
		}
	}
}

// M/M/m is exact. Lee and Longton come within 6 % for two servers or ρ = 0.8
// and c² ≤ 1, and are worse for more servers at light load, where hardly any
// event waits: for eight at ρ = ½ the wait is a hundredth of the service.
func TestMGmAgainstSimulation(t *testing.T) {
	for _, c := range []struct {
		service   string
		tolerance [3]float64 // of 2 servers at ρ = ½, 2 at 0.8, 8 at 0.8
	}{
		{"exp(1)", [3]float64{0.03, 0.04, 0.04}},
		{"1", [3]float64{0.06, 0.03, 0.10}},
		{"gamma(1,0.5)", [3]float64{0.05, 0.05, 0.09}},
		{"hyperexp(1,4)", [3]float64{0.10, 0.06, 0.20}},
	} {
		for i, rho := range []float64{0.5, 0.8, 0.8} {
			m := []int{2, 2, 8}[i]
			q := single(t, "1", c.service)
			q.gap, _ = dist.Exp(1 / (rho * float64(m)))
			q.servers = m
			o := q.run(events(rho), 6)
			check(t, "MGm of "+c.service, o.wait, func() (float64, error) { return MGm(rho*float64(m), moments(q.service), m) }, c.tolerance[i])
		}
	}
}

// Allen and Cunneen are an approximation: within 15 % at ρ = 0.8.
func TestGG1AgainstSimulation(t *testing.T) {
	for _, gap := range []string{"gamma(1.25,0.5)", "gamma(1.25,2)", "exp(1.25)"} {
		for _, service := range []string{"exp(1)", "gamma(1,0.5)", "lognormal(1,2)"} {
			q := single(t, gap, service)
			o := q.run(700_000, 7)
			check(t, "GG1 of "+gap+" "+service, o.wait, func() (float64, error) {
				return GG1(0.8, q.gap.SCV(), moments(q.service))
			}, 0.15)
		}
	}
}

// Round robin over eight workers makes each slice Erlang-8, and the wait falls
// from 4.0 to 2.0: why schedules are thinned at random.
func TestRoundRobinBreaksTheModel(t *testing.T) {
	for gap, want := range map[string]float64{"exp(1.25)": 4, "gamma(1.25,0.125)": 2} {
		o := single(t, gap, "exp(1)").run(1_000_000, 8)
		if !near(o.wait, want, 0.05) {
			t.Errorf("gaps %s: wait %v, want %v", gap, o.wait, want)
		}
	}
}
