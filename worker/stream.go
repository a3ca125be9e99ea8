package worker

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"time"

	"tare/ipc"
	"tare/ipc/clock"
	"tare/worker/rxtime"
	"tare/worker/wire"
)

// job is one request to send.
type job struct {
	index     int64
	scheduled int64 // CLOCK_MONOTONIC ns; 0 in a closed loop: now
}

// readBuffer is the size of a stream's read buffer in bytes. An event that is
// longer comes in several reads.
const readBuffer = 16 << 10

// lateEnd is how long after [DONE] the framing may take to end before the
// connection is given up.
const lateEnd = 250 * time.Millisecond

// peekAfter is how long a connection may lie idle before it is looked at, ns.
const peekAfter = int64(time.Millisecond)

// subDial is the reason of a request that found no connection.
const subDial = "dial"

// dialPause follows a failed dial, so that a closed loop against a dead server
// fails a hundred times a second and stream, and not a hundred thousand.
const dialPause = 10 * time.Millisecond

// stream is one connection and the goroutine that owns it. It serves one
// request at a time: write, then read event after event into its slab.
type stream struct {
	eng  *engine
	id   int64
	jobs chan job // of capacity 1: only an idle stream is given a job

	link      link
	connected bool
	answered  int // requests answered on this connection
	idleSince int64

	reader  wire.Reader
	buf     []byte
	request []byte
	body    []byte
	pcg     rand.PCG

	rec     ipc.Record // of the request under way
	now     reading
	settled bool // its record has been handed on
	deadlines
	take func(n int) rxtime.Next // piece, bound once

	inLoop bool // holds the emulated loop
}

// reading is where a stream stands within its reads.
type reading struct {
	arrival, read int64  // stamps of the current read, CLOCK_MONOTONIC ns
	seq           uint64 // its number
	events        int    // events that it has completed
	output        int    // index in rec.Output of its first event; -1 if that was no output
	batch         int    // output events at most ipc.BatchGap apart, up to now
	newest        int64  // arrival of the last output event, CLOCK_MONOTONIC ns
}

func newStream(e *engine, id int64) *stream {
	s := &stream{eng: e, id: id, jobs: make(chan job, 1), buf: make([]byte, readBuffer)}
	s.take = s.piece
	s.rec.Output = make([]ipc.Event, 0, eventsHint)
	return s
}

// eventsHint is the room for events that a stream begins with; it grows to the
// longest answer and stays.
const eventsHint = 64

// run serves jobs until there are no more. In a closed loop one job follows
// another at once.
func (s *stream) run() {
	defer s.disconnect()
	for j := range s.jobs {
		for more := true; more; j, more = s.eng.follow() {
			s.serve(j)
			if !s.connected && s.rec.Sub == subDial {
				time.Sleep(dialPause)
			}
		}
		s.eng.pool.put(s)
	}
}

// serve sends one request and reads its answer to the end.
func (s *stream) serve(j job) {
	s.begin(j)
	if err := s.connect(); err != nil {
		s.settle(wire.Result{Class: wire.Connection, Sub: subDial, Message: err.Error(), InputTokens: -1, OutputTokens: -1, FirstContentEvent: -1, FirstTextEvent: -1})
	} else {
		s.exchange()
	}
	if s.disarm() != causeNone {
		s.disconnect()
	}
}

// begin fills in what is known before the request is sent.
func (s *stream) begin(j job) {
	e := s.eng
	number := e.number(j.index)
	a := e.requests.draw(&s.pcg, number)
	s.request, s.body = e.requests.appendTo(s.request, s.body, number, a)
	now := clock.Now()
	if j.scheduled == 0 {
		j.scheduled = now
	}
	s.rec = ipc.Record{
		Index: j.index, Step: e.step, Conn: s.id, Address: int64(s.link.address),
		Scheduled: e.at(j.scheduled), Sent: e.at(now), Header: ipc.Unknown, Choice: ipc.Unknown, Connect: ipc.Unknown,
		AskedInput: a.input, AskedOutput: a.output, Output: s.rec.Output[:0],
	}
	s.now = reading{output: -1}
	s.arm(now, e.timeout, e.idleTimeout)
}

// connect makes sure of a connection. One that has lain idle is looked at
// first: nothing has been sent, so another in its place is no retry.
func (s *stream) connect() error {
	if s.connected && clock.Now()-s.idleSince > peekAfter && !s.link.alive() {
		s.disconnect()
	}
	if s.connected {
		return nil
	}
	begin := clock.Now()
	if err := s.open(); err != nil {
		return err
	}
	s.rec.Address, s.rec.Connect = int64(s.link.address), clock.Now()-begin
	return nil
}

func (s *stream) open() error {
	ctx, cancel := context.WithTimeout(s.eng.ctx, s.eng.timeout)
	defer cancel()
	s.eng.counters.dials.Add(1)
	l, err := s.eng.target.dial(ctx)
	if err != nil {
		return err
	}
	s.eng.counters.conns.Add(1)
	s.link, s.connected, s.answered = l, true, 0
	s.on(l.conn, s.eng.target.tls == nil)
	if v := s.eng.service; v != nil && v.held {
		l.stamped.Gate(s.enterLoop)
	}
	return nil
}

// enterLoop is called when the connection is readable, before it is read,
// where a held loop is emulated.
func (s *stream) enterLoop() {
	if !s.inLoop { // beneath TLS one read of ours may take several
		s.eng.service.enter()
		s.inLoop = true
	}
}

func (s *stream) leaveLoop() {
	if s.inLoop {
		s.inLoop = false
		s.eng.service.exit()
	}
}

