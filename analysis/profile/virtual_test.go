package profile

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tare/analysis"
	"tare/analysis/arrival"
	"tare/analysis/dist"
	"tare/ipc"
)

// A server begins steps on virtual time.
type server interface {
	begin(r *rand.Rand) process
}

// A process serves the arrivals of one step.
type process interface {
	arrive(at int64)
	until(t int64) []served // what has ended since the last time, in any order
}

// served is what became of an arrival.
type served struct {
	at, end int64
	class   ipc.Class
}

// queue is a G/G/c server: so many slots, one line before them, first come
// first served. Its capacity is slots/E[service].
type queue struct {
	slots   int
	service string  // law of the whole service
	fails   float64 // share of requests that fail at once
	room    int     // places in the line, beyond which requests fail at once; 0: no limit
}

func (q queue) begin(r *rand.Rand) process {
	law, err := dist.Parse(q.service, dist.Duration)
	if err != nil {
		panic(err)
	}
	return &queueing{queue: q, r: r, law: law, free: make([]int64, q.slots)}
}

type queueing struct {
	queue
	r    *rand.Rand
	law  dist.Dist
	free []int64 // instants
	line []int64 // starts of services that lie ahead
	all  []served
}

func (q *queueing) arrive(at int64) {
	for len(q.line) > 0 && q.line[0] <= at {
		q.line = q.line[1:]
	}
	if q.fails > 0 && q.r.Float64() < q.fails || q.room > 0 && len(q.line) >= q.room {
		q.all = append(q.all, served{at, at + 1e6, ipc.HTTPStatus})
		return
	}
	k := 0
	for j := range q.free {
		if q.free[j] < q.free[k] {
			k = j
		}
	}
	start := max(at, q.free[k])
	if q.room > 0 && start > at {
		q.line = append(q.line, start)
	}
	q.free[k] = start + int64(q.law.Duration(q.r))
	q.all = append(q.all, served{at, q.free[k], ipc.OK})
}

func (q *queueing) until(t int64) []served {
	var ended []served
	q.all = slices.DeleteFunc(q.all, func(s served) bool {
		if s.end <= t {
			ended = append(ended, s)
		}
		return s.end <= t
	})
	return ended
}

// record is a record of one event, on r's memory.
func (s served) record(r *ipc.Record) *ipc.Record {
	*r = ipc.Record{Class: s.class, Scheduled: s.at, Sent: s.at, Done: s.end, OutputTokens: 1, Output: r.Output[:0]}
	if s.class == ipc.OK {
		r.Output = append(r.Output, ipc.Event{Arrival: s.end, Read: s.end, Handled: s.end, Tokens: 1, Kind: ipc.KindText, Alone: true})
	}
	return r
}

// bench plays profiles against a server on virtual time.
type bench struct {
	t       testing.TB
	p       ipc.Profile
	arrival string
	slo     ipc.SLO
	server  server
	limit   float64 // rate from which the client is not valid; 0: none
	seed    uint64
}

// seconds is a duration for settings.
func seconds(s float64) time.Duration { return time.Duration(s * 1e9) }

// auto are the settings of --scale auto with steps of 4 s as the command line
// makes them.
func auto(from, to float64) ipc.Profile {
	return ipc.Profile{
		Scale: Auto, From: from, To: to, Steps: 30, StepDuration: seconds(4), MinStep: seconds(2), MaxStep: seconds(60),
		StepWarmup: seconds(0.4), Drain: seconds(5), Precision: 0.05, Attainment: 0.99,
	}
}

// play runs a whole profile.
func (b bench) play() []Step {
	var steps []Step
	for {
		ask, more, _ := Next(b.p, b.slo, steps)
		if !more {
			return steps
		}
		if len(steps) > 60 {
			b.t.Fatal("the profile does not end")
		}
		steps = append(steps, b.step(ask, steps))
	}
}

// step runs one step, looking at it each second as a session does.
func (b bench) step(ask Ask, before []Step) Step {
	base := ipc.Load{Arrival: b.arrival, MaxInFlight: 1e4, Seed: b.seed << 8}
	load, err := ask.Load(base, b.p, len(before))
	if err != nil {
		b.t.Fatal(err)
	}
	spec, err := arrival.FromLoad(load)
	if err != nil {
		b.t.Fatal(err)
	}
	process := b.server.begin(rand.New(rand.NewPCG(b.seed, uint64(len(before)))))
	w, live := NewWatch(b.p, b.slo, ask, before), NewFlow(0, b.slo)
	var ended []served
	var record ipc.Record
	due := spec.Slice(0, 1)
	a, more := due.Next()
	stop := int64(load.Duration)
	const lag = 75e7 // of the record file
	for now := int64(1e9); now <= stop; now += 1e9 {
		for ; more && a.At <= now-lag; a, more = due.Next() {
			process.arrive(a.At)
			live.Due(a.At)
		}
		for _, s := range process.until(now - lag) {
			live.End(s.record(&record), false)
			ended = append(ended, s)
		}
		if w.Enough(live, now-lag) {
			stop = now
		}
	}
	for ; more && a.At <= stop; a, more = due.Next() {
		process.arrive(a.At)
		live.Due(a.At)
	}
	ended = append(ended, process.until(stop+int64(load.Drain))...)
	return b.conclude(ask, load, live.due, ended, before)
}

// conclude is what the analysis makes of a step: arrivals that have not ended
// were cut off.
func (b bench) conclude(ask Ask, load ipc.Load, due []int64, ended []served, before []Step) Step {
	f := NewFlow(0, b.slo)
	cut := map[int64]int{}
	for _, at := range due {
		f.Due(at)
		cut[at]++
	}
	ok, took := 0.0, 0.0
	var record ipc.Record
	for _, s := range ended {
		f.End(s.record(&record), false)
		cut[s.at]--
		if s.class == ipc.OK {
			ok++
			took += float64(s.end-s.at) / 1e6
		}
	}
	for at, n := range cut {
		if n > 0 {
			f.End(served{at, 0, ipc.Cancelled}.record(&record), false)
		}
	}
	run := analysis.Step{Number: len(before), Load: load}
	run.Summary.Load.Window = analysis.Window{From: load.Warmup.Seconds(), To: float64(slices.Max(due)) / 1e9}
	if ok > 0 {
		run.Summary.Latency.E2E.Wire.Mean = new(took / ok)
	}
	if b.limit > 0 && ask.Rate >= b.limit {
		run.Summary.Client.Workers = []analysis.Worker{{}}
		run.Summary.Client.Workers[0].Rho = new(0.97)
	}
	s := newStep(b.p, b.slo, run, f, before)
	s.Purpose = ask.Purpose
	return s
}
