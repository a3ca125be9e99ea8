package arrival

import (
	"fmt"
	"math/rand/v2"

	"tare/analysis/dist"
)

// stream keeps the random numbers of schedules apart from other uses of the
// same seed. It is part of the contract: changing it changes every schedule.
const stream = 0x7461726520617272 // "tare arr"

// Cursor walks one slice of a schedule in order. It computes instants as they
// are asked for, without allocating. It is not safe for concurrent use.
//
// Gaps are drawn by package dist (inverse transform for Poisson, Marsaglia and
// Tsang for gamma) from the PCG generator of math/rand/v2 seeded with (Seed,
// stream), and rounded to whole nanoseconds before they are summed, so that
// sums are exact and the schedule is the same everywhere. The first arrival
// comes after one gap.
type Cursor struct {
	spec            Spec
	worker, workers int

	next, stride int64 // index to look at next, and its step
	at           int64 // instant of the arrival before, for drawn gaps
	grid         grid
	gap          dist.Dist
	rand         *rand.Rand
}

// Slice returns the arrivals of one worker, 0 ≤ worker < workers. The slices
// of all workers merge to exactly Slice(0, 1). It panics on a Spec that
// Validate refuses or a worker out of range.
func (s Spec) Slice(worker, workers int) *Cursor {
	if worker < 0 || worker >= workers {
		panic(fmt.Sprintf("arrival: worker %d of %d", worker, workers))
	}
	if faults := s.Validate(); faults != nil {
		panic(fmt.Sprintf("arrival: invalid Spec: %v", faults))
	}
	c := &Cursor{spec: s, worker: worker, workers: workers, stride: 1}
	switch s.Law {
	case Constant:
		c.grid, c.next, c.stride = s.Rate.grid(), int64(worker), int64(workers)
	case Poisson, Gamma:
		var err error
		if c.gap, err = s.gaps(); err != nil {
			panic(fmt.Sprintf("arrival: gaps of a valid Spec: %v", err))
		}
		c.rand = rand.New(rand.NewPCG(s.Seed, stream))
	}
	return c
}

// Next returns the next arrival of the slice, or false at its end.
func (c *Cursor) Next() (Arrival, bool) {
	for {
		a, ok := c.step()
		if !ok || !c.spec.within(a) {
			return Arrival{}, false
		}
		if c.stride > 1 || c.spec.Owner(a.Index, c.workers) == c.worker {
			return a, true
		}
	}
}

// step returns the arrival at the next index, false past the end of a trace.
func (c *Cursor) step() (Arrival, bool) {
	a := Arrival{Index: c.next}
	switch c.spec.Law {
	case Constant:
		a.At = c.grid.instant(c.next)
	case Trace:
		if c.next == int64(len(c.spec.Trace)) {
			return a, false
		}
		a.At = c.spec.Trace[c.next]
	default:
		c.at = add(c.at, c.gap.Int(c.rand))
		a.At = c.at
	}
	c.next += c.stride
	return a, true
}

// hash mixes a seed and an index by two rounds of the SplitMix64 finaliser
// (Steele, Lea and Flood, 2014).
func hash(seed, index uint64) uint64 {
	return mix(mix(seed+golden) + golden*(index+1))
}

const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
