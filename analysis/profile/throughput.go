package profile

import (
	"fmt"
	"math"
)

// clearly is the growth of a backlog, as a share of the arrivals, from which
// the server counts as busy throughout: below it the slots may run dry now and
// then, and what is delivered is a little less than the capacity.
const clearly = 0.05

// unequal is how far apart, as a share, the throughputs of two steps may be
// and count as one, beyond stretch times what their intervals allow: many are
// compared.
const (
	unequal = 0.02
	stretch = 1.5
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
	lo, hi, one := busy[0], busy[0], true
	for _, s := range busy {
		margin := unequal*pooled.Value + stretch*s.Throughput.width()/2
		one = one && math.Abs(s.Throughput.Value-pooled.Value) <= margin
		if s.Throughput.Value < lo.Throughput.Value {
			lo = s
		}
		if s.Throughput.Value > hi.Throughput.Value {
			hi = s
		}
	}
	if one {
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
		if s.swell.rate().Value > clearly*s.rate {
			clear = append(clear, s)
		}
	}
	if len(clear) > 0 {
		return clear
	}
	return busy
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
