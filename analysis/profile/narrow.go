package profile

import "slices"

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
