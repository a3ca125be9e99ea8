package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"tare/ipc"
	"tare/ipc/clock"
	"tare/worker/rxtime"
)

// progressTick is how often a worker reports.
const progressTick = time.Second

// gcPercent lets the heap grow to five times what lives: the slabs are
// allocated once and garbage is rare, but a collection takes the only
// processor.
const gcPercent = 400

// life is a worker process between Hello and exit. Its goroutine owns all
// state; others only send to it.
type life struct {
	conn   *ipc.Conn
	frames chan frame
	ended  chan result
	assign ipc.Assign
	slab   *slab
	e      *engine
	step   *step
	usage  usageMeter
}

// frame is one message of the supervisor's, decoded.
type frame struct {
	t      ipc.Type
	assign ipc.Assign
	start  ipc.Start
	stop   ipc.Stop
	err    error
}

// result is how a step ended.
type result struct {
	ended int64
	err   error
}

// Main is the worker process. It speaks over file descriptor ipc.ChildFD and
// returns when it is told to leave. The process ends at once when the
// supervisor is gone. build is the version of this binary.
func Main(ctx context.Context, build string) error {
	debug.SetGCPercent(gcPercent)
	conn, err := ipc.NewConn(os.NewFile(ipc.ChildFD, "supervisor"))
	if err != nil {
		return fmt.Errorf("worker is started by tare run, not by hand: %w", err)
	}
	l := &life{conn: conn, frames: make(chan frame), ended: make(chan result, 1)}
	hello := ipc.Hello{Protocol: ipc.Protocol, PID: os.Getpid(), Build: build, CPUs: ownCPUs(), MaxFiles: maxFiles()}
	if err := conn.Send(ipc.TypeHello, 0, hello); err != nil {
		return err
	}
	go l.receive()
	if err := l.run(ctx); err != nil {
		fault := ipc.Fault{Text: err.Error(), Stack: string(debug.Stack())}
		return errors.Join(err, conn.Send(ipc.TypeFault, l.assign.Worker, fault))
	}
	return nil
}

// receive decodes frames until the supervisor is gone, and then ends the
// process: nobody is left to report to.
func (l *life) receive() {
	dec := ipc.NewDecoder()
	for {
		raw, err := l.conn.Receive()
		if err != nil {
			os.Exit(exitOrphan)
		}
		l.frames <- decode(dec, raw)
	}
}

// exitOrphan is the exit code of a worker whose supervisor has gone.
const exitOrphan = 3

func decode(dec *ipc.Decoder, raw ipc.Frame) frame {
	var f frame
	f.t, _, f.err = dec.Open(raw)
	if f.err != nil {
		return f
	}
	switch f.t {
	case ipc.TypeAssign:
		f.err = dec.Message(&f.assign)
	case ipc.TypeStart:
		f.err = dec.Message(&f.start)
	case ipc.TypeStop:
		f.err = dec.Message(&f.stop)
	default:
		f.err = fmt.Errorf("supervisor sent a frame of type %d", f.t)
	}
	return f
}

// run is the worker's loop.
func (l *life) run(ctx context.Context) error {
	tick := time.NewTicker(progressTick)
	defer tick.Stop()
	defer l.close()
	for {
		select {
		case f := <-l.frames:
			leave, err := l.handle(ctx, f)
			if leave || err != nil {
				return err
			}
		case r := <-l.ended:
			if err := l.done(r); err != nil {
				return err
			}
		case <-tick.C:
			if err := l.progress(); err != nil {
				return err
			}
		}
	}
}

// handle acts on one frame; leave ends the process.
func (l *life) handle(ctx context.Context, f frame) (leave bool, err error) {
	switch {
	case f.err != nil:
		return false, f.err
	case f.t == ipc.TypeAssign && l.e == nil:
		return false, l.prepare(ctx, f.assign)
	case f.t == ipc.TypeStart && l.e != nil && l.step == nil:
		return false, l.begin(f.start)
	case f.t == ipc.TypeStop:
		return l.halt(f.stop.Mode), nil
	default:
		return false, fmt.Errorf("frame of type %d out of turn", f.t)
	}
}

// prepare builds the engine and opens connections before the start.
func (l *life) prepare(ctx context.Context, a ipc.Assign) error {
	l.assign = a
	var s ipc.Settings
	if err := json.Unmarshal(a.Settings, &s); err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	var err error
	l.slab = newSlab(l.conn, a.Worker)
	if l.e, err = newEngine(ctx, a, s, l.slab); err != nil {
		return err
	}
	go l.e.watch(ctx)
	n, err := l.e.pool.warm(l.e, warmConnections(s.Load, a.Worker, a.Workers))
	if err != nil && n == 0 {
		return fmt.Errorf("connect to %s: %w", s.Target.URL, err)
	}
	return l.conn.Send(ipc.TypeReady, a.Worker, ipc.Ready{
		Connections: n, Addresses: l.e.target.addresses, KernelStamps: rxtime.Supported(), ClockOffset: l.e.wall.Offset(),
	})
}

func (l *life) begin(start ipc.Start) error {
	var load ipc.Load
	if err := json.Unmarshal(start.Load, &load); err != nil {
		return fmt.Errorf("read load: %w", err)
	}
	s, err := l.e.newStep(start, load)
	if err != nil {
		return err
	}
	l.step = s
	l.usage.reset()
	go func() {
		ended, err := s.run()
		l.ended <- result{ended, err}
	}()
	return nil
}

// halt acts on Stop.
func (l *life) halt(mode ipc.StopMode) (leave bool) {
	if l.step == nil {
		return mode == ipc.StopExit
	}
	l.step.stop()
	if mode != ipc.StopDrain {
		l.step.abort()
	}
	return false
}

// done reports the end of a step, after its last record.
func (l *life) done(r result) error {
	stopped := closed(l.step.stopped)
	l.step = nil
	if r.err != nil {
		return r.err
	}
	if err := l.slab.sync(); err != nil {
		return err
	}
	return l.conn.Send(ipc.TypeDone, l.assign.Worker, ipc.Done{Step: int(l.e.step), Last: l.snapshot(true), Ended: r.ended, Stopped: stopped})
}

func (l *life) progress() error {
	if l.step == nil {
		return nil
	}
	l.e.wall.Sample()
	return l.conn.Send(ipc.TypeProgress, l.assign.Worker, l.snapshot(false))
}

// snapshot is the state of the step; all includes what the queue's window
// still holds.
func (l *life) snapshot(all bool) ipc.Progress {
	c := &l.e.counters
	usage := l.usage.read()
	usage.ClockStep = l.e.wall.Step()
	return ipc.Progress{
		Step: int(l.e.step), At: l.e.at(clock.Now()),
		Due: c.due.Load(), Sent: c.sent.Load(), OK: c.ok.Load(), Failed: c.failed.Load(), Dropped: c.dropped.Load(),
		InFlight: c.inFlight(), Conns: c.conns.Load(), Dials: c.dials.Load(),
		Queue: l.e.queue.take(all), Usage: usage,
	}
}

func (l *life) close() {
	if l.e != nil && l.step == nil {
		l.e.close()
		l.slab.close()
	}
}
