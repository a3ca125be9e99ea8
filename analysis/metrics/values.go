package metrics

import (
	"cmp"
	"slices"
)

// Values appends what the request contributes to one column of one metric, in
// ms: a value, or for itl one for each gap (shared reads or not), or none where
// the metric is undefined. The names are those of the summary's keys; other
// names contribute nothing.
func (q Request) Values(dst []float64, metric, column string) []float64 {
	if q.Sent < 0 {
		return dst
	}
	if metric != "itl" {
		row := NewRow(q)
		if v, ok := row.Latency(metric, column); ok {
			dst = append(dst, v)
		}
		return dst
	}
	place, known := places[column]
	for i := 1; i < len(q.Output) && !q.Unary && known; i++ {
		dst = append(dst, span(stampsOf(q.Output[i-1]), stampsOf(q.Output[i]), 1)[place]/nsPerMs)
	}
	return dst
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
		slices.SortStableFunc(s.points, func(a, b point) int { return cmp.Compare(a.at, b.at) })
		s.sorted = true
	}
	values := make([]float64, len(s.points))
	for i, p := range s.points {
		values[i] = p.value
	}
	return values
}
