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
func (s *step) client(p plan, children []ipc.Child) Client {
	c := Client{Sharding: s.settings.Sharding.Mode, Workers: []Worker{}}
	for id := range s.children {
		s.worker(id) // a worker without a word on file has a row, too
	}
	events, shared := int64(0), int64(0)
	for _, id := range sortedIDs(s.workers) {
		w := s.workers[id]
		events += w.events
		shared += w.shared
		c.Workers = append(c.Workers, s.workerRow(w, children, p))
	}
	if events > 0 {
		c.Stamps = new(s.stamps())
		c.SharedReads = new(float64(shared) / float64(events))
	}
	return c
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

// workerRow makes one row of workers. Queue rows count if they lie wholly
// within the steady window, and for a worker that died, up to its last.
func (s *step) workerRow(w *worker, children []ipc.Child, p plan) Worker {
	row := Worker{ID: w.id, CPUs: []int{}}
	for _, c := range children {
		if c.Worker == w.id {
			row.CPUs = append(row.CPUs, c.CPUs...)
		}
	}
	from := (s.from - s.offset + ipc.QueueInterval - 1) / ipc.QueueInterval
	to := (p.end - s.offset) / ipc.QueueInterval
	if w.done == nil {
		to = min(to, w.lastInterval()+1)
	}
	row.Queue = metrics.NewQueue(w.rows, from, to)
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
