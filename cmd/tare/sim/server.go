package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"tare/ipc/clock"
)

// Server is a simulator. New makes it listen, Serve makes it answer.
type Server struct {
	cfg     Config
	ln      *net.TCPListener
	wall    *clock.Wall
	sched   scheduler
	laws    laws
	truth   *truthLog
	prefix  *prefixes
	model   string // a JSON string
	drain   time.Duration
	started int64 // Unix seconds

	requests atomic.Uint64
	tokens   atomic.Uint64
	cuts     atomic.Uint64
	faults   atomic.Uint64

	mu       sync.Mutex
	conns    map[*conn]struct{}
	accepted uint64
	stopping bool
	wg       sync.WaitGroup // connections
	kill     context.CancelFunc
	killed   context.Context
}

// drainTime is how long streams may go on after the context of Serve ends.
const drainTime = 5 * time.Second

// New checks the configuration, opens the truth log and listens. The error
// lists all that is wrong with the configuration.
func New(cfg Config) (*Server, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg.setDefaults()
	name, err := json.Marshal(cfg.Model)
	if err != nil {
		return nil, fmt.Errorf("write the model's name: %w", err)
	}
	s := &Server{
		cfg: cfg, wall: clock.NewWall(), model: string(name), drain: drainTime, started: time.Now().Unix(), conns: map[*conn]struct{}{},
		laws: laws{ttft: cfg.TTFT, itl: cfg.ITL, prefill: cfg.Prefill, tail: cfg.Tail, openEarly: cfg.OpenEarly, faults: cfg.Faults, seed: cfg.Seed},
	}
	s.laws.perActive, s.laws.active = int64(cfg.ITLPerActive), &s.sched.active
	s.sched.spin = int64(cfg.Spin)
	if cfg.PrefixCache {
		s.prefix = newPrefixes()
	}
	s.sched.slots.limit = cfg.Slots
	s.sched.ended = s.ended
	s.killed, s.kill = context.WithCancel(context.Background())
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

// open takes what New needs of the system, or nothing.
func (s *Server) open() error {
	ln, err := net.Listen("tcp", s.cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", s.cfg.Listen, err)
	}
	s.ln = ln.(*net.TCPListener)
	if s.sched.alarm, err = clock.NewAlarm(); err != nil {
		return errors.Join(err, ln.Close())
	}
	if s.truth, err = openTruth(s.cfg.TruthPath); err != nil {
		return errors.Join(err, ln.Close(), s.sched.alarm.Close())
	}
	return nil
}

// Addr returns the address that the simulator listens on.
func (s *Server) Addr() net.Addr { return s.ln.Addr() }

// URL returns the base URL for clients, without a slash at the end.
func (s *Server) URL() string { return "http://" + s.Addr().String() }

// Stats counts what a simulator has done.
type Stats struct {
	Connections int    // open now
	Accepted    uint64 // connections ever
	Requests    uint64 // to the three endpoints, refused ones included
	Active      int    // requests in service now
	Waiting     int    // requests that wait for a slot now
	Tokens      uint64 // output tokens of the requests that have ended
	Cut         uint64 // answers that a client did not take to the end
	Faults      uint64 // answers with a fault
}

// Stats may be called at any time.
func (s *Server) Stats() Stats {
	st := Stats{Requests: s.requests.Load(), Tokens: s.tokens.Load(), Cut: s.cuts.Load(), Faults: s.faults.Load()}
	s.mu.Lock()
	st.Connections, st.Accepted = len(s.conns), s.accepted
	s.mu.Unlock()
	s.sched.mu.Lock()
	st.Active, st.Waiting = int(s.sched.active.Load()), s.sched.slots.waiting.Len()
	s.sched.mu.Unlock()
	return st
}

// Serve answers until ctx ends. Then it takes no more requests and lets
// streams end, for at most five seconds or until Close. It returns when all
// connections are closed and the truth log is written; the error is nil after
// a stop that was asked for. It may be called once.
func (s *Server) Serve(ctx context.Context) error {
	failed := make(chan error, 2)
	var wg sync.WaitGroup
	wg.Go(func() { failed <- s.accept() })
	wg.Go(func() { failed <- s.sched.loop() })
	stop := make(chan struct{})
	var kept error
	wg.Go(func() { kept = s.keepHouse(stop) })

	var err error
	select {
	case <-ctx.Done():
	case <-s.killed.Done():
	case err = <-failed:
	}
	closed := s.ln.Close()
	s.stop()
	err = errors.Join(err, s.sched.alarm.Stop())
	close(stop)
	wg.Wait()
	s.kill()
	if errors.Is(closed, net.ErrClosed) { // by Close
		closed = nil
	}
	return errors.Join(err, closed, kept, s.sched.alarm.Close(), s.truth.flush(), s.truth.close())
}

// Close makes Serve return at once, cutting what is under way; without Serve
// it frees the port.
func (s *Server) Close() error {
	s.kill()
	if err := s.ln.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the listener: %w", err)
	}
	return nil
}

// accept takes connections until the listener is closed.
func (s *Server) accept() error {
	for {
		tcp, err := s.ln.AcceptTCP()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil: // out of descriptors, most likely: others may close
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if err := s.admit(tcp); err != nil {
			_ = tcp.Close()
		}
	}
}

// admit starts a connection.
func (s *Server) admit(tcp *net.TCPConn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return net.ErrClosed
	}
	s.accepted++
	c, err := newConn(s, tcp, s.accepted)
	if err != nil {
		return err
	}
	s.conns[c] = struct{}{}
	s.wg.Go(func() {
		c.serve()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
	})
	return nil
}

// stop ends all connections: idle ones now, the others when their stream has
// ended or the time is up.
func (s *Server) stop() {
	s.mu.Lock()
	s.stopping = true
	for c := range s.conns {
		_ = c.rx.SetReadDeadline(time.Unix(1, 0)) // an error means that it is closed already
	}
	s.mu.Unlock()
	quiet := make(chan struct{})
	go func() { s.wg.Wait(); close(quiet) }()
	select {
	case <-quiet:
		return
	case <-s.killed.Done():
	case <-time.After(s.drain):
	}
	s.mu.Lock()
	for c := range s.conns {
		s.sched.abort(&c.stream)
		_ = c.rx.Close()
	}
	s.mu.Unlock()
	<-quiet
}

// keepHouse writes the truth log and follows the clocks until stop.
func (s *Server) keepHouse(stop <-chan struct{}) error {
	var first error
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for n := 1; ; n++ {
		select {
		case <-stop:
			return first
		case <-ticker.C:
		}
		if n%4 == 0 {
			s.wall.Sample()
		}
		if err := s.truth.flush(); err != nil && first == nil {
			first = err
		}
	}
}
