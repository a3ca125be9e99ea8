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

// clientPrecision is the width, as a share, to which the limit of the client
// is told: more would be of no use.
const clientPrecision = 0.25

// narrowClient bisects between the highest good load and the client's limit.
func (s *search) narrowClient() (Ask, bool, string) {
	rate, ok := between(s.good.rate, s.client.rate, nil, clientPrecision*s.client.rate)
	if !ok {
		return Ask{}, false, "the client is the limit"
	}
	return Ask{Rate: rate, Purpose: Bisecting}, true, ""
}

// narrow closes in on the capacity from both sides.
func (s *search) narrow() (Ask, bool, string) {
	x, _ := throughput(s.steps)
	if x == nil || x.Hi <= s.good.rate || x.Lo >= s.bad.rate {
		rate, ok := between(s.good.rate, s.bad.rate, s.undecided(), s.p.Precision*s.bad.rate)
		if !ok {
			return Ask{}, false, "the bracket is as narrow as asked for, or as can be told"
		}
		return Ask{Rate: rate, Purpose: Bisecting}, true, ""
	}
	if rate := s.probe(x.Value); rate > 0 {
		return Ask{Rate: rate, Purpose: Probing}, true, ""
	}
	c := capacityOf(s.p, s.steps)
	if c.Lo != nil && c.Hi != nil && *c.Hi-*c.Lo <= spare*s.p.Precision**c.Rate {
		return Ask{}, false, "the interval is as narrow as asked for"
	}
	return Ask{Rate: readable(saturating * s.sustained(x.Value)), Purpose: ForThroughput}, true, ""
}

// sustained is the throughput x, or a higher rate below the lowest saturated
// one that could not be told from the capacity.
func (s *search) sustained(x float64) float64 {
	x = max(x, s.good.rate)
	for _, r := range s.undecided() {
		if r < s.bad.rate {
			x = max(x, r)
		}
	}
	return x
}

// spare is the share of the precision that the search aims at: the capacity
// itself is not known to more than the precision.
const spare = 0.9

// saturating is the load, over the capacity, at which the throughput is
// measured: enough that slots never run dry, not so much that the backlog
// hurts.
const saturating = 1.15

// Probes stand at most so far from the throughput, as shares of it, and at
// least so near that two of them make a bracket of the wanted precision.
const (
	farthest = 0.25
	nearest  = 0.45 // of the precision
)

// probe is a rate just below or above the throughput x that has not been
// tried, 0 if there is none. It keeps the distance at which a step of the
// greatest length can tell; where noise and not the precision sets it, a bound
// at up to twice that distance will do.
func (s *search) probe(x float64) float64 {
	off, near := nearest*s.p.Precision, 0.01
	if noise := 1.5 * nearness(s.diffusion(), s.p.MaxStep.Seconds()) / x; noise > off {
		off = min(noise, farthest)
		near = off
	}
	below, above := readable((1-off)*x), readable((1+off)*x)
	switch {
	case s.good.rate < (1-near)*below && s.untried(below) && !s.tried((1-near)*below, x):
		return below
	case s.bad.rate > (1+near)*above && s.untried(above) && !s.tried(x, (1+near)*above):
		return above
	}
	return 0
}

// untried tells if a rate lies within the bracket and has not been run.
func (s *search) untried(rate float64) bool {
	return s.good.rate < rate && rate < s.bad.rate && runsOf(s.steps, rate) == 0
}

// diffusion is the mean variance a second of requests in flight over the
// saturated steps.
func (s *search) diffusion() float64 {
	busy := saturatedSteps(s.steps)
	total := 0.0
	for _, b := range busy {
		total += b.swell.diffusion() / float64(len(busy))
	}
	return total
}

// undecided are the rates that could not be told, or not for want of a valid
// client.
func (s *search) undecided() []float64 {
	var rates []float64
	for _, m := range s.marks {
		if m.status == Undecided || m.status == Client && (s.client == nil || m.rate < s.client.rate) {
			rates = append(rates, m.rate)
		}
	}
	return rates
}

// tried tells if a rate in [lo, hi] has been tried in vain.
func (s *search) tried(lo, hi float64) bool {
	return slices.ContainsFunc(s.undecided(), func(r float64) bool { return lo <= r && r <= hi })
}

// nextForSLO bisects between the last load that meets the SLO and the first
// that misses it. To meet it takes many requests: while no load does, one that
// the server keeps up with is run for as long as that needs.
func (s *search) nextForSLO() (Ask, bool) {
	lo, hi := sloBracket(s.steps)
	if hi == nil {
		return Ask{}, false
	}
	var vain []float64
	for i := range s.steps {
		if x := &s.steps[i]; x.SLO != nil && x.SLO.Met != Meets && x.Purpose == ForSLO {
			vain = append(vain, x.load())
		}
	}
	if lo == nil {
		rate := s.lighter(min(*hi, slices.Min(append(vain, *hi))))
		return Ask{Rate: rate, Purpose: ForSLO}, rate >= lowest*s.p.From
	}
	rate, ok := between(*lo, *hi, vain, s.p.Precision**hi)
	return Ask{Rate: rate, Purpose: ForSLO}, ok
}

// lighter is the highest stable rate below one, or half of that.
func (s *search) lighter(rate float64) float64 {
	half := readable(rate / 2)
	for _, m := range s.marks {
		if m.status == Stable && half < m.rate && m.rate < rate {
			half = m.rate
		}
	}
	return half
}

// between is the middle of the widest piece of (lo, hi) that the rates tried
// in vain leave, false if none is wider than least. A wide piece is halved on
// the scale of ratios.
func between(lo, hi float64, vain []float64, least float64) (float64, bool) {
	edges := []float64{lo}
	for _, r := range vain {
		if lo < r && r < hi {
			edges = append(edges, r)
		}
	}
	edges = append(edges, hi)
	slices.Sort(edges)
	a, b := lo, lo
	for i := 1; i < len(edges); i++ {
		if edges[i]-edges[i-1] > b-a {
			a, b = edges[i-1], edges[i]
		}
	}
	if b-a <= least {
		return 0, false
	}
	middle := readable(middleOf(a, b))
	return middle, a < middle && middle < b
}
