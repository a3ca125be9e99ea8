package worker

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tare/analysis/arrival"
	"tare/ipc"
	"tare/ipc/clock"
)

// step is one step of load: sending, which ends by itself or by stop, then
// draining, which ends by itself or by abort.
type step struct {
	e     *engine
	start ipc.Start
	load  ipc.Load
	alarm *clock.Alarm

	stopped  chan struct{} // closed by stop: send nothing that falls due later
	aborted  chan struct{} // closed by abort: cut off what is in flight
	stopAt   int64         // CLOCK_MONOTONIC ns, written before stopped is closed
	stopOnce sync.Once
	endOnce  sync.Once
}

func (e *engine) newStep(start ipc.Start, load ipc.Load) (*step, error) {
	alarm, err := clock.NewAlarm()
	if err != nil {
		return nil, err
	}
	e.begin(start)
	return &step{e: e, start: start, load: load, alarm: alarm, stopped: make(chan struct{}), aborted: make(chan struct{})}, nil
}

// stop ends the sending: what has fallen due is still sent.
func (s *step) stop() {
	s.stopOnce.Do(func() {
		s.stopAt = clock.Now()
		close(s.stopped)
		if loop := s.e.loop.Load(); loop != nil {
			loop.stop.Store(true)
		}
		s.alarm.Stop() //nolint:errcheck // a closed alarm waits for nothing
	})
}

// abort ends sending and draining.
func (s *step) abort() {
	s.stop()
	s.endOnce.Do(func() { close(s.aborted) })
}

// run sends the step's load, waits for what is in flight and returns the
// instant at which the sending ended, ns after the run epoch: every arrival due
// until then has a record.
func (s *step) run() (ended int64, err error) {
	defer s.alarm.Close() //nolint:errcheck // a timer holds no data
	epoch := s.start.Epoch + s.start.Offset
	if s.load.Open() {
		err = s.pace(epoch)
	} else {
		err = s.circulate(epoch)
	}
	idle := s.e.pool.whenIdle()
	if !s.load.Open() {
		s.hold(epoch, idle)
	}
	ended = clock.Now()
	if closed(s.stopped) {
		ended = s.stopAt
	}
	s.drain(idle)
	s.e.loop.Store(nil)
	return s.e.at(ended), err
}

// pace hands out every arrival of this worker's slice at its instant, late
// ones at once: the schedule never slides.
func (s *step) pace(epoch int64) error {
	spec, err := arrival.FromLoad(s.load)
	if err != nil {
		return fmt.Errorf("schedule: %w", err)
	}
	slots := arrival.Share(s.load.MaxInFlight, s.e.worker, s.e.workers)
	slice := spec.Slice(s.e.worker, s.e.workers)
	for a, ok := slice.Next(); ok; a, ok = slice.Next() {
		if !s.wait(epoch + a.At) {
			return nil
		}
		s.e.counters.due.Add(1)
		j := job{index: a.Index, scheduled: epoch + a.At}
		switch {
		case closed(s.aborted):
			s.e.leave(j, ipc.Cancelled)
		case s.e.counters.inFlight() >= slots:
			s.e.leave(j, ipc.Dropped)
		default:
			s.e.submit(j)
		}
	}
	return nil
}

// wait waits for an instant; false if sending was stopped before it.
func (s *step) wait(at int64) bool {
	if !closed(s.stopped) && s.alarm.WaitUntil(at) == nil {
		return true
	}
	<-s.stopped // only a stop ends a wait early
	return at <= s.stopAt
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// closedLoop numbers the requests of a closed loop.
type closedLoop struct {
	worker, workers int64
	quota           int64 // requests of this worker; 0: until the end
	until           int64 // CLOCK_MONOTONIC ns; 0: until the quota
	issued          atomic.Int64
	stop            atomic.Bool
}

func (c *closedLoop) next() (job, bool) {
	if c.stop.Load() || c.until > 0 && clock.Now() >= c.until {
		return job{}, false
	}
	i := c.issued.Add(1) - 1
	if c.quota > 0 && i >= c.quota {
		return job{}, false
	}
	return job{index: i*c.workers + c.worker}, true
}

// circulate gives every stream of this worker's share its first job; each
// then follows with the next until the quota or the time is used up.
func (s *step) circulate(epoch int64) error {
	e := s.e
	loop := &closedLoop{worker: int64(e.worker), workers: int64(e.workers)}
	if s.load.Requests > 0 {
		if loop.quota = arrival.Share(s.load.Requests, e.worker, e.workers); loop.quota == 0 {
			return nil
		}
	}
	if s.load.Duration > 0 {
		loop.until = epoch + int64(s.load.Duration)
	}
	if !s.wait(epoch) {
		return nil
	}
	e.loop.Store(loop)
	for range arrival.Share(s.load.Concurrency, e.worker, e.workers) {
		j, ok := loop.next()
		if !ok {
			break
		}
		e.counters.due.Add(1)
		e.submit(j)
	}
	return nil
}

// hold waits until a closed loop sends no more.
func (s *step) hold(epoch int64, idle <-chan struct{}) {
	var end <-chan time.Time
	if s.load.Duration > 0 {
		timer := time.NewTimer(time.Duration(epoch + int64(s.load.Duration) - clock.Now()))
		defer timer.Stop()
		end = timer.C
	}
	select {
	case <-idle:
	case <-end:
	case <-s.stopped:
	}
}

// drain waits for what is in flight, for at most the load's drain time, and
// cuts off the rest.
func (s *step) drain(idle <-chan struct{}) {
	var limit <-chan time.Time
	if s.load.Drain > 0 {
		timer := time.NewTimer(s.load.Drain)
		defer timer.Stop()
		limit = timer.C
	}
	select {
	case <-idle:
		return
	case <-limit:
	case <-s.aborted:
	}
	for {
		s.e.cancelAll()
		select {
		case <-idle:
			return
		case <-time.After(watchdogTick): // a stream may just have begun
		}
	}
}
