package analysis

import (
	"fmt"
	"slices"

	"tare/analysis/metrics"
	"tare/analysis/verdict"
	"tare/ipc"
)

// goroutineMode is the name of the sharding with one process for all workers.
const goroutineMode = "goroutine"

// The names of where receive stamps come from.
const (
	kernelStamps = "kernel"
	userStamps   = "user"
)

// client describes the measuring processes: those that were planned and any
// other that is on file.
func (s *step) client(p plan, children []ipc.Child, lag metrics.Dist) Client {
	c := Client{Sharding: s.settings.Sharding.Mode, Emulation: emulation(s.settings.Shape), Workers: []Worker{}}
	for id := range s.children {
		s.worker(id) // a worker without a word on file has a row, too
	}
	all, rows := &worker{}, []metrics.Rows{}
	for _, id := range sortedIDs(s.workers) {
		w := s.workers[id]
		all.events, all.shared, all.reads = all.events+w.events, all.shared+w.shared, all.reads+w.reads
		rows = append(rows, s.queueRows(w, p))
		c.Workers = append(c.Workers, s.workerRow(w, children, p))
	}
	c.Total = all.handling(metrics.NewQueue(rows...), lag)
	if c.Total.Lambda == nil {
		c.Total.Lambda = sumLambda(c.Workers)
	}
	if all.events > 0 {
		c.Stamps = new(s.stamps())
	}
	c.SharedReads = c.Total.SharedReads
	return c
}

// sumLambda adds up the rates of workers without queue rows.
func sumLambda(workers []Worker) *float64 {
	sum := 0.0
	for _, w := range workers {
		if w.Lambda == nil {
			return nil
		}
		sum += *w.Lambda
	}
	return &sum
}

func emulation(s ipc.Shape) *Emulation {
	if s.ServiceTime == "" {
		return nil
	}
	return &Emulation{ServiceTime: s.ServiceTime, Mode: s.ServiceMode}
}

// handling is what is said of one worker and of all.
func (w *worker) handling(q metrics.Queue, lag metrics.Dist) Handling {
	h := Handling{Queue: q, EventsPerRead: per(float64(w.events), w.reads), SharedReads: per(float64(w.shared), w.events)}
	micro := func(ms *float64) *float64 {
		if ms == nil {
			return nil
		}
		return new(*ms * 1e3)
	}
	h.LagP50, h.LagP99, h.LagP999 = micro(lag.P50), micro(lag.P99), micro(lag.P999)
	return h
}

// stamps is user if more than a few of a worker's events have no stamp: their
// arrival is then the instant of their read.
func (s *step) stamps() string {
	for _, w := range s.workers {
		if float64(w.unstamped) > verdict.Default().Unstamped*float64(w.events) {
			return userStamps
		}
	}
	return kernelStamps
}

// queueRows are the rows of a worker that lie wholly within the steady window,
// and for one that died, up to its last.
func (s *step) queueRows(w *worker, p plan) metrics.Rows {
	from := (s.from - s.offset + ipc.QueueInterval - 1) / ipc.QueueInterval
	to := (p.end - s.offset) / ipc.QueueInterval
	if w.done == nil {
		to = min(to, w.lastInterval()+1)
	}
	return metrics.Rows{Rows: w.rows, From: from, To: to}
}

// workerRow makes one row of workers.
func (s *step) workerRow(w *worker, children []ipc.Child, p plan) Worker {
	row := Worker{ID: w.id, CPUs: []int{}}
	for _, c := range children {
		if c.Worker == w.id {
			row.CPUs = append(row.CPUs, c.CPUs...)
		}
	}
	row.Handling = w.handling(metrics.NewQueue(s.queueRows(w, p)), s.latency.ClientLag(w.id))
	if len(w.rows) == 0 && w.events > 0 {
		row.Lambda = s.rate(w.handled.Sum(p.end), p, len(s.sends))
	}
	usage := w.last.Usage
	if cpu := float64(usage.User + usage.System); cpu > 0 {
		row.CPU = new(cpu / nsPerSecond)
		row.CPUPerRequest = per(cpu/1e3, w.last.Sent)
		row.CPUPerEvent = per(cpu/1e3, w.events)
	}
	return row
}

// lastInterval is the newest interval of the worker's rows, −1 without any.
func (w *worker) lastInterval() int64 {
	last := int64(-1)
	for i := range w.rows {
		last = max(last, w.rows[i].Interval)
	}
	return last
}

// per is total/n, nil for n = 0.
func per(total float64, n int64) *float64 {
	if n == 0 {
		return nil
	}
	return new(total / float64(n))
}

// sharedCPUs says which CPUs have more than one process of the run on them.
func (s *step) sharedCPUs(c Client, allowed []int) []string {
	var said []string
	used := map[int]bool{}
	places := 0
	for _, w := range c.Workers {
		places += len(w.CPUs)
		for _, cpu := range w.CPUs {
			used[cpu] = true
		}
	}
	workers := len(c.Workers)
	if c.Sharding == goroutineMode {
		workers = s.settings.Sharding.Workers
	}
	if len(used) > 0 && (places > len(used) || workers > len(used)) {
		said = append(said, fmt.Sprintf("%d workers run on %d CPUs", workers, len(used)))
	}
	if len(allowed) > 0 && !slices.ContainsFunc(allowed, func(cpu int) bool { return !used[cpu] }) {
		said = append(said, "every allowed CPU has a worker, so that one of them has the supervisor, and a simulator, beside it")
	}
	return said
}
