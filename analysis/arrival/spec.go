package arrival

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"tare/analysis/dist"
)

// Bounds of Spec.Burstiness. At the lower one nearly all gaps are zero, at
// the upper one the process is constant to 0.1 %.
const (
	MinBurstiness = 1e-3
	MaxBurstiness = 1e6
)

// Spec is the whole of an open-loop schedule: two equal Specs give the same
// instants on every machine. Its methods ask for a Spec that Validate accepts.
type Spec struct {
	Law  Law  `json:"law"`
	Rate Rate `json:"rate,omitzero"` // mean requests a second; none with a Trace

	// Burstiness is the shape of the gamma law, as in vLLM: the gaps have
	// SCV 1/Burstiness, so 1 is Poisson and less is burstier. 0 or 1 for
	// the other laws, which have no such parameter.
	Burstiness float64 `json:"burstiness,omitzero"`

	Seed uint64 `json:"seed"`

	// Duration bounds the schedule: arrivals at Duration or later are not
	// part of it. Requests, when above 0, takes its place: the schedule is
	// the first Requests arrivals, however long they take. A Trace needs
	// neither.
	Duration time.Duration `json:"duration_ns,omitzero"`
	Requests int64         `json:"requests,omitzero"`

	// Trace holds the instants of the Trace law, ns after the epoch, in
	// order; nil otherwise.
	Trace []int64 `json:"trace_ns,omitempty"`
}

// Validate returns every fault of the Spec, nil if there is none.
func (s Spec) Validate() []error {
	var faults []error
	fault := func(bad bool, text string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(text, args...))
		}
	}
	generated := s.Law != Trace
	fault(s.Law > Trace, "arrival law %d is unknown", uint8(s.Law))
	fault(generated && s.Rate.IsZero(), "arrival law %v needs a rate", s.Law)
	fault(!generated && !s.Rate.IsZero(), "a trace has its own rate; leave the rate out")
	fault(s.Duration < 0, "duration %v is negative", s.Duration)
	fault(s.Requests < 0, "number of requests %d is negative", s.Requests)
	fault(generated && s.Duration == 0 && s.Requests == 0, "give a duration or a number of requests")
	return slices.Concat(faults, s.burstinessFaults(), s.traceFaults())
}

func (s Spec) burstinessFaults() []error {
	switch {
	case s.Law == Gamma && !(s.Burstiness >= MinBurstiness && s.Burstiness <= MaxBurstiness):
		return []error{fmt.Errorf("burstiness %v is out of range; write a gamma shape from %v to %v", s.Burstiness, MinBurstiness, MaxBurstiness)}
	case s.Law != Gamma && s.Burstiness != 0 && s.Burstiness != 1:
		return []error{fmt.Errorf("burstiness %v has no meaning for arrival law %v; only gamma takes it", s.Burstiness, s.Law)}
	}
	return nil
}

func (s Spec) traceFaults() []error {
	n := int64(len(s.Trace))
	switch {
	case s.Law != Trace && n > 0:
		return []error{fmt.Errorf("arrival law %v takes no trace", s.Law)}
	case s.Law != Trace:
		return nil
	case n == 0:
		return []error{errors.New("the trace is empty")}
	case s.Trace[0] < 0 || !slices.IsSorted(s.Trace):
		return []error{errors.New("the trace must hold instants from 0 in rising order")}
	case s.Requests > n:
		return []error{fmt.Errorf("the trace has %d arrivals, fewer than the %d requests asked for", n, s.Requests)}
	}
	return nil
}

// Arrival is one point of the schedule.
type Arrival struct {
	Index int64 // from 0, over the whole schedule
	At    int64 // scheduled instant, ns after the epoch
}

// Owner returns the worker, from 0 to workers−1, that arrival index belongs
// to. It does not depend on the rate or the duration.
func (s Spec) Owner(index int64, workers int) int {
	if s.Law == Constant {
		return int(index % int64(workers))
	}
	return int(hash(s.Seed, uint64(index)) % uint64(workers))
}

// Count returns how many arrivals of the schedule are due before until (ns
// after the epoch). It takes time proportional to the answer unless the law is
// Constant.
func (s Spec) Count(until int64) int64 {
	if s.Law == Constant {
		return min(s.Rate.grid().before(until), s.total())
	}
	c := s.Slice(0, 1)
	n := int64(0)
	for a, ok := c.Next(); ok && a.At < until; a, ok = c.Next() {
		n++
	}
	return n
}

// Last returns the last arrival of the schedule, the end of a run's steady
// window; false if the schedule is empty.
func (s Spec) Last() (last Arrival, found bool) {
	if s.Law == Constant {
		n := s.total()
		return Arrival{Index: n - 1, At: s.Rate.grid().instant(n - 1)}, n > 0
	}
	c := s.Slice(0, 1)
	for a, ok := c.Next(); ok; a, ok = c.Next() {
		last, found = a, true
	}
	return last, found
}

// total returns the number of arrivals of a Constant schedule.
func (s Spec) total() int64 {
	if s.Requests > 0 {
		return s.Requests
	}
	return s.Rate.grid().before(int64(s.Duration))
}

// within reports whether a comes before the end of the schedule.
func (s Spec) within(a Arrival) bool {
	if s.Requests > 0 {
		return a.Index < s.Requests
	}
	return a.At < int64(s.Duration) || s.Law == Trace && s.Duration == 0
}

// gaps returns the law of the time between arrivals, in ns.
func (s Spec) gaps() (dist.Dist, error) {
	mean := rateUnit / s.Rate.Float64()
	if s.Law == Gamma {
		return dist.Gamma(mean, 1/s.Burstiness)
	}
	return dist.Exp(mean)
}

// add returns a + b for nonnegative numbers, at most the largest int64.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Share returns the part of total that worker of workers takes in a closed
// loop; the parts differ by at most one and sum to total.
func Share(total int64, worker, workers int) int64 {
	part := total / int64(workers)
	if int64(worker) < total%int64(workers) {
		part++
	}
	return part
}
