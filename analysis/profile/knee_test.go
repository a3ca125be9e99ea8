package profile

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"testing"

	"tare/ipc"
)

// batch is a server that slows with its load, as a batching engine does: the
// time between two of a request's tokens is itl + perActive·(requests in
// service), and the first token comes at once. It serves slots requests at a
// time; 0: all.
//
// With N tokens a request and no slots it is processor sharing: each of n
// requests advances at a rate of 1/(itl + k·n), k = perActive. Such a server is
// insensitive to the law of the work, and for Poisson arrivals at λ its number
// of requests has the product form
//
//	π(n) ∝ Π_{i≤n} λ(N−1)(itl + k·i)/i,
//
// a negative binomial law of mean λ(N−1)(itl+k)/(1−ρ), ρ = λ(N−1)k. By Little
// the mean E2E is the hyperbola
//
//	E(λ) = (N−1)(itl+k) / (1 − λ/λ*),   λ* = 1/((N−1)k),
//
// and λ* is the capacity. With c slots that are all taken each request is
// served in (N−1)(itl + k·c), and the capacity is c over that.
type batch struct {
	tokens         int
	itl, perActive int64 // ns
	slots          int
}

func (b batch) begin(*rand.Rand) process { return &batching{batch: b} }

// batching is a heap of the requests in service by their next token.
type batching struct {
	batch
	active  []*inService
	waiting []int64
	ended   []served
}

type inService struct {
	at, next int64
	left     int
}

func (b *batching) Len() int           { return len(b.active) }
func (b *batching) Less(i, j int) bool { return b.active[i].next < b.active[j].next }
func (b *batching) Swap(i, j int)      { b.active[i], b.active[j] = b.active[j], b.active[i] }
func (b *batching) Push(x any)         { b.active = append(b.active, x.(*inService)) }
func (b *batching) Pop() any {
	last := b.active[len(b.active)-1]
	b.active = b.active[:len(b.active)-1]
	return last
}

func (b *batching) arrive(at int64) {
	b.advance(at)
	if b.slots > 0 && len(b.active) == b.slots {
		b.waiting = append(b.waiting, at)
		return
	}
	b.start(at, at)
}

// start serves a request from an instant on.
func (b *batching) start(at, now int64) {
	heap.Push(b, &inService{at: at, next: now + b.gap(len(b.active)+1), left: b.tokens - 1})
}

func (b *batching) gap(active int) int64 { return b.itl + b.perActive*int64(active) }

// advance sends the tokens that are due by t.
func (b *batching) advance(t int64) {
	for len(b.active) > 0 && b.active[0].next <= t {
		s := b.active[0]
		now := s.next
		if s.left--; s.left > 0 {
			s.next += b.gap(len(b.active))
			heap.Fix(b, 0)
			continue
		}
		heap.Pop(b)
		b.ended = append(b.ended, served{s.at, now, ipc.OK})
		if len(b.waiting) > 0 {
			b.start(b.waiting[0], now)
			b.waiting = b.waiting[1:]
		}
	}
}

func (b *batching) until(t int64) []served {
	b.advance(t)
	ended := b.ended
	b.ended = nil
	return ended
}

// ten tokens after the first, 1 ms for each request in service: λ* = 100/s.
var engine = batch{tokens: 11, itl: 2e6, perActive: 1e6}

// rungs are the settings of a ladder with steps of so many seconds.
func rungs(from, to float64, steps int, length float64) ipc.Profile {
	p := auto(from, to)
	p.Scale, p.Steps = Linear, steps
	p.StepDuration, p.MinStep, p.MaxStep = seconds(length), seconds(length), seconds(length)
	return p
}

// The virtual engine follows the hyperbola E(λ) = 30 ms/(1 − λ/100).
func TestEngineFollowsItsClosedForm(t *testing.T) {
	b := bench{t: t, p: rungs(20, 80, 4, 400), arrival: "poisson", server: engine, seed: 1}
	for _, s := range b.play() {
		want := 30 / (1 - s.load()/100)
		if got := *s.Summary.Latency.E2E.Wire.Mean; math.Abs(got-want) > 0.05*want {
			t.Errorf("at %g/s: mean E2E %.1f ms, want %.1f", s.load(), got, want)
		}
	}
}

