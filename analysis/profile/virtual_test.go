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

// A server turns the arrivals of a step into records, on virtual time.
type server interface {
	serve(due []int64, r *rand.Rand) []ipc.Record
}

// queue is a G/G/c server: so many slots, one line before them, first come
// first served. Its capacity is slots/E[service].
type queue struct {
	slots   int
	service string  // law of the whole service
	fails   float64 // share of requests that fail at once
	room    int     // places in the line, beyond which requests fail at once; 0: no limit
}

func (q queue) serve(due []int64, r *rand.Rand) []ipc.Record {
	law, err := dist.Parse(q.service, dist.Duration)
	if err != nil {
		panic(err)
	}
	free := make([]int64, q.slots)
	var waiting []int64 // starts of services that lie ahead
	records := make([]ipc.Record, 0, len(due))
	for i, at := range due {
		for len(waiting) > 0 && waiting[0] <= at {
			waiting = waiting[1:]
		}
		if q.fails > 0 && r.Float64() < q.fails || q.room > 0 && len(waiting) >= q.room {
			records = append(records, answer(i, at, at+1e6, ipc.HTTPStatus))
			continue
		}
		k := 0
		for j := range free {
			if free[j] < free[k] {
				k = j
			}
		}
		start := max(at, free[k])
		if start > at {
			waiting = append(waiting, start)
		}
		free[k] = start + int64(law.Duration(r))
		records = append(records, answer(i, at, free[k], ipc.OK))
	}
	return records
}

// answer is a record of one event.
func answer(i int, at, end int64, class ipc.Class) ipc.Record {
	r := ipc.Record{Index: int64(i), Class: class, Scheduled: at, Sent: at, Done: end, OutputTokens: 1}
	if class == ipc.OK {
		r.Output = []ipc.Event{{Arrival: end, Read: end, Handled: end, Tokens: 1, Kind: ipc.KindText, Alone: true}}
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
	due := schedule(b.t, load)
	records := b.server.serve(due, rand.New(rand.NewPCG(b.seed, uint64(len(before)))))
	byEnd := make([]*ipc.Record, len(records))
	for i := range records {
		byEnd[i] = &records[i]
	}
	slices.SortStableFunc(byEnd, func(x, y *ipc.Record) int { return int(x.Done - y.Done) })

	w, live := NewWatch(b.p, b.slo, ask, before), NewFlow(0, b.slo)
	stop := int64(load.Duration)
	n, m := 0, 0
	for now := int64(1e9); now < stop; now += 1e9 {
		to := now - 5e8
		for ; n < len(due) && due[n] <= to; n++ {
			live.Due(due[n])
		}
		for ; m < len(byEnd) && byEnd[m].Done <= to; m++ {
			live.End(byEnd[m], false)
		}
		if w.Enough(live, to) {
			stop = now
		}
	}
	return b.conclude(ask, load, records, stop, before)
}

// conclude is what the analysis makes of a step that was stopped then.
func (b bench) conclude(ask Ask, load ipc.Load, records []ipc.Record, stop int64, before []Step) Step {
	f := NewFlow(0, b.slo)
	run := analysis.Step{Number: len(before), Load: load}
	var ok, last int64
	var took float64
	for i := range records {
		r := &records[i]
		if r.Scheduled > stop {
			break
		}
		last = r.Scheduled
		if r.Done > stop+int64(load.Drain) {
			r.Class = ipc.Cancelled
		}
		f.Due(r.Scheduled)
		f.End(r, false)
	}
	for i := range records {
		if r := &records[i]; r.Scheduled <= stop && r.Class == ipc.OK {
			took += float64(r.Done-r.Sent) / 1e6
			ok++
		}
	}
	run.Summary.Load.Window = analysis.Window{From: load.Warmup.Seconds(), To: float64(last) / 1e9}
	if ok > 0 {
		run.Summary.Latency.E2E.Wire.Mean = new(took / float64(ok))
	}
	if b.limit > 0 && ask.Rate >= b.limit {
		run.Summary.Client.Workers = []analysis.Worker{{}}
		run.Summary.Client.Workers[0].Rho = new(0.97)
	}
	s := newStep(b.p, b.slo, run, f, before)
	s.Purpose = ask.Purpose
	return s
}

func schedule(t testing.TB, l ipc.Load) []int64 {
	spec, err := arrival.FromLoad(l)
	if err != nil {
		t.Fatal(err)
	}
	var due []int64
	c := spec.Slice(0, 1)
	for a, ok := c.Next(); ok; a, ok = c.Next() {
		due = append(due, a.At)
	}
	return due
}
