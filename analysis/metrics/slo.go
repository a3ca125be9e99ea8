package metrics

import (
	"time"

	"tare/ipc"
)

// Meets tells whether a request that succeeded kept every limit. TTFT, E2E and
// NTPOT are judged from the scheduled instant, TPOT and ITL by kernel stamps,
// ITL by the longest gap. A request with fewer than two output events meets
// TPOT and ITL; one without any misses TTFT, E2E and NTPOT.
func (q Request) Meets(l ipc.SLO) bool {
	first, begun := q.First()
	last, ended := q.Last()
	within := func(limit time.Duration, ns float64, known bool) bool {
		return limit == 0 || known && ns <= float64(limit)
	}
	e2e := float64(last.Arrival - q.Scheduled)
	return within(l.TTFT, float64(first.Arrival-q.Scheduled), begun) &&
		within(l.E2E, e2e, ended) &&
		within(l.NTPOT, e2e/float64(max(q.Tokens, 1)), ended && q.Tokens > 0) &&
		within(l.TPOT, q.wireTPOT(), true) &&
		within(l.ITL, float64(q.longestGap()), true)
}

// wireTPOT is the time per output token in ns, 0 where there is none.
func (q Request) wireTPOT() float64 {
	first, last, tokens, ok := q.decoding()
	if !ok {
		return 0
	}
	return float64(last.Arrival-first.Arrival) / float64(tokens)
}

// longestGap is the longest time between output events in ns, 0 without one.
func (q Request) longestGap() int64 {
	longest := int64(0)
	for i := 1; i < len(q.Output) && !q.Unary; i++ {
		longest = max(longest, q.Output[i].Arrival-q.Output[i-1].Arrival)
	}
	return longest
}