// Kneedle on the hyperbola E(λ) = A/(1 − λ/λ*) from x₀ to x₁: the knee is where
// the curve is farthest below its chord, which is where its slope is the
// chord's:
//
//	(A/λ*)/(1 − λ/λ*)² = (A/λ*)/((1 − x₀/λ*)(1 − x₁/λ*)),
//
// so that 1 − λ/λ* is the geometric mean of its values at both ends. With λ* =
// 100 and steps from 10 to 90 it is √(0.9·0.1) = 0.3: a knee at 70/s.
func TestKneeOfAnEngine(t *testing.T) {
	b := bench{t: t, p: rungs(10, 90, 9, 200), arrival: "poisson", server: engine, seed: 2}
	r := Conclude(b.p, b.slo, b.play())
	k := r.Knee
	if k.Rate == nil || *k.Lo > 70 || *k.Hi < 70 {
		t.Fatalf("knee %v, %s", k.Rate, k.Note)
	}
	t.Logf("knee at %g (%g to %g)", *k.Rate, *k.Lo, *k.Hi)
}

// With 32 slots the engine serves 32/(10·(2+32) ms) = 94.1/s, and its knee is
// not its capacity.
func TestCapacityOfAnEngine(t *testing.T) {
	limited := engine
	limited.slots = 32
	b := bench{t: t, p: auto(20, 400), arrival: "poisson", server: limited, seed: 1}
	got := Conclude(b.p, b.slo, b.play()).Capacity
	if want := 32 / 0.34; got.LimitedBy != ByServer || *got.Lo > want || *got.Hi < want || *got.Hi-*got.Lo > 0.05*want {
		t.Errorf("capacity %s by %s, want %.2f; %q", show(got), got.LimitedBy, want, got.Notes)
	}
}

func TestKneedle(t *testing.T) {
	grid := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	curve := func(f func(float64) float64) []float64 {
		y := make([]float64, len(grid))
		for i, x := range grid {
			y[i] = f(x)
		}
		return y
	}
	for _, c := range []struct {
		why  string
		f    func(float64) float64
		want float64 // −1: none
	}{
		{"a hockey stick has it at its bend", func(x float64) float64 { return max(1, 5*(x-8)) }, 8},
		// 1/(11−x) from 0 to 10: 11−x = √(11·1) = 3.3, x = 7.7, nearest 8.
		{"a hyperbola, by the geometric mean", func(x float64) float64 { return 1 / (11 - x) }, 8},
		// x² from 0 to 10: slope 2x = 10 at 5.
		{"a parabola", func(x float64) float64 { return x * x }, 5},
		{"a line has none", func(x float64) float64 { return x }, -1},
		{"nor has a curve that flattens", math.Sqrt, -1},
	} {
		at, ok := kneedle(grid, curve(c.f), 1)
		if ok != (c.want >= 0) || ok && grid[at] != c.want {
			t.Errorf("%s: at %g, %v; want %g", c.why, grid[at], ok, c.want)
		}
	}
}

// What has no knee says why.
func TestNoKnee(t *testing.T) {
	flat := bench{t: t, p: rungs(10, 60, 6, 10), arrival: "constant", server: queue{slots: 8, service: "100ms"}}
	short := bench{t: t, p: rungs(10, 60, 3, 10), arrival: "constant", server: queue{slots: 8, service: "100ms"}}
	for want, b := range map[string]bench{
		"the latency rises by less than 25 %": flat, "3 points are no curve, 5 are": short,
	} {
		if k := Conclude(b.p, b.slo, b.play()).Knee; k.Rate != nil || k.Note != want {
			t.Errorf("knee %v, %q; want %q", k.Rate, k.Note, want)
		}
	}
}
