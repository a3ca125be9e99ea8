package profile

import (
	"cmp"
	"fmt"
	"slices"

	"tare/ipc"
)

// search looks for the capacity: it doubles the rate until the server
// saturates, then closes in from both sides.
//
//	from ──double──► first bad                    good … bad
//	                   │ delivers X                    │
//	                   └──► probe just below X, just above X (bisect without X)
//	                             │
//	                             └──► saturate on until X is known well enough
//
// X is the throughput of the saturated steps. How near to X a probe can be and
// still tell follows from the noise that those steps showed.
type search struct {
	p     ipc.Profile
	steps []Step
	marks []mark // by rate

	good, bad, client *mark // highest stable, lowest saturated, lowest that the client could not drive, nor any above it; nil: none
}

// mark is what is known of one rate.
type mark struct {
	rate   float64
	status Status // of the newest step at that rate
	limits int    // steps in which the client was the limit throughout
	step   *Step  // the newest
}

func newSearch(p ipc.Profile, steps []Step) *search {
	s := &search{p: p, steps: steps}
	for i := range steps {
		s.book(&steps[i])
	}
	slices.SortFunc(s.marks, func(a, b mark) int { return cmp.Compare(a.rate, b.rate) })
	for i := range s.marks {
		m := &s.marks[i]
		switch {
		case m.status == Saturated && s.bad == nil:
			s.bad = m
		case m.status == Stable && (s.bad == nil || m.rate < s.bad.rate):
			s.good = m
		}
	}
	for i := range slices.Backward(s.marks) {
		m := &s.marks[i]
		if m.status != Client {
			break // the client drove this rate, and so the lower ones
		}
		if m.limits >= confirmed {
			s.client = m
		}
	}
	return s
}

// confirmed is how many times the client must have been the limit, and patience
// how many times a step is run whose client was not valid for a moment.
const (
	confirmed = 2
	patience  = 3
)

func (s *search) book(step *Step) {
	i := slices.IndexFunc(s.marks, func(m mark) bool { return m.rate == step.load() })
	if i < 0 {
		s.marks = append(s.marks, mark{rate: step.load()})
		i = len(s.marks) - 1
	}
	m := &s.marks[i]
	m.status, m.step = step.Status, step
	if step.limit {
		m.limits++
	}
}

// runsOf counts the steps at a load.
func runsOf(steps []Step, load float64) int {
	n := 0
	for i := range steps {
		if steps[i].load() == load {
			n++
		}
	}
	return n
}

// again tells if the last step should be run once more because its client was
// not valid: a second time if it was the limit, so that one can be sure, and a
// third time if it was so for a moment only.
func again(steps []Step) bool {
	if len(steps) == 0 {
		return false
	}
	last := &steps[len(steps)-1]
	limits := 0
	for i := range steps {
		if steps[i].load() == last.load() && steps[i].limit {
			limits++
		}
	}
	return last.Status == Client && limits < confirmed && runsOf(steps, last.load()) < patience
}

// hopeless tells if there is nothing that an SLO could be looked for in.
func (s *search) hopeless() bool {
	return len(s.steps) == 0 || s.steps[len(s.steps)-1].Status == Failing || len(s.steps) >= s.p.Steps
}

// next is the step that the search wants, or why it has ended.
func (s *search) next() (Ask, bool, string) {
	if len(s.steps) == 0 {
		return Ask{Rate: s.p.From, Purpose: Doubling}, true, ""
	}
	last := &s.steps[len(s.steps)-1]
	if why := s.over(last); why != "" {
		return Ask{}, false, why
	}
	if again := s.contradiction(last); again > 0 {
		return Ask{Rate: again, Purpose: Repeating}, true, ""
	}
	switch {
	case s.good == nil && s.bad == nil && s.client == nil, s.good != nil && s.bad == nil && s.client == nil:
		return s.double()
	case s.good == nil:
		return s.descend()
	case s.bad == nil:
		return s.narrowClient()
	}
	return s.narrow()
}

// over tells why nothing more can be asked for.
func (s *search) over(last *Step) string {
	switch {
	case last.Status == Failing:
		return "the server fails"
	case last.Status == Undecided && last.short:
		return "steps are too short for this server: give a longer --step-duration or --max-step"
	case len(s.steps) >= s.p.Steps:
		return fmt.Sprintf("--steps %d is reached", s.p.Steps)
	}
	return ""
}

// contradiction is a rate that should be run again, 0 if there is none: its
// client was not valid, or it was saturated where a higher rate was not, or the
// two estimators disagree. Then one stable and one saturated step are confirmed
// before either is believed.
func (s *search) contradiction(last *Step) float64 {
	if again(s.steps) {
		return last.load()
	}
	for _, m := range s.marks {
		if m.status == Stable && s.bad != nil && m.rate > s.bad.rate && runsOf(s.steps, s.bad.rate) == 1 {
			return s.bad.rate
		}
	}
	x, _ := throughput(s.steps)
	if x == nil || (s.good == nil || s.good.rate <= x.Hi) && (s.bad == nil || s.bad.rate >= x.Lo) {
		return 0
	}
	for _, m := range []*mark{s.good, s.bad} {
		if m != nil && !s.confirmed(m.status) {
			return m.rate
		}
	}
	return 0
}

// confirmed tells if some rate had a status twice.
func (s *search) confirmed(status Status) bool {
	return slices.ContainsFunc(s.marks, func(m mark) bool { return m.status == status && runsOf(s.steps, m.rate) > 1 })
}

// double goes up until something gives.
func (s *search) double() (Ask, bool, string) {
	top := s.marks[len(s.marks)-1].rate
	if top >= s.p.To {
		return Ask{}, false, "--to is reached without saturation"
	}
	return Ask{Rate: readable(min(2*top, s.p.To)), Purpose: Doubling}, true, ""
}

// lowest is how far below --from a search goes, as a share of it.
const lowest = 1.0 / 64

// descend goes down until the server keeps up.
func (s *search) descend() (Ask, bool, string) {
	rate := s.marks[0].rate / 2
	if x, _ := throughput(s.steps); x != nil {
		rate = min(rate, x.Value/2)
	}
	if rate < lowest*s.p.From {
		return Ask{}, false, "the server does not keep up with any load that was tried"
	}
	return Ask{Rate: readable(rate), Purpose: Descending}, true, ""
}