func (s *stream) disconnect() {
	if s.connected {
		s.connected = false
		s.on(nil, false)
		s.link.conn.Close() //nolint:errcheck // the connection is given up, whatever close says
		s.eng.counters.conns.Add(-1)
	}
}

// exchange writes the request and reads until its class is settled and the
// connection is either fit for another request or closed.
func (s *stream) exchange() {
	s.reader.Reset(s.eng.wire, s)
	s.settled = false
	s.rec.Sent = s.eng.at(clock.Now())
	// A server may answer and close before it has read all: what it said, or
	// else the broken connection, shows when reading.
	_, _ = s.link.conn.Write(s.request)
	err := s.readAnswer()
	for err != nil && errors.Is(err, os.ErrDeadlineExceeded) && s.poke() {
		err = s.readAnswer()
	}
	if err != nil {
		s.see(s.reader.Close(err))
	}
	s.answered++
	s.idleSince = s.now.read
	if !s.reader.Result().Reusable {
		s.disconnect()
	}
}

// readAnswer reads until the answer is complete (nil) or the connection fails.
func (s *stream) readAnswer() error {
	if s.eng.target.tls == nil {
		return s.link.stamped.ReadEach(s.buf, s.take)
	}
	for {
		n, err := s.link.conn.Read(s.buf)
		if err != nil {
			return err
		}
		if s.take(n) == rxtime.Stop {
			return nil
		}
	}
}

// piece hands the reader what one read gave; the reader calls Header and
// Event.
func (s *stream) piece(n int) rxtime.Next {
	last := s.link.stamped.Last()
	if last.Seq != s.now.seq { // beneath TLS one read may serve several of ours
		s.now.seq, s.now.events, s.now.output = last.Seq, 0, -1
		s.now.arrival, s.now.read = last.Arrival, last.Read
	}
	s.idle.Store(last.Read + int64(s.eng.idleTimeout))
	state := s.reader.Push(s.buf[:n])
	s.see(state)
	switch {
	case state.Complete:
		return rxtime.Stop
	case s.reader.ToClose():
		return rxtime.Again
	}
	return rxtime.Wait
}

// see settles the request the first time that the reader says so. What comes
// after it decides only whether the connection can be used again.
func (s *stream) see(state wire.State) {
	s.leaveLoop()
	if state.Settled && !s.settled {
		s.settled = true
		s.settle(s.reader.Result())
		s.extend(clock.Now() + int64(lateEnd))
	}
}

// Header notes when the response header was readable.
func (s *stream) Header(int) { s.rec.Header = s.eng.at(s.now.read) }

// Event books one complete SSE event. Nothing here allocates once the slab has
// grown to the longest answer.
func (s *stream) Event(kind wire.Kind, choices bool, tokens int) {
	e, now := s.eng, &s.now
	now.events++
	if choices && s.rec.Choice == ipc.Unknown {
		s.rec.Choice = e.at(now.arrival)
	}
	if now.events == 2 && now.output >= 0 {
		s.rec.Output[now.output].Alone = false
	}
	if kind == wire.None {
		return
	}
	if now.events == 1 {
		now.output = len(s.rec.Output)
	}
	if now.batch++; now.arrival-now.newest > ipc.BatchGap {
		now.batch = 1
	}
	now.newest = now.arrival
	s.rec.Output = append(s.rec.Output, ipc.Event{
		Arrival: e.at(now.arrival), Read: e.at(now.read), Handled: e.at(e.handle(now.arrival, now.batch)),
		Tokens: int64(tokens), Kind: ipc.Kind(kind), Alone: now.events == 1,
	})
}

// The kinds of the reader and of records have the same values.
var _ = [1]struct{}{}[uint8(wire.ToolCall)-uint8(ipc.KindToolCall)]

// settle completes the record and hands it on.
func (s *stream) settle(r wire.Result) {
	rec := &s.rec
	rec.Done = s.eng.at(clock.Now())
	rec.Class, rec.Sub, rec.Message = classes[r.Class], r.Sub, r.Message
	switch why := s.why(); {
	case why == causeCancelled:
		rec.Class, rec.Sub = ipc.Cancelled, ""
	case why == causeIdle:
		rec.Class, rec.Sub = ipc.Timeout, "idle"
	case why == causeTimeout:
		rec.Class, rec.Sub = ipc.Timeout, "total"
	case rec.Class == ipc.Connection && s.answered > 0 && s.connected:
		rec.Sub = "keepalive_race" // the server closed an idle connection as we wrote
	}
	rec.Status, rec.InputTokens, rec.OutputTokens = int64(r.Status), int64(r.InputTokens), int64(r.OutputTokens)
	rec.Events, rec.ContentEvents = int64(r.Events), int64(r.ContentEvents)
	rec.FirstContent, rec.FirstText = int64(r.FirstContentEvent), int64(r.FirstTextEvent)
	rec.FinishReason, rec.Text, rec.Reasoning = r.FinishReason, r.Text, r.Reasoning
	if rec.Class.Failed() {
		rec.Body = r.BodyPrefix
	}
	s.eng.finish(rec)
}

// classes translates the reader's classes to those of records.
var classes = map[wire.ErrorClass]ipc.Class{
	wire.OK: ipc.OK, wire.Connection: ipc.Connection, wire.Timeout: ipc.Timeout, wire.HTTPStatus: ipc.HTTPStatus,
	wire.StreamError: ipc.StreamError, wire.Truncated: ipc.Truncated, wire.Parse: ipc.Parse, wire.Empty: ipc.Empty,
	wire.NotStream: ipc.NotStream, wire.Cancelled: ipc.Cancelled,
}
