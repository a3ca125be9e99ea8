package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"tare/analysis/arrival"
	"tare/analysis/metrics"
	"tare/analysis/ntpot"
	"tare/ipc"
)

// step collects one step of load. Instants are ns after the run epoch.
type step struct {
	number   int
	offset   int64 // of the step's epoch
	load     ipc.Load
	settings *ipc.Settings
	children int          // worker processes, by which schedules and shares are cut
	spec     arrival.Spec // of an open loop
	from     int64        // begin of the steady window

	workers map[int]*worker
	indices metrics.Column // of all records
	ok      int64
	dropped int64
	errors  map[ipc.Class]int64
	empty   int64

	latency metrics.LatencyCollector
	sums    ntpot.Sums
	aim     *aim // nil without a goal
	tokens  metrics.Tokens
	usage   int64          // tokens of requests that succeeded, by usage
	counted int64          // of the same requests, by their events
	output  *metrics.Meter // tokens by kernel stamp
	sends   []send         // from the begin of the window, then in order of due
	ends    metrics.Column // of requests that succeeded
	good    int64          // requests that met every SLO, scheduled in the window
	started int64          // records scheduled in the window
}

// send is one request's due time and its sending.
type send struct{ due, sent int64 }

// worker is one worker's part of a step.
type worker struct {
	id        int
	done      *ipc.Done
	last      ipc.Progress // the newest, queue rows apart
	rows      []ipc.QueueRow
	records   int64
	scheduled int64 // newest scheduled instant of a record
	events    int64 // output events
	unstamped int64 // of them, those without a kernel stamp
	shared    int64 // of them, those not alone in their read
	reads     int64 // reads that completed at least one of them
	handled   *metrics.Meter
}

func newStep(m ipc.Step, load ipc.Load, manifest *ipc.Manifest) (*step, error) {
	from := m.Offset + int64(load.Warmup)
	s := &step{
		number: m.Step, offset: m.Offset, load: load, from: from,
		settings: &manifest.Settings, children: max(1, len(manifest.Workers)),
		workers: map[int]*worker{}, errors: map[ipc.Class]int64{}, output: metrics.NewMeter(from),
	}
	var err error
	if s.aim, err = newAim(load.Until); err != nil || !load.Open() {
		return s, err
	}
	if s.spec, err = arrival.FromLoad(load); err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	return s, errors.Join(s.spec.Validate()...)
}

func (s *step) worker(id int) *worker {
	w := s.workers[id]
	if w == nil {
		w = &worker{id: id, handled: metrics.NewMeter(s.from)}
		s.workers[id] = w
	}
	return w
}

// add books one record.
func (s *step) add(id int, r *ipc.Record) error {
	if err := s.check(id, r); err != nil {
		return err
	}
	w := s.worker(id)
	w.records++
	w.scheduled = max(w.scheduled, r.Scheduled)
	s.indices.Add(r.Index)
	if r.Scheduled >= s.from {
		s.started++
	}
	if r.Class == ipc.Dropped {
		s.dropped++
		return nil
	}
	s.output.Extend(r.Scheduled)
	if r.Sent >= s.from {
		s.sends = append(s.sends, send{due: r.Scheduled, sent: r.Sent})
	}
	q := metrics.NewRequest(r, !s.settings.Target.Stream)
	metrics.MeterTokens(s.output, q)
	w.addEvents(r)
	if r.Class == ipc.OK {
		s.succeed(id, q)
	} else {
		s.errors[r.Class]++
	}
	return nil
}

// check refuses a record that cannot be: figures from it would be absurd.
func (s *step) check(id int, r *ipc.Record) error {
	if r.Index < 0 {
		return errors.New("negative index")
	}
	if s.load.Open() && s.spec.Owner(r.Index, s.children) != id {
		return fmt.Errorf("the arrival belongs to worker %d", s.spec.Owner(r.Index, s.children))
	}
	if r.Class == ipc.OK && (r.Sent < 0 || r.Done < r.Sent) {
		return errors.New("succeeded without having been sent and answered")
	}
	latest := max(r.Scheduled, r.Sent, r.Done)
	for i := range r.Output {
		latest = max(latest, r.Output[i].Arrival, r.Output[i].Read, r.Output[i].Handled)
		if r.Output[i].Arrival < 0 || r.Output[i].Tokens < 0 {
			return errors.New("an event has a negative instant or count")
		}
	}
	if r.Scheduled < 0 || latest > metrics.MaxInstant {
		return fmt.Errorf("an instant is not within %v of the epoch", time.Duration(metrics.MaxInstant))
	}
	return nil
}

// succeed books a request that succeeded. Only those scheduled in the steady
// window enter a percentile; none is scheduled after its end.
func (s *step) succeed(worker int, q metrics.Request) {
	s.ok++
	s.ends.Add(q.Done)
	s.tokens.Add(q)
	if q.Source == metrics.FromUsage && !q.Unary {
		s.usage += q.Tokens
		s.counted += q.Counted()
	}
	if q.Tokens == 0 || len(q.Output) == 0 && !q.Unary {
		s.empty++
	}
	if q.Scheduled < s.from {
		return
	}
	s.latency.Add(worker, q)
	s.aim.add(q)
	s.sums.Add(metrics.NewRow(q))
	if q.Meets(s.settings.SLO) {
		s.good++
	}
}

func (w *worker) addEvents(r *ipc.Record) {
	w.handled.Extend(r.Scheduled)
	w.events += int64(len(r.Output))
	for i := range r.Output {
		e := &r.Output[i]
		w.handled.Add(e.Handled, 1)
		if e.Read == e.Arrival {
			w.unstamped++
		}
		if !e.Alone {
			w.shared++
		}
		if i == 0 || e.Read != r.Output[i-1].Read {
			w.reads++
		}
	}
}

// window returns the sends up to the end of the steady window, in the order of
// their due times.
func (s *step) window(to int64) (due, sent []int64) {
	slices.SortFunc(s.sends, func(a, b send) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.sent, b.sent))
	})
	due = make([]int64, 0, len(s.sends))
	sent = make([]int64, 0, len(s.sends))
	for _, x := range s.sends {
		if x.sent <= to {
			due, sent = append(due, x.due), append(sent, x.sent)
		}
	}
	return due, sent
}

// failed is the number of requests that failed.
func (s *step) failed() int64 {
	n := int64(0)
	for _, k := range s.errors {
		n += k
	}
	return n
}
