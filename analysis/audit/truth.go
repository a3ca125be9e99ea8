package audit

import (
	"slices"

	"tare/analysis/stats"
)

// Dist is the distribution of a latency, in ms; percentiles are of nearest
// rank. Figures of nothing are nil.
type Dist struct {
	Summary
	N int `json:"n"`
}

// distOf sorts the values, ms, and describes them.
func distOf(ms []float64) Dist {
	mean, ok := stats.Mean(ms)
	if !ok {
		return Dist{}
	}
	slices.Sort(ms)
	at := func(p float64) *float64 {
		x, _ := stats.Percentile(ms, p)
		return &x
	}
	return Dist{Summary: Summary{Mean: &mean, P50: at(0.5), P90: at(0.9), P95: at(0.95), P99: at(0.99)}, N: len(ms)}
}

// measured are the requests that a latency is taken of: answered whole, with
// output.
func measured(log []Request) []Request {
	whole := make([]Request, 0, len(log))
	for _, r := range log {
		if r.ok() && r.Tokens > 0 && r.First > 0 && r.Last > 0 {
			whole = append(whole, r)
		}
	}
	return whole
}

// truth is each metric as the server saw it: the plain convention.
func truth(measured []Request) map[Metric]Dist {
	t := map[Metric]Dist{}
	for _, m := range Metrics {
		t[m] = conventions[m][0].dist(measured)
	}
	return t
}
