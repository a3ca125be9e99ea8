package audit

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Window is the part of the log that is judged: from the first arrival that
// belongs to the load to the last.
//
// A tool may try the server before it loads it. Asked.Warmup requests are left
// out at the head where that number is known. Else the head ends at the last
// pause, among the first leadCount gaps or the first leadShare of all, that is
// longer than each of: 0.1 s; pauseGaps + ln(gaps looked at) mean gaps of the
// rate asked for or of the one seen between the quartiles, whichever is lower;
// and twice the longest but a thousandth of the gaps between the quartiles. If
// there is no such pause, but more requests came than Asked.Requests, none
// failed, and the surplus was answered one by one before anything else came,
// then the surplus is the head.
type Window struct {
	Trimmed int64   `json:"trimmed"` // requests left out at the head
	From    int64   `json:"from_ns"` // arrivals, CLOCK_MONOTONIC
	To      int64   `json:"to_ns"`
	Length  float64 `json:"length_s"`
}

// byArrival returns the log in the order of arrival.
func byArrival(log []Request) []Request {
	log = slices.Clone(log)
	slices.SortStableFunc(log, func(a, b Request) int { return cmp.Compare(a.Arrival, b.Arrival) })
	return log
}

// arrivals are the instants of a sorted log.
func arrivals(log []Request) []int64 {
	at := make([]int64, len(log))
	for i := range log {
		at[i] = log[i].Arrival
	}
	return at
}

// window cuts the head off a sorted log.
func window(log []Request, asked Asked) ([]Request, Window) {
	head := leading(log, asked)
	w := Window{Trimmed: int64(head)}
	log = log[head:]
	if len(log) > 0 {
		w.From, w.To = log[0].Arrival, log[len(log)-1].Arrival
		w.Length = float64(w.To-w.From) / 1e9
	}
	return log, w
}

// leading is how many requests at the head are not of the load.
func leading(log []Request, asked Asked) int {
	if asked.Warmup != nil {
		return int(min(*asked.Warmup, int64(len(log))))
	}
	if head := pause(arrivals(log), asked); head > 0 {
		return head
	}
	return surplus(log, asked)
}

// pause is the number of arrivals before the last pause in the head, 0 for
// none.
func pause(at []int64, asked Asked) int {
	n := len(at)
	if n < 8 {
		return 0
	}
	looked := min(n/2, max(leadCount, int(leadShare*float64(n))))
	middle := at[n/4 : 3*n/4+1]
	mean := float64(middle[len(middle)-1]-middle[0]) / float64(len(middle)-1)
	if asked.Rate > 0 {
		mean = max(mean, 1e9/asked.Rate)
	}
	long := gaps(middle)
	slices.Sort(long)
	limit := max(float64(leastPause),
		mean*(pauseGaps+math.Log(float64(looked)))*max(1, asked.scv()),
		2*long[len(long)-1-len(long)/1000])
	for i := looked; i > 0; i-- {
		if float64(at[i]-at[i-1]) > limit {
			return i
		}
	}
	return 0
}

// surplus is the number of requests above the number asked for, if they look
// like probes, else 0.
func surplus(log []Request, asked Asked) int {
	extra := int64(len(log)) - asked.Requests
	if asked.Requests <= 0 || extra <= 0 || extra > max(leadCount, int64(leadShare*float64(len(log)))) {
		return 0
	}
	for i := range log {
		if log[i].failed() || int64(i) < extra && log[i].end() > log[i+1].Arrival {
			return 0
		}
	}
	return int(extra)
}

// gaps are the times between successive instants, ns.
func gaps(at []int64) []float64 {
	g := make([]float64, max(0, len(at)-1))
	for i := range g {
		g[i] = float64(at[i+1] - at[i])
	}
	return g
}

// perSecond counts the arrivals of each whole second of the window.
func perSecond(at []int64) []int64 {
	second := int64(time.Second)
	counts := make([]int64, (at[len(at)-1]-at[0])/second)
	for _, t := range at {
		if k := (t - at[0]) / second; k < int64(len(counts)) {
			counts[k]++
		}
	}
	return counts
}
