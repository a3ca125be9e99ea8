package audit

import "slices"

// InFlight is the number of requests that the server had at a time: between
// their arrival and the end of their answer.
type InFlight struct {
	Mean *float64 `json:"mean"` // over time, within the window
	Max  int      `json:"max"`
	// Dispersion is the variance over the mean, over time: at least 1 for
	// Poisson arrivals at a server without a queue, near 0 for a fixed number.
	Dispersion *float64 `json:"dispersion"`
}

// span is a stretch of time, ns.
type span struct{ from, to int64 }

// ends are the instants at which the requests of a log ended, sorted.
func ends(log []Request) []int64 {
	e := make([]int64, len(log))
	for i := range log {
		e[i] = log[i].end()
	}
	slices.Sort(e)
	return e
}

// sweep walks the level of requests in flight over a sorted log: stay is
// called for each stretch of one level, in order, from the first arrival to
// the last. It returns the highest level.
func sweep(log []Request, stay func(level int, length int64)) (highest int) {
	end, level := ends(log), 0
	next := 0
	for i := range log {
		if i > 0 {
			at := log[i-1].Arrival
			for ; next < len(end) && end[next] <= log[i].Arrival; next++ {
				stay(level, end[next]-at)
				at = end[next]
				level--
			}
			stay(level, log[i].Arrival-at)
		}
		level++
		highest = max(highest, level)
	}
	return highest
}

// inFlight describes the level over time.
func inFlight(log []Request) InFlight {
	var time, sum, square float64
	highest := sweep(log, func(level int, length int64) {
		time += float64(length)
		sum += float64(level) * float64(length)
		square += float64(level) * float64(level) * float64(length)
	})
	f := InFlight{Max: highest}
	if time > 0 {
		mean := sum / time
		f.Mean = &mean
		if mean > 0 {
			f.Dispersion = new((square/time - mean*mean) / mean)
		}
	}
	return f
}

// covered counts the instants (sorted) that lie within any of the spans.
func covered(at []int64, spans []span) (n int64) {
	from, to := make([]int64, len(spans)), make([]int64, len(spans))
	for i, s := range spans {
		from[i], to[i] = s.from, s.to
	}
	slices.Sort(from)
	slices.Sort(to)
	begun, over := 0, 0
	for _, t := range at {
		for begun < len(from) && from[begun] <= t {
			begun++
		}
		for over < len(to) && to[over] <= t {
			over++
		}
		if begun > over {
			n++
		}
	}
	return n
}
