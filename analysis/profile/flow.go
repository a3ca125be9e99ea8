package profile

import (
	"cmp"
	"slices"

	"tare/analysis/metrics"
	"tare/ipc"
)

// A Flow is what came to a server and what left it during one step of an open
// or a closed loop. Instants are ns after the run epoch.
type Flow struct {
	begin   int64 // the step's epoch
	slo     ipc.SLO
	due     []int64 // arrivals that fell due
	over    []int64 // requests that ended, however, and arrivals that were dropped
	ok      []int64 // requests that succeeded
	refused []int64 // requests that failed, and arrivals that were dropped
	spans   []span  // requests that were sent and ended
	first   []span  // from sending to the first output event
	lags    []int64 // from due to sent, of all that was sent, whatever became of it
	ended   []int64 // due times of arrivals that ended or never will
	good    []int64 // due times of requests that met the SLO
}

// span is the time from one instant to another.
type span struct{ from, to int64 }

// NewFlow returns the flow of a step whose epoch is begin.
func NewFlow(begin int64, slo ipc.SLO) *Flow { return &Flow{begin: begin, slo: slo} }

// Due books an arrival that fell due. Whoever looks at a step while it runs
// books arrivals by the schedule: those in flight have no record yet.
func (f *Flow) Due(at int64) { f.due = append(f.due, at) }

// End books how an arrival ended. A success ends with the kernel's stamp of
// its last output event, so that a client which lags does not look like a
// server which does. What was cut off at the step's end never ended.
func (f *Flow) End(r *ipc.Record, unary bool) {
	f.ended = append(f.ended, r.Scheduled)
	if r.Class != ipc.Dropped {
		f.lags = append(f.lags, r.Sent-r.Scheduled)
	}
	switch r.Class {
	case ipc.Cancelled:
	case ipc.Dropped:
		f.over = append(f.over, r.Scheduled)
		f.refused = append(f.refused, r.Scheduled)
	case ipc.OK:
		f.succeed(metrics.NewRequest(r, unary))
	default:
		f.over = append(f.over, r.Done)
		f.refused = append(f.refused, r.Done)
		f.spans = append(f.spans, span{r.Scheduled, r.Done})
	}
}

func (f *Flow) succeed(q metrics.Request) {
	end := q.Done
	if e, ok := q.Last(); ok {
		end = e.Arrival
	}
	f.over = append(f.over, end)
	f.ok = append(f.ok, end)
	f.spans = append(f.spans, span{q.Scheduled, end})
	if q.Meets(f.slo) {
		f.good = append(f.good, q.Scheduled)
	}
	if e, ok := q.First(); ok {
		f.first = append(f.first, span{q.Sent, e.Arrival})
	}
}

// sort brings everything in the order of time.
func (f *Flow) sort() {
	for _, x := range [][]int64{f.due, f.over, f.ok, f.refused, f.lags} {
		slices.Sort(x)
	}
	for _, x := range [][]span{f.spans, f.first} {
		slices.SortFunc(x, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	}
}

// inFlight returns the mean number of requests in flight over each of n pieces
// of [from, to).
func (f *Flow) inFlight(from, to int64, n int) []float64 {
	y, over := levels(f.due, from, to, n), levels(f.over, from, to, n)
	for i := range y {
		y[i] -= over[i]
	}
	return y
}

// counts returns how many instants lie in each of n pieces of [from, to).
func counts(instants []int64, from, to int64, n int) []float64 {
	c := make([]float64, n)
	lo, _ := slices.BinarySearch(instants, from)
	for _, at := range instants[lo:] {
		if at >= to {
			break
		}
		c[int(float64(at-from)/float64(to-from)*float64(n))]++
	}
	return c
}

// within is how many instants lie in [from, to).
func within(instants []int64, from, to int64) int {
	lo, _ := slices.BinarySearch(instants, from)
	hi, _ := slices.BinarySearch(instants, to)
	return max(hi-lo, 0)
}

// unloaded is about the time that a request takes on an idle server: the
// median of the first arrivals, which found the server so or nearly. False
// while most of them have not ended by to.
func (f *Flow) unloaded(to int64) (int64, bool) {
	if len(f.due) < firstRequests {
		return 0, false
	}
	last := f.due[firstRequests-1]
	var took []int64
	for _, s := range f.spans {
		if s.from > last {
			break
		}
		if s.to <= to {
			took = append(took, s.to-s.from)
		}
	}
	if len(took) <= firstRequests/2 {
		return 0, false
	}
	slices.Sort(took)
	return took[firstRequests/2], true
}

// firstRequests are few, so that also a server of few slots serves most of
// them without a wait.
const firstRequests = 5
