package capacity

import (
	"fmt"
	"slices"

	"tare/analysis/verdict"
)

// How much of a limit of the verdict a plan uses up. Client lag is more than the
// wait: it holds set-ups, and moments in which a host does something else. In
// runs at loads of 0.4 to 0.7 its p99 was two to three times that of the
// predicted wait.
const (
	rhoMargin = 0.9
	lagMargin = 0.3
)

// spareFiles are the descriptors that a worker needs beside its connections.
const spareFiles = 64

// memoryShare is how much of a node's memory workers may take: connections
// have buffers in the kernel, too.
const memoryShare = 0.8

// perWorker tells which limits are of a worker, and so of a node as many times
// as it has workers.
var perWorker = []string{"load", "max_wait", "wait_p99", "files"}

// limits are all that bound the rate of a node, in the order in which they bind.
func (l *Law) limits(a Ask, n Node) []Limit {
	t := verdict.Default()
	load, lag := rhoMargin*t.Rho, lagMargin*t.SuspectLag*1e3
	all := []Limit{
		{"load", usPerSecond * load / l.work(a.Events), fmt.Sprintf(
			"load %.2f of a worker, sends included: %.2g of the verdict's limit of ρ", load, rhoMargin)},
		{"wait_p99", l.highest(a.Events, func(w wait) bool { return w.lastFirst <= lag }), fmt.Sprintf(
			"p99 of the wait %.0f µs, last come first served: %.2g of the least suspect client lag", lag, lagMargin)},
	}
	if a.MaxWait > 0 {
		most := float64(a.MaxWait) / nsPerMicro
		all = append(all, Limit{"max_wait", l.highest(a.Events, func(w wait) bool { return w.mean <= most }),
			fmt.Sprintf("mean wait %.4g µs, as asked", most)})
	}
	if e2e := a.E2E.Seconds(); e2e > 0 && n.Files > spareFiles {
		all = append(all, Limit{"files", float64(n.Files-spareFiles) / e2e, fmt.Sprintf("%d open files of a worker", n.Files)})
	}
	for i := range all {
		all[i].Rate *= float64(n.CPUs)
	}
	all = append(all, l.nodeLimits(a, n)...)
	byRate(all)
	return all
}

// nodeLimits are those that all workers of a node share.
func (l *Law) nodeLimits(a Ask, n Node) []Limit {
	var all []Limit
	e2e := a.E2E.Seconds()
	if e2e > 0 && n.Ports > 0 {
		all = append(all, Limit{"ports", float64(n.Ports) / e2e, fmt.Sprintf("%d ports of a node for one server address", n.Ports)})
	}
	if e2e > 0 && n.Memory > 0 {
		free := memoryShare*float64(n.Memory) - float64(n.CPUs)*BaseBytes
		all = append(all, Limit{"memory", max(0, free) / (e2e * l.StreamBytes),
			fmt.Sprintf("%.0f %% of the %.3g GB of memory of a node", 100*memoryShare, float64(n.Memory)/1e9)})
	}
	return all
}

// workerRate is the highest rate of a worker, in requests/s.
func workerRate(limits []Limit, n Node) float64 {
	i := slices.IndexFunc(limits, func(l Limit) bool { return slices.Contains(perWorker, l.Name) })
	return limits[i].Rate / float64(n.CPUs) // load is always there
}

// work is what a request of so many events costs a busy worker, in µs.
func (l *Law) work(events float64) float64 { return events*l.ServiceMean + l.Send }

// highest is the highest rate of a worker, in requests/s, whose wait is good.
// Waits rise with the rate.
func (l *Law) highest(events float64, good func(wait) bool) float64 {
	low, high := 0.0, usPerSecond/l.work(events)
	for range 60 {
		middle := (low + high) / 2
		if w, err := l.wait(middle, events); err == nil && good(w) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
