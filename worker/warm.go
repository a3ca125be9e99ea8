package worker

import (
	"tare/analysis/arrival"
	"tare/ipc"
)

const (
	warmSeconds = 0.02 // an open loop warms what arrives in this time …
	warmLeast   = 4    // … but at least so many connections
	warmMost    = 256  // … and at most so many
)

// warmConnections is how many connections a worker opens before the start:
// all that a closed loop needs, or some for an open loop, which opens more as
// it needs them.
func warmConnections(l ipc.Load, worker, workers int) int {
	if !l.Open() {
		n := l.Concurrency
		if l.Requests > 0 {
			n = min(n, l.Requests)
		}
		return int(arrival.Share(n, worker, workers))
	}
	rate, err := arrival.ParseRate(l.Rate)
	if err != nil {
		return warmLeast // a trace has no rate
	}
	n := int(rate.Float64() / float64(workers) * warmSeconds)
	most := min(warmMost, int(arrival.Share(l.MaxInFlight, worker, workers)))
	return min(max(n, warmLeast), most)
}
