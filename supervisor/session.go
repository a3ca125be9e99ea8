package supervisor

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"tare/ipc"
	"tare/ipc/clock"
)

// Config is all that a session needs.
type Config struct {
	Dir      string // the run directory, which exists
	Manifest ipc.Manifest
	APIKey   string
	Headers  []string // "Name: value", unmasked
	Children []Assignment

	Interrupt <-chan os.Signal  // the first drains, the second ends at once
	Record    func(*ipc.Record) // called for each record as it comes, which it must not keep; may be nil
	Live      func(Live)        // called about once a second and at the end of a step; may be nil

	spawn func(Command) (process, error) // nil: spawnProcess
}

// spawnProcess is Spawn for a session.
func spawnProcess(c Command) (process, error) { return Spawn(c) }

// How long each stage may take before the session gives up on a child.
const (
	helloLimit = 10 * time.Second
	readyLimit = 60 * time.Second
	exitGrace  = 2 * time.Second       // for a child to leave by itself
	termGrace  = time.Second           // for it to heed SIGTERM
	nowGrace   = 2 * time.Second       // for a child to report after StopNow
	startLead  = 50 * time.Millisecond // from Start to the epoch: all children have read it by then
	liveTick   = time.Second
	flushTick  = 250 * time.Millisecond
)

// Session is a set of workers under way. It is driven by one goroutine, which
// owns all its state.
type Session struct {
	cfg      Config
	manifest ipc.Manifest
	children []*child
	events   chan event
	file     *ipc.RecordWriter
	dec      *ipc.Decoder
	live     *live
	epoch    int64 // CLOCK_MONOTONIC ns; 0 before the first step
	bites    int64 // throttled periods of our cgroup when the session began

	interrupts  int
	interrupted int64 // ns after the epoch; 0: not
	deadline    <-chan time.Time
	fault       error // of the record file
}

// Step runs one step of load in all workers and returns when the last record
// is on file. A dead worker does not end it.
func (s *Session) Step(number int, l ipc.Load) error {
	load, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode load: %w", err)
	}
	offset := clock.Now() + int64(startLead) - s.epoch
	s.note(s.file.AppendMessage(ipc.TypeStep, ipc.Step{Step: number, Offset: offset, Load: load}))
	s.live.begin(l, s.epoch+offset)
	for _, c := range s.children {
		c.send(ipc.TypeStart, ipc.Start{Step: number, Epoch: s.epoch, Offset: offset, Load: load})
		if c.alive() {
			c.phase = running
		}
	}
	s.loop()
	s.show()
	s.note(s.file.Flush())
	return s.fault
}

// loop handles events until no child runs.
func (s *Session) loop() {
	show, flush := time.NewTicker(liveTick), time.NewTicker(flushTick)
	defer show.Stop()
	defer flush.Stop()
	for s.running() {
		select {
		case e := <-s.events:
			s.handle(e)
		case <-show.C:
			s.show()
		case <-flush.C:
			s.note(s.file.Flush())
		case <-s.cfg.Interrupt:
			s.interrupt()
		case <-s.deadline:
			s.endAll(0)
		}
	}
}

func (s *Session) running() bool {
	for _, c := range s.children {
		if c.phase == running {
			return true
		}
	}
	return false
}

// interrupt is one signal of the user's.
func (s *Session) interrupt() {
	s.interrupts++
	mode := ipc.StopDrain
	if s.interrupts == 1 {
		s.interrupted = clock.Now() - s.epoch
	} else {
		mode = ipc.StopNow
		s.deadline = time.After(nowGrace)
	}
	s.stop(mode)
}

// Halt ends the sending of the step under way, as the end of its schedule would;
// what is in flight is drained. It is for Config.Live to call.
func (s *Session) Halt() { s.stop(ipc.StopDrain) }

func (s *Session) stop(mode ipc.StopMode) {
	for _, c := range s.children {
		c.send(ipc.TypeStop, ipc.Stop{Mode: mode})
	}
}

// handle files one event and moves the child's phase on.
func (s *Session) handle(e event) {
	c := e.child
	if e.frame == nil {
		c.phase = dead
		return
	}
	if s.file != nil {
		s.note(s.file.Append(e.frame))
	}
	t, _, err := s.dec.Open(e.frame)
	if err == nil {
		err = s.take(c, t)
	}
	if err != nil && c.fault == "" {
		c.fault = fmt.Sprintf("worker %d: %v", c.Worker, err)
	}
}

// take decodes the message of an open frame.
func (s *Session) take(c *child, t ipc.Type) error {
	switch t {
	case ipc.TypeHello:
		return s.greet(c)
	case ipc.TypeReady:
		c.phase = ready
		return s.dec.Message(&c.ready)
	case ipc.TypeProgress:
		return s.dec.Message(&c.last)
	case ipc.TypeRecords:
		return s.live.take(s.dec)
	case ipc.TypeDone:
		var d ipc.Done
		err := s.dec.Message(&d)
		c.last, c.phase = d.Last, idle
		return err
	case ipc.TypeFault:
		var f ipc.Fault
		err := s.dec.Message(&f)
		c.fault = strings.TrimSpace(f.Text)
		return err
	default:
		return fmt.Errorf("frame of type %d is no worker's", t)
	}
}

// greet checks what a child says of itself.
func (s *Session) greet(c *child) error {
	if err := s.dec.Message(&c.hello); err != nil {
		return err
	}
	switch h := c.hello; {
	case h.Protocol != ipc.Protocol || h.Build != s.manifest.Version:
		return fmt.Errorf("binary of another version: protocol %d, build %s", h.Protocol, h.Build)
	case !samePinning(c.CPUs, h.CPUs):
		return fmt.Errorf("pinned to CPUs %v, reads back %v", c.CPUs, h.CPUs)
	}
	c.phase = greeted
	return nil
}

// note keeps the first fault of the record file; the run goes on, since what
// is on file can be analysed.
func (s *Session) note(err error) {
	if s.fault == nil {
		s.fault = err
	}
}

func (s *Session) show() {
	if s.cfg.Live != nil {
		s.cfg.Live(s.live.snapshot(s.children))
	}
}

// Interrupted tells whether the user stopped the session.
func (s *Session) Interrupted() bool { return s.interrupts > 0 }

// Dead lists the workers that died.
func (s *Session) Dead() []int {
	var dead []int
	for _, c := range s.children {
		if !c.alive() {
			dead = append(dead, c.Worker)
		}
	}
	return dead
}
