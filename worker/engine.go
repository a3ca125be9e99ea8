package worker

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"tare/ipc"
	"tare/ipc/clock"
	"tare/worker/wire"
)

// engine drives the target with one worker's share of the load. One goroutine
// per stream reads and records; the pacer hands out jobs; the watchdog cuts
// off what is late.
type engine struct {
	base   context.Context // of the worker
	ctx    context.Context // of the step: ends dials
	cancel context.CancelFunc

	worker, workers int
	measured        bool // one processor: the worker is a single server (Lindley)
	timeout         time.Duration
	idleTimeout     time.Duration
	wire            wire.Options
	target          *target
	requests        *requests
	pool            pool
	sink            sink
	queue           queue
	service         *service // nil: nothing is emulated
	counters        counters
	wall            *clock.Wall

	epoch int64 // of the run, CLOCK_MONOTONIC ns
	step  int64
	loop  atomic.Pointer[closedLoop] // nil in an open loop
}

// sink takes finished records; it keeps nothing of a record after add.
type sink interface{ add(*ipc.Record) }

// counters count since the step began, but for conns and dials, which count
// since the worker began.
type counters struct {
	due, sent, ok, failed, dropped, conns, dials atomic.Int64
}

func (c *counters) inFlight() int64 { return c.sent.Load() - c.ok.Load() - c.failed.Load() }

func (c *counters) reset() {
	for _, n := range []*atomic.Int64{&c.due, &c.sent, &c.ok, &c.failed, &c.dropped} {
		n.Store(0)
	}
}

// savedText bounds the text and the reasoning kept with --save-text, bytes
// each, so that a batch of records stays below the limit of a frame.
const savedText = 4 << 20

// keptBody bounds the piece of a failed answer's body in its record, bytes.
const keptBody = 2 << 10

func newEngine(ctx context.Context, a ipc.Assign, s ipc.Settings, records sink) (*engine, error) {
	wall := clock.NewWall()
	t, err := newTarget(ctx, s.Target, wall)
	if err != nil {
		return nil, err
	}
	r, err := newRequests(s, a.Headers, a.APIKey, t)
	if err != nil {
		return nil, err
	}
	emulated, err := newService(s.Shape, s.Load.Seed, a.Worker)
	if err != nil {
		return nil, err
	}
	api, ok := apis[s.Target.Endpoint]
	if !ok {
		return nil, fmt.Errorf("endpoint %q is unknown", s.Target.Endpoint)
	}
	e := &engine{
		worker: a.Worker, workers: a.Workers, measured: a.Procs == 1,
		timeout: s.Target.Timeout, idleTimeout: s.Target.IdleTimeout,
		wire:   wire.Options{API: api, Stream: s.Target.Stream, SaveText: s.SaveText, MaxText: savedText, MaxBody: keptBody},
		target: t, requests: r, wall: wall, sink: records, service: emulated,
	}
	e.pool.all = map[*stream]struct{}{}
	e.base = ctx
	e.ctx, e.cancel = context.WithCancel(ctx)
	return e, nil
}

// begin sets the engine to the beginning of a step. No stream is busy.
func (e *engine) begin(start ipc.Start) {
	e.cancel()
	e.ctx, e.cancel = context.WithCancel(e.base)
	e.epoch, e.step = start.Epoch, int64(start.Step)
	e.counters.reset()
	e.queue.reset(start.Epoch + start.Offset)
}

// stepStride is the distance of the requests' numbers in successive steps. It
// has no factor in common with the numbers after which prompts repeat.
const stepStride = 1_000_003

// number is what the request of an arrival is made from. Each step has requests
// of its own: a server that remembers prompts would be faster with every step
// that repeats them.
func (e *engine) number(index int64) int64 { return index + e.step*stepStride }

var apis = map[string]wire.API{"completions": wire.Completions, "chat": wire.Chat, "messages": wire.Messages}

// at converts CLOCK_MONOTONIC to ns after the run epoch.
func (e *engine) at(monotonic int64) int64 { return monotonic - e.epoch }

// handle books an output event that arrived at k and returns the instant at
// which it counts as handled.
func (e *engine) handle(k int64, batch int) int64 {
	if e.service != nil {
		e.service.spend()
	}
	if !e.measured {
		return clock.Now()
	}
	return e.queue.observe(k, batch)
}

// submit gives a stream a job.
func (e *engine) submit(j job) {
	e.counters.sent.Add(1)
	e.pool.take(e).jobs <- j
}

// leave records an arrival that is not sent: dropped for want of a slot, or
// cancelled by the end of the run.
func (e *engine) leave(j job, class ipc.Class) {
	at := e.at(j.scheduled)
	r := &ipc.Record{
		Index: j.index, Step: e.step, Class: class, Conn: ipc.Unknown, Scheduled: at, Sent: at, Done: at,
		Header: ipc.Unknown, Choice: ipc.Unknown, Connect: ipc.Unknown, InputTokens: ipc.Unknown, OutputTokens: ipc.Unknown,
		FirstContent: ipc.Unknown, FirstText: ipc.Unknown,
	}
	if class == ipc.Dropped {
		e.counters.dropped.Add(1)
		e.sink.add(r)
		return
	}
	e.counters.sent.Add(1)
	e.finish(r)
}

// follow gives a stream its next job in a closed loop.
func (e *engine) follow() (job, bool) {
	loop := e.loop.Load()
	if loop == nil {
		return job{}, false
	}
	j, ok := loop.next()
	if ok {
		e.counters.due.Add(1)
		e.counters.sent.Add(1)
	}
	return j, ok
}

// finish takes a finished request's record.
func (e *engine) finish(r *ipc.Record) {
	e.sink.add(r)
	if r.Class == ipc.OK {
		e.counters.ok.Add(1)
	} else {
		e.counters.failed.Add(1)
	}
}

// watchdogTick is how often deadlines are looked at: they are kept to within
// this.
const watchdogTick = 50 * time.Millisecond

// silence is how long a connection may be silent within an answer before it is
// looked at (rxtime.Wait).
const silence = 100 * time.Millisecond

// watch cuts off requests whose deadline has passed and closes connections
// that have idled, until ctx ends.
func (e *engine) watch(ctx context.Context) {
	tick := time.NewTicker(watchdogTick)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			now := clock.Now()
			e.pool.each(func(s *stream) { s.expire(now, int64(e.idleTimeout-silence)) })
			e.pool.trim(now)
		case <-ctx.Done():
			return
		}
	}
}

// cancelAll cuts off everything under way.
func (e *engine) cancelAll() {
	e.cancel()
	e.pool.each(func(s *stream) { s.deadlines.cancel() })
}

// close ends all goroutines of the engine. Nothing is under way.
func (e *engine) close() {
	e.cancel()
	e.pool.close()
}
