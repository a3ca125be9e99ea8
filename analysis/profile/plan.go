package profile

import (
	"math"

	"tare/ipc"
)

// Purpose says why a step is run.
type Purpose string

// The purposes of steps.
const (
	Ladder        Purpose = "ladder"     // a rung of a plan
	Doubling      Purpose = "double"     // up, until the server saturates
	Descending    Purpose = "descend"    // down, until it does not
	Bisecting     Purpose = "bisect"     // between the last good and the first bad load
	Probing       Purpose = "probe"      // close to the throughput of the saturated steps
	ForThroughput Purpose = "throughput" // to measure that throughput better
	Repeating     Purpose = "repeat"     // a step that contradicts others, or whose client was not valid
	ForSLO        Purpose = "slo"        // between the last load that meets the SLO and the first that misses it
	Down          Purpose = "down"       // back, to see if the server recovers
)

// Ask is a step that should be run next: a rate in requests/s, or in a closed
// loop a concurrency.
type Ask struct {
	Rate        float64
	Concurrency int64
	Purpose     Purpose
}

// load is the rate or the concurrency.
func (a Ask) load() float64 {
	if a.Concurrency > 0 {
		return float64(a.Concurrency)
	}
	return a.Rate
}

// Scales of Profile.Scale.
const (
	Geometric = "geometric"
	Linear    = "linear"
	Auto      = "auto"
)

// Next says which step follows the given ones, or why none does. It is a
// function of what the steps told and of nothing else, so that a profile's
// course can be followed again from its records.
func Next(p ipc.Profile, slo ipc.SLO, steps []Step) (ask Ask, more bool, why string) {
	up := wayUp(p, slo, steps)
	if ask, more, why = climb(p, slo, steps[:up]); more || !p.Down {
		return ask, more, why
	}
	ask, more = descend(p, steps[:up], len(steps)-up)
	return ask, more, why
}

// wayUp is how many of the steps belong to the way up: those for which the
// rules of the way up had an ask.
func wayUp(p ipc.Profile, slo ipc.SLO, steps []Step) int {
	if !p.Down {
		return len(steps)
	}
	for n := range steps {
		if _, more, _ := climb(p, slo, steps[:n]); !more {
			return n
		}
	}
	return len(steps)
}

// climb is Next for the way up.
func climb(p ipc.Profile, slo ipc.SLO, steps []Step) (Ask, bool, string) {
	switch {
	case p.Scale != Auto:
		return climbLadder(p, steps)
	case !p.Open():
		return doubleStreams(p, steps)
	}
	s := newSearch(p, steps)
	ask, more, why := s.next()
	if more || slo == (ipc.SLO{}) || s.hopeless() {
		return ask, more, why
	}
	if ask, more = s.nextForSLO(); more {
		return ask, true, ""
	}
	return ask, false, why
}

// ladder is the loads of a plan of steps.
func ladder(p ipc.Profile) []Ask {
	from, to := p.From, p.To
	if !p.Open() {
		from, to = float64(p.ConcurrencyFrom), float64(p.ConcurrencyTo)
	}
	var asks []Ask
	for i := range p.Steps {
		at, load := 0.0, 0.0
		if p.Steps > 1 {
			at = float64(i) / float64(p.Steps-1)
		}
		if p.Scale == Linear {
			load = from + (to-from)*at
		} else {
			load = from * math.Pow(to/from, at)
		}
		a := Ask{Rate: readable(load), Purpose: Ladder}
		if !p.Open() {
			a = Ask{Concurrency: int64(math.Round(load)), Purpose: Ladder}
		}
		if len(asks) == 0 || a.load() > asks[len(asks)-1].load() {
			asks = append(asks, a)
		}
	}
	return asks
}

// overload is how many saturated steps in a row end a ladder: one to see it and
// one to confirm it. More would only hurt the server.
const overload = 2

// climbLadder walks a plan until it ends or the server saturates.
func climbLadder(p ipc.Profile, steps []Step) (Ask, bool, string) {
	n := len(steps)
	if n == 0 {
		return ladder(p)[0], true, ""
	}
	last := &steps[n-1]
	switch {
	case again(steps):
		return last.again(), true, ""
	case last.Status == Failing || last.limit:
		return Ask{}, false, "the last step was the end of it: " + string(last.Status)
	case n >= overload && last.Status == Saturated && steps[n-2].Status == Saturated:
		return Ask{}, false, "the server is saturated"
	}
	for _, a := range ladder(p) {
		if a.load() > last.load() {
			return a, true, ""
		}
	}
	return Ask{}, false, "the last rung is done"
}

// again asks for the same step once more.
func (s *Step) again() Ask {
	if s.Concurrency != nil {
		return Ask{Concurrency: *s.Concurrency, Purpose: Repeating}
	}
	return Ask{Rate: s.load(), Purpose: Repeating}
}

// doubleStreams doubles the concurrency until the throughput stops rising.
func doubleStreams(p ipc.Profile, steps []Step) (Ask, bool, string) {
	n := len(steps)
	if n == 0 {
		return Ask{Concurrency: p.ConcurrencyFrom, Purpose: Doubling}, true, ""
	}
	last := &steps[n-1]
	switch {
	case again(steps):
		return last.again(), true, ""
	case last.Status == Saturated:
		return Ask{}, false, "the throughput rises no more"
	case last.Status == Failing || last.limit:
		return Ask{}, false, "the last step was the end of it: " + string(last.Status)
	case *last.Concurrency >= p.ConcurrencyTo:
		return Ask{}, false, "--concurrency-to is reached"
	case n >= p.Steps:
		return Ask{}, false, "--steps is reached"
	}
	return Ask{Concurrency: min(2**last.Concurrency, p.ConcurrencyTo), Purpose: Doubling}, true, ""
}
