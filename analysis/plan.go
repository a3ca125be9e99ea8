package analysis

import (
	"fmt"
	"math"

	"tare/ipc"
)

// plan is what a step was to send, as far as it fell due.
type plan struct {
	planned  int64 // arrivals
	lost     int64 // of them, those without a record
	inWindow int64 // of them, those due in the steady window
	end      int64 // of the steady window, ns after the run epoch
}

// rate is a count over the length of the steady window of a step, per second;
// nil where it has no length or fewer than two requests were sent in it.
func (s *step) rate(count float64, p plan, sent int) *float64 {
	if p.end <= s.from || sent < 2 {
		return nil
	}
	return new(count / (float64(p.end-s.from) / nsPerSecond))
}

// ending tells how a step came to its end.
type ending struct {
	at        int64 // instant after which a worker without Done sends nothing, ns after the run epoch
	over      bool  // the step is over: what has no record never will
	truncated bool  // somebody stopped the run, or the file was cut off
}

// ending finds the end of the step that stands at place i of the file: the
// begin of the next step; the run's interruption or its end; in a file without
// an End frame, the newest instant on it.
func (f *file) ending(i int) ending {
	end := f.run.End
	switch {
	case i+1 < len(f.order):
		return ending{at: f.order[i+1].offset, over: true}
	case end == nil:
		return ending{at: f.newest, truncated: true}
	case end.Interrupted > 0:
		return ending{at: end.Interrupted, over: true, truncated: true}
	}
	return ending{at: end.At, over: true}
}

// stop is the instant up to which, inclusive, a worker's arrivals are planned.
//
//   - A worker that reported Done without having been stopped has sent all of
//     its slice, and all of it is planned.
//   - One that was stopped says in Done.Ended how far it went. Workers hear of
//     a stop at different instants, so each has its own.
//   - One without Done died, or the file was cut off: its arrivals are planned
//     up to the step's ending.
//
// A record is evidence that its arrival fell due: a stop is never before the
// newest scheduled instant of the worker's records.
func (w *worker) stop(e ending) int64 {
	at := e.at
	if w.done != nil {
		at = math.MaxInt64
		if w.done.Stopped {
			at = w.done.Ended
		}
	}
	return max(at, w.scheduled)
}

// plan walks the schedule of an open loop, or counts the requests of a closed
// one, and compares it with the records.
func (s *step) plan(e ending) (plan, error) {
	s.indices.Sort()
	for i := int64(1); i < s.indices.Len(); i++ {
		if s.indices.At(i) == s.indices.At(i-1) {
			return plan{}, fmt.Errorf("arrival %d is on file twice", s.indices.At(i))
		}
	}
	if s.load.Open() {
		return s.planOpen(e)
	}
	return s.planClosed(e)
}

// planOpen counts the arrivals that are due by their worker's stop. Records
// and arrivals both come in the order of their index, so that one look at the
// next record tells whether an arrival has one.
func (s *step) planOpen(e ending) (plan, error) {
	stops := make([]int64, s.children)
	latest := int64(math.MinInt64)
	for id := range stops {
		stops[id] = s.worker(id).stop(e)
		latest = max(latest, stops[id])
	}
	p, next := plan{end: s.from}, int64(0)
	schedule := s.spec.Slice(0, 1)
	for a, ok := schedule.Next(); ok && s.offset+a.At <= latest; a, ok = schedule.Next() {
		due := s.offset + a.At
		if due > stops[s.spec.Owner(a.Index, len(stops))] {
			continue
		}
		p.planned++
		if due >= s.from {
			p.inWindow++
		}
		p.end = max(p.end, due)
		if next < s.indices.Len() && s.indices.At(next) == a.Index {
			next++
		} else {
			p.lost++
		}
	}
	if next < s.indices.Len() {
		return p, fmt.Errorf("arrival %d is on file, but not in the plan", s.indices.At(next))
	}
	return p, nil
}

// planClosed counts the requests that were started: those with a record, or as
// many as the worker last said it had sent. If the step was to send a number of
// requests and was not cut short, they are planned, started or not. The window
// ends when the sending did.
func (s *step) planClosed(e ending) (plan, error) {
	p, whole := plan{end: s.from}, e.over && !e.truncated
	for _, w := range s.workers {
		p.planned += max(w.records, w.last.Sent)
		p.end = max(p.end, w.scheduled)
		if w.done != nil {
			p.end = max(p.end, w.done.Ended)
			whole = whole && !w.done.Stopped
		}
	}
	if n := s.load.Requests; n > 0 && s.load.Duration == 0 && whole {
		p.planned = n
	}
	p.lost = p.planned - s.indices.Len()
	p.inWindow = s.started + p.lost
	if p.lost < 0 {
		return p, fmt.Errorf("%d requests are on file, more than the %d planned", s.indices.Len(), p.planned)
	}
	return p, nil
}

// ledger counts every planned arrival once.
func (s *step) ledger(p plan) ipc.Ledger {
	failed := s.failed()
	return ipc.Ledger{Planned: p.planned, Sent: s.ok + failed, OK: s.ok, Failed: failed, Dropped: s.dropped, Lost: p.lost}
}
