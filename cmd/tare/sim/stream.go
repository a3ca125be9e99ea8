package sim

import "tare/ipc/clock"

// stream is one answer in the making. A connection has one and uses it for
// each of its requests in turn. It is touched by its owner only (see phase);
// what the scheduler's lock guards is said. Instants are CLOCK_MONOTONIC ns.
type stream struct {
	conn *conn
	ask  ask
	service
	answer answer

	arrival    int64  // kernel stamp of the request's last byte
	body       uint32 // CRC-32C of the request's body, for the truth log
	read       int64  // when it had been read
	delay      int64  // ns from the start of the service to the first write
	scheduled  int64  // instant of the first write by the law
	due        int64  // instant of the next step by the law
	opening    int64  // just before the write of the event before the first output event, if it is one of its own
	firstWrite int64  // just before the write of the first output event
	lastWrite  int64  // just before the write of the last output event so far
	end        int64  // just before the write of what follows the last output event
	done       int    // token events written
	tailing    bool   // what follows the last output event is all that is left
	ended      bool   // nothing is left to write

	// Guarded by the scheduler's lock.
	phase     phase
	gone      bool // the client has left, or must
	stopping  bool // the server is being stopped
	inService bool
	waited    bool // the connection's goroutine waits for wake
	in        *queue
	key       int64
	index     int

	wake chan struct{}
}

// begin makes s the answer to s.ask.
func (s *stream) begin(model string) {
	s.answer.compose(&s.ask, model)
	s.opening, s.firstWrite, s.lastWrite, s.end = 0, 0, 0, 0
	s.done, s.tailing, s.ended = 0, false, false
	s.scheduled, s.due, s.delay = 0, 0, 0
	switch {
	case s.ask.fault.atDoor():
		return
	case s.ask.stream:
		s.delay = s.first(s.ask.input - s.ask.cached)
	default:
		s.delay = s.total(s.ask.input-s.ask.cached, s.ask.tokens)
	}
	if s.ask.fault == FaultSlowHeader {
		s.delay += int64(SlowHeader)
	}
}

// step makes the writes that belong to the instant s.due.
func (s *stream) step() {
	a := &s.answer
	switch {
	case a.steps == 0:
		s.conn.send(a.buf)
		s.ended = true
		return
	case s.tailing:
		s.finish()
		return
	case s.done == 0 && a.apart:
		if s.open(); s.due < s.scheduled {
			s.due = s.scheduled
			return
		}
		s.output(a.buf[a.lead:a.tail])
	case s.done == 0:
		s.output(a.buf[:a.tail])
	default:
		s.output(s.event())
	}
	if s.done < a.steps {
		s.due += s.gap()
		return
	}
	s.tailing = true
	if wait := s.tail(); wait > 0 {
		s.due += wait
		return
	}
	s.finish()
}

// open writes the event before the first token, once.
func (s *stream) open() {
	if s.opening == 0 {
		s.opening = clock.Now()
		s.conn.send(s.answer.buf[:s.answer.lead])
	}
}

// finish writes what follows the last token.
func (s *stream) finish() {
	if rest := s.answer.buf[s.answer.tail:]; len(rest) > 0 {
		s.end = clock.Now()
		s.conn.send(rest)
	}
	s.ended = true
}

// output writes a token event and notes when.
func (s *stream) output(event []byte) {
	at := clock.Now()
	s.conn.send(event)
	if s.conn.err != nil {
		return
	}
	s.lastWrite = at
	if s.done == 0 {
		s.firstWrite = at
	}
	s.done++
}

// event returns the next token event but the first.
func (s *stream) event() []byte {
	a := &s.answer
	if !a.continued {
		return a.buf[a.lead:a.tail]
	}
	d := s.ask.dialect(s.conn.srv.model)
	a.scratch = d.token(a.scratch[:0], s.done+1)
	return a.scratch
}

// over tells if there is nothing left to do.
func (s *stream) over() bool { return s.ended || s.conn.err != nil }

// cut tells if the answer did not get out whole, faults apart.
func (s *stream) cut() bool { return !s.ended || s.conn.err != nil }
