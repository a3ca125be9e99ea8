package profile

import (
	"fmt"

	"tare/ipc"
)

// The limits of Capacity.LimitedBy.
const (
	ByServer = "server" // the server saturated
	ByClient = "client" // the client could not drive it to saturation
	ByNone   = "none"   // no load that was tried saturated it
)

// Capacity is the highest rate that the server sustains, in requests/s, with
// its interval, from two estimators. The search brackets it between the highest
// stable and the lowest saturated load. The saturated steps tell it by what
// they delivered. Where the two agree the interval is what they have in
// common; where not, it is the bracket, and Notes say why.
type Capacity struct {
	Rate        *float64  `json:"rate"` // nil where only a bound is known
	Lo          *float64  `json:"lo"`
	Hi          *float64  `json:"hi"`
	LimitedBy   string    `json:"limited_by"`
	Level       float64   `json:"level"`        // of the interval
	Search      Bracket   `json:"search"`       // the first estimator
	Throughput  *Estimate `json:"throughput"`   // the second; nil without a saturated step
	Agree       *bool     `json:"agree"`        // nil with only one of the two
	ClientLimit *float64  `json:"client_limit"` // lowest load at which the client was not valid; nil if it always was
	Notes       []string  `json:"notes"`
}

// Bracket is what the search found, in requests/s; nil where there is none.
type Bracket struct {
	Lo        *float64  `json:"lo"`        // highest stable load below every saturated one
	Hi        *float64  `json:"hi"`        // lowest saturated load
	Undecided []float64 `json:"undecided"` // loads between them that could not be told
}

// capacityOf reads the steps of the way up.
func capacityOf(p ipc.Profile, steps []Step) Capacity {
	c := Capacity{LimitedBy: ByNone, Level: Level, Notes: []string{}, Search: Bracket{Undecided: []float64{}}}
	if !p.Open() {
		c.ofLoop(steps)
		return c
	}
	s := newSearch(p, steps)
	c.bracket(s)
	var note string
	if c.Throughput, note = throughput(steps); note != "" {
		c.note("%s", note)
	}
	switch {
	case s.bad != nil:
		c.LimitedBy = ByServer
		c.combine()
	case s.client != nil:
		c.LimitedBy = ByClient
		c.Lo = c.Search.Lo
	default:
		c.Lo = c.Search.Lo
		c.unsaturated(steps)
	}
	c.precision(p, s)
	return c
}

func (c *Capacity) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// bracket takes over what the search found.
func (c *Capacity) bracket(s *search) {
	if s.good != nil {
		c.Search.Lo = &s.good.rate
	}
	if s.bad != nil {
		c.Search.Hi = &s.bad.rate
	}
	for _, r := range s.undecided() {
		if (s.good == nil || r > s.good.rate) && (s.bad == nil || r < s.bad.rate) {
			c.Search.Undecided = append(c.Search.Undecided, r)
		}
	}
	if s.client != nil {
		c.ClientLimit = &s.client.rate
		c.note("%s", advice(s.client.step))
	}
	for _, m := range s.marks {
		if s.bad != nil && m.status == Stable && m.rate > s.bad.rate {
			c.note("%s/s was stable although %s/s was saturated: the server's speed changes, and the lower load counts", figure(m.rate), figure(s.bad.rate))
		}
	}
}

// combine puts the two estimators together.
func (c *Capacity) combine() {
	lo, hi, x := c.Search.Lo, c.Search.Hi, c.Throughput
	if x == nil {
		c.Lo, c.Hi = lo, hi
		c.middle()
		return
	}
	above, below := lo != nil && x.Hi < *lo, x.Lo > *hi
	c.Agree = new(!above && !below)
	switch {
	case above:
		c.Lo, c.Hi = lo, hi
		c.note("the estimators disagree: the server kept up with %s/s but delivers only %s/s (%s to %s) when saturated: "+
			"overload costs it throughput, and the search counts", figure(*lo), figure(x.Value), figure(x.Lo), figure(x.Hi))
	case below:
		c.Lo, c.Hi = lo, hi
		c.note("the estimators disagree: %s/s saturated the server although it delivers %s/s (%s to %s) under more load: "+
			"its speed changes with time or load, and the search counts", figure(*hi), figure(x.Value), figure(x.Lo), figure(x.Hi))
	default:
		c.Lo, c.Hi = &x.Lo, &x.Hi
		if lo != nil && *lo > x.Lo {
			c.Lo = lo
		}
		if *hi < x.Hi {
			c.Hi = hi
		}
		c.Rate = new(min(max(x.Value, *c.Lo), *c.Hi))
		return
	}
	c.middle()
}

// middle names the middle of the interval, if it has two ends.
func (c *Capacity) middle() {
	if c.Lo != nil && c.Hi != nil {
		c.Rate = new((*c.Lo + *c.Hi) / 2)
	}
}

// unsaturated says what is known where nothing was saturated.
func (c *Capacity) unsaturated(steps []Step) {
	switch {
	case len(steps) > 0 && steps[len(steps)-1].Status == Failing:
		c.note("the server fails: no capacity can be named")
	case c.Lo != nil:
		c.note("no load that was tried saturates the server: the capacity is above %s/s", figure(*c.Lo))
	default:
		c.note("no step could be judged; the reasons stand with each")
	}
}

// precision says if the interval is wider than was asked for, and what it
// would take.
func (c *Capacity) precision(p ipc.Profile, s *search) {
	if c.Rate == nil || c.Lo == nil || c.Hi == nil || *c.Hi-*c.Lo <= p.Precision**c.Rate {
		return
	}
	width := *c.Hi - *c.Lo
	c.note("the interval is %.1f %% wide, %.1f %% was asked for", 100*width / *c.Rate, 100*p.Precision)
	if x := c.Throughput; x != nil && *c.Agree && len(saturatedSteps(s.steps)) > 0 {
		seconds := 0.0
		for _, b := range saturatedSteps(s.steps) {
			seconds += b.ends.n * b.ends.seconds
		}
		more := x.width() / (p.Precision * x.Value)
		if need := seconds * (more*more - 1); need > 0 {
			c.note("with this server's noise some %.0f s more of saturated steps would do", need)
		}
	}
}

// ofLoop names the plateau of a closed loop's throughput.
func (c *Capacity) ofLoop(steps []Step) {
	for i := range steps {
		s := &steps[i]
		switch {
		case s.limit && c.LimitedBy == ByNone:
			c.LimitedBy = ByClient
			c.note("%s", advice(s))
		case s.Status == Saturated:
			c.LimitedBy = ByServer
		}
	}
	if c.LimitedBy != ByServer {
		if best := heaviest(steps, int64(1)<<40); best != nil && best.Status == Stable {
			c.Lo = &best.Throughput.Value
		}
		return
	}
	all, note := throughput(steps)
	if note != "" {
		c.note("%s", note)
	}
	if c.Throughput = all; all != nil {
		c.Rate, c.Lo, c.Hi = &all.Value, &all.Lo, &all.Hi
	}
}
