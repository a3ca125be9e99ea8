package profile

import (
	"fmt"
	"math"
)

// clearly is the growth of a backlog, as a share of the arrivals, from which
// the server counts as busy throughout: below it the slots may run dry now and
// then, and what is delivered is a little less than the capacity.
const clearly = 0.05

// unequal is how far apart, as a share, the throughputs of two steps may be and
// count as one, beyond what chance does: so many standard deviations.
const (
	unequal = 0.02
	chance  = 4
)

// throughput is what the server delivers when it always has something to do:
// slots/E[S] whatever the load above it, and so an estimate of the capacity
// that is far sharper than any bracket. It pools the saturated steps, in
// requests/s. note says if they are not of one level; then only those of the
// lightest load count, which is nearest to the capacity. nil without any.
func throughput(steps []Step) (all *Estimate, note string) {
	busy := saturatedSteps(steps)
	if len(busy) == 0 {
		return nil, ""
	}
	pooled := poolEnds(busy)
	lo, hi := busy[0], busy[0]
	for _, s := range busy {
		if s.Throughput.Value < lo.Throughput.Value {
			lo = s
		}
		if s.Throughput.Value > hi.Throughput.Value {
			hi = s
		}
	}
	if equal(busy, pooled.Value) {
		return &pooled, ""
	}
	note = fmt.Sprintf("under overload the server delivers from %s/s (at %s/s) to %s/s (at %s/s): it is not of one speed, and the lightest overload counts",
		figure(lo.Throughput.Value), figure(lo.load()), figure(hi.Throughput.Value), figure(hi.load()))
	nearest := poolEnds(lightestOf(busy))
	return &nearest, note
}

// saturatedSteps are those that have something to say, the clear ones if there
// are any.
func saturatedSteps(steps []Step) []*Step {
	var busy, clear []*Step
	for i := range steps {
		s := &steps[i]
		if s.Status != Saturated || s.Throughput == nil || s.Throughput.Value <= 0 || s.Interrupted {
			continue
		}
		busy = append(busy, s)
		if s.swell.perSecond() > clearly*s.rate {
			clear = append(clear, s)
		}
	}
	if len(clear) > 0 {
		return clear
	}
	return busy
}

// equal tells if all steps may have the same throughput. Chance is judged by the
// noise of all of them: that of a short step alone is known badly.
func equal(steps []*Step, mean float64) bool {
	variance, seconds := 0.0, 0.0
	for _, s := range steps {
		variance += s.ends.n * s.ends.variance
		seconds += s.ends.n * s.ends.seconds
	}
	for _, s := range steps {
		sd := math.Sqrt(variance / seconds / (s.ends.n * s.ends.seconds))
		if math.Abs(s.Throughput.Value-mean) > unequal*mean+chance*sd {
			return false
		}
	}
	return true
}

func poolEnds(steps []*Step) Estimate {
	var all []drift
	for _, s := range steps {
		all = append(all, s.ends)
	}
	return pool(all...)
}

// lightestOf are the steps of the lowest load.
func lightestOf(steps []*Step) []*Step {
	var kept []*Step
	for _, s := range steps {
		switch {
		case len(kept) == 0 || s.load() < kept[0].load():
			kept = []*Step{s}
		case s.load() == kept[0].load():
			kept = append(kept, s)
		}
	}
	return kept
}
