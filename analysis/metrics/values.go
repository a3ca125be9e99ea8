package metrics

import (
	"slices"

	"tare/ipc"
)

// msPerNS converts ns to ms.
const msPerNS = 1e-6

// Values appends what the request contributes to one column of one metric, in
// ms: a value, or for itl one for each gap (shared reads or not), or none where
// the metric is undefined. The names are those of the summary's keys; other
// names contribute nothing.
func (q Request) Values(dst []float64, metric, column string) []float64 {
	if q.Sent < 0 {
		return dst
	}
	switch metric {
	case "ttft":
		if e, ok := q.First(); ok {
			dst = append(dst, q.since(e, column))
		}
	case "e2e":
		if e, ok := q.Last(); ok {
			dst = append(dst, q.since(e, column))
		}
	case "ntpot":
		if e, ok := q.Last(); ok && q.Tokens > 0 {
			dst = append(dst, q.since(e, column)/float64(q.Tokens))
		}
	case "tpot":
		if first, last, n, ok := q.decoding(); ok {
			dst = append(dst, between(first, last, column)/float64(n))
		}
	case "itl":
		for i := 1; i < len(q.Output) && !q.Unary; i++ {
			dst = append(dst, between(q.Output[i-1], q.Output[i], column))
		}
	}
	return dst
}

// since is the time from the column's start to an event, in ms.
func (q Request) since(e ipc.Event, column string) float64 {
	ns := map[string]int64{
		"wire": e.Arrival - q.Sent, "observed": e.Handled - q.Sent,
		"scheduled": e.Arrival - q.Scheduled, "bias": e.Handled - e.Arrival,
	}[column]
	return float64(ns) * msPerNS
}

// between is the time between two events in a column, in ms. It has no start,
// so that scheduled is wire.
func between(a, b ipc.Event, column string) float64 {
	wire, observed := b.Arrival-a.Arrival, b.Handled-a.Handled
	ns := map[string]int64{"wire": wire, "observed": observed, "scheduled": wire, "bias": observed - wire}[column]
	return float64(ns) * msPerNS
}

// A Series is values in the order of the instants they belong to.
type Series struct {
	points []point
	sorted bool
}

type point struct {
	at    int64
	value float64
}

// Add adds values that belong to one instant, in ns.
func (s *Series) Add(at int64, values ...float64) {
	for _, v := range values {
		s.points = append(s.points, point{at, v})
	}
	s.sorted = false
}

// Len is the number of values.
func (s *Series) Len() int { return len(s.points) }

// Values returns all values in order.
func (s *Series) Values() []float64 {
	if !s.sorted {
		slices.SortStableFunc(s.points, func(a, b point) int { return int(min(max(a.at-b.at, -1), 1)) })
		s.sorted = true
	}
	values := make([]float64, len(s.points))
	for i, p := range s.points {
		values[i] = p.value
	}
	return values
}
