package capacity

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tare/analysis/dist"
	"tare/analysis/queueing"
)

// Exponential service and no set-up: P(W > t) = ρe^{−(μ−λ)t}, so that the p99 is
// ln(ρ/0.01)/(μ−λ). Moments of exp(1) are 1, 2, 6.
func TestQuantileOfMM1(t *testing.T) {
	service := queueing.Moments{Mean: 1, Second: 2, Third: 6}
	for _, rho := range []float64{0.1, 0.5, 0.8, 0.95} {
		got, err := queue{rho, service, service}.quantiles(0.99)
		want := math.Log(rho/0.01) / (1 - rho)
		if err != nil || math.Abs(got[0]/want-1) > 1e-6 || rho > 0.1 && got[1] < 1.1*want {
			t.Errorf("ρ = %v: p99 %v (%v), want %v and more with the last first", rho, got, err, want)
		}
	}
	if got, err := (queue{0.005, service, service}).quantiles(0.99); got[0] != 0 || got[1] != 0 || err != nil {
		t.Errorf("one in 200 waits: p99 %v (%v), want 0", got, err)
	}
	if _, err := (queue{1, service, service}).quantiles(0.99); !errors.Is(err, queueing.ErrUnstable) {
		t.Errorf("ρ = 1: %v, want unstable", err)
	}
}

// simulate are the waits of a queue in virtual time, sorted.
func simulate(lambda float64, lastFirst bool, first, rest func(*rand.Rand) float64) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 400_000
	var queue, waits []float64 // arrivals that wait, oldest first
	next, free := r.ExpFloat64()/lambda, 0.0
	for len(waits) < n {
		for ; next <= free; next += r.ExpFloat64() / lambda {
			queue = append(queue, next)
		}
		if len(queue) == 0 { // it idles until the next one comes
			waits, free = append(waits, 0), next+first(r)
			next += r.ExpFloat64() / lambda
			continue
		}
		i := 0
		if lastFirst {
			i = len(queue) - 1
		}
		waits = append(waits, free-queue[i])
		free += rest(r)
		queue = slices.Delete(queue, i, i+1)
	}
	slices.Sort(waits)
	return waits
}

// A worker of events of 6 µs (gamma, SCV 2) and sends of 30 µs, each 20 µs
// (exponential) longer at an idle worker: the law finds what a simulation does.
func TestWaitAgainstSimulation(t *testing.T) {
	work, err := dist.Parse("gamma(6us,2)", dist.Duration)
	if err != nil {
		t.Fatal(err)
	}
	const sends, setup, events = 30, 20, 10
	rest := func(r *rand.Rand) float64 {
		if r.IntN(1+events) == 0 {
			return sends
		}
		return work.Sample(r) / 1e3
	}
	first := func(r *rand.Rand) float64 { return rest(r) + setup*r.ExpFloat64() }
	// E[(S+U)²] = 36·3 + 2·6·20 + 2·400
	l := Law{ServiceMean: 6, ServiceSecond: 36 * 3, IdleMean: 26, IdleSecond: 36*3 + 240 + 800, Send: sends, WaitFactor: 1}
	for _, load := range []float64{0.3, 0.6, 0.8} {
		rate := load / (10*6 + sends) * 1e6
		w, err := l.wait(rate, events)
		if err != nil {
			t.Fatal(err)
		}
		for _, lastFirst := range []bool{false, true} {
			waits := simulate(rate/1e6*(1+events), lastFirst, first, rest)
			mean := 0.0
			for _, x := range waits {
				mean += x / float64(len(waits))
			}
			got, want := w.inOrder, waits[len(waits)*99/100]
			if lastFirst {
				got = w.lastFirst
			}
			if math.Abs(w.mean/mean-1) > 0.05 || math.Abs(got/want-1) > 0.12 {
				t.Errorf("load %v, last first %t: mean %.1f and p99 %.1f, simulated %.1f and %.1f", load, lastFirst, w.mean, got, mean, want)
			}
		}
	}
}

func TestNoWaitBeyondCapacity(t *testing.T) {
	l := Law{ServiceMean: 6, ServiceSecond: 40, IdleMean: 6, IdleSecond: 40, Send: 40, WaitFactor: 1}
	if _, err := l.wait(10_100, 10); !errors.Is(err, queueing.ErrUnstable) {
		t.Errorf("100 µs of work 10,100 times a second: %v, want unstable", err)
	}
}
