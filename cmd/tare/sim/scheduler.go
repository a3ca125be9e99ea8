package sim

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"tare/ipc/clock"
)

// phase says who may touch a stream.
type phase uint8

const (
	idle    phase = iota // its connection's goroutine
	running              // the goroutine that carries it on
	parked               // whoever takes it off its queue
	quiet                // nobody until the client leaves: a stall
)

// scheduler writes what is due. One goroutine waits for the earliest instant
// of all streams and makes the steps that are due in order; the goroutine of
// a connection carries its own stream as far as that can be done at once. So
// a stream costs no switch of goroutines when nothing delays it, and one
// wake-up for an instant, however many streams share it, when something does.
type scheduler struct {
	alarm *clock.Alarm
	spin  int64         // ns before an instant in which to spin and not to sleep
	ended func(*stream) // called at the end of a stream, by its owner

	mu     sync.Mutex
	due    queue // parked streams by their next instant
	slots  slots
	active atomic.Int64 // streams in service
	err    error
}

// start begins a stream on its connection's goroutine.
func (d *scheduler) start(s *stream) {
	d.mu.Lock()
	start, ok := s.arrival, true
	if !s.ask.fault.atDoor() {
		start, ok = d.slots.enter(s, s.arrival)
	}
	if !ok {
		s.phase = parked
		d.mu.Unlock()
		return
	}
	d.admit(s, start)
	s.phase = running
	d.mu.Unlock()
	d.carry(s)
}

// admit fixes the timetable of s; d.mu is held.
func (d *scheduler) admit(s *stream, start int64) {
	s.due = start + s.delay
	if s.ask.fault.atDoor() {
		return
	}
	s.scheduled = s.due
	if s.laws.openEarly && s.answer.apart {
		s.due = start
	}
	s.inService = true
	d.active.Add(1)
}

// carry makes the steps that are due one after the other, blocking if it must,
// until the stream ends or the next instant lies ahead.
func (d *scheduler) carry(s *stream) {
	for {
		s.conn.flush()
		if s.over() {
			d.finish(s)
			return
		}
		if s.due > s.lastWrite && s.due > clock.Now() {
			d.park(s)
			return
		}
		s.step()
	}
}

// park puts a running stream away until its next instant. A stream whose
// client has left ends here.
func (d *scheduler) park(s *stream) {
	d.mu.Lock()
	if s.gone {
		d.mu.Unlock()
		d.finish(s)
		return
	}
	d.await(s)
	d.mu.Unlock()
}

// await enters s into the queue of instants; d.mu is held.
func (d *scheduler) await(s *stream) {
	s.phase = parked
	if d.due.add(s, s.due) {
		d.arm(s.due)
	}
}

// arm sets the alarm; d.mu is held.
func (d *scheduler) arm(at int64) {
	if err := d.alarm.Set(at - d.spin); err != nil && d.err == nil {
		d.err = err
	}
}

// loop serves parked streams until the alarm is stopped.
func (d *scheduler) loop() error {
	for {
		s, at := d.next()
		if s != nil {
			d.serve(s)
			continue
		}
		if at > 0 {
			spinUntil(at)
			continue
		}
		if err := d.alarm.Wait(); errors.Is(err, clock.ErrStopped) {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.err
		} else if err != nil {
			return fmt.Errorf("wait for the next event: %w", err)
		}
	}
}

// next takes the stream that is due off the queue. If none is it returns the
// instant to spin for, or sets the alarm and returns 0.
func (d *scheduler) next() (s *stream, at int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s = d.due.first()
	if s == nil {
		return nil, 0
	}
	switch wait := s.due - clock.Now(); {
	case wait > d.spin:
		d.arm(s.due)
		return nil, 0
	case wait > 0:
		return nil, s.due
	}
	d.due.remove(s)
	s.phase = running
	return s, 0
}

// spinUntil keeps the processor until an instant. To be woken from sleep takes
// tens of microseconds, in which a second instant may pass: the two events
// then go out together.
func spinUntil(at int64) {
	for clock.Now() < at {
	}
}

// serve makes one step and no more, though more may be due, so that all streams advance in the order of their
// instants. A client that does not read gets a goroutine of its own.
func (d *scheduler) serve(s *stream) {
	s.step()
	switch {
	case len(s.conn.pending) > 0:
		go d.carry(s)
	case s.over():
		d.finish(s)
	default:
		d.park(s)
	}
}

// finish ends a running stream: its slot goes to the next request, then its
// connection may go on. A stall only falls silent. The stream is given up
// after it is booked and not before, for its connection's goroutine may use it
// for the next request from then on.
func (d *scheduler) finish(s *stream) {
	d.mu.Lock()
	d.release(s)
	if s.answer.after == silent && !s.gone && !s.stopping && !s.cut() {
		s.phase = quiet
		d.mu.Unlock()
		return
	}
	d.mu.Unlock()
	d.ended(s)
	d.mu.Lock()
	s.phase = idle
	waited := s.waited
	s.waited = false
	d.mu.Unlock()
	if waited {
		s.wake <- struct{}{}
	}
}

// release frees the slot of s: at its scheduled end, or now if it was cut.
// d.mu is held.
func (d *scheduler) release(s *stream) {
	if !s.inService {
		return
	}
	s.inService = false
	d.active.Add(-1)
	at := s.due
	if s.cut() {
		at = clock.Now()
	}
	if next, start := d.slots.leave(at); next != nil {
		d.admit(next, start)
		d.await(next)
	}
}

// abort ends the stream of a client that has left.
func (d *scheduler) abort(s *stream) {
	d.mu.Lock()
	owned := s.phase == idle || s.phase == running
	s.gone = true
	if !owned {
		if s.phase == parked {
			s.in.remove(s)
		}
		s.phase = running
	}
	d.mu.Unlock()
	if !owned {
		d.finish(s)
	}
}

// stop tells s that the server is being stopped: it may end but not stall.
func (d *scheduler) stop(s *stream) {
	d.mu.Lock()
	s.stopping = true
	stalled := s.phase == quiet
	d.mu.Unlock()
	if stalled {
		d.abort(s)
	}
}

// wait returns when s is idle. Only its connection's goroutine waits.
func (d *scheduler) wait(s *stream) {
	d.mu.Lock()
	s.waited = s.phase != idle
	waited := s.waited
	d.mu.Unlock()
	if waited {
		<-s.wake
	}
}
