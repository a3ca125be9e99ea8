package profile

import (
	"fmt"
	"math"
	"time"

	"tare/analysis/stats"
)

// Status says what a step told about the server.
type Status string

// The statuses of a step.
const (
	Stable    Status = "stable"    // it keeps up: the backlog returns to where it was
	Saturated Status = "saturated" // it does not: the backlog grows, or requests are refused
	Undecided Status = "undecided" // the step was too short to tell
	Failing   Status = "failing"   // most requests fail, and not for the load
	Client    Status = "client"    // the client was not valid: nothing is said of the server
)

// A Judgement is what a step told about the server, with the figures that it
// rests on. Rates are in requests/s.
type Judgement struct {
	Status  Status   `json:"status"`
	Reasons []string `json:"reasons"`

	From       float64   `json:"from_s"` // judged window, s after the step's epoch
	To         float64   `json:"to_s"`
	InFlight   *float64  `json:"in_flight"`       // mean number of requests
	Growth     *Estimate `json:"growth"`          // of requests in flight
	Exponent   *float64  `json:"growth_exponent"` // β of in flight ~ t^β: 0 stable, ½ at the capacity, 1 above it
	Returns    int       `json:"returns"`         // falls of requests in flight from upper to lower quartile
	Throughput *Estimate `json:"throughput"`      // successes
	Success    *Estimate `json:"success"`         // share of requests and dropped arrivals that ended in the window
	TTFT       *Trend    `json:"ttft_trend"`

	ends  drift // of successes
	swell drift // of requests in flight
	late  drift // the same in the second half
	rate  float64
	short bool // undecided because requests take too long for the step
}

// A Trend is how wire TTFT went over the window.
type Trend struct {
	Change *float64 `json:"change"` // robust slope times length, over the median
	P      float64  `json:"p"`      // of a rank correlation as large without a trend
}

// What a step must show. Times are in units of an unloaded request's.
const (
	settling      = 2    // the judged window begins this long after the step
	leastWindow   = 4    // … and lasts at least this long
	leastArrivals = 20   // in the judged window
	leastReturns  = 6    // a random walk has as many in half a percent of windows
	fading        = 0.25 // growth in the second half, over that of the whole, below which it fades
	shedding      = 0.01 // share of requests refused beyond what a lighter load had
	plateau       = 0.25 // throughput of a further stream over that of the first, below which a closed loop is saturated
	mostlyFails   = 0.5  // share of success below which a first step is one of a failing server
)

// judgeFlow judges the window [from, to) of an open loop. reference is the
// share of success under a lighter load, nil if there is none yet; tolerance is
// the greatest growth of a stable step, as a share of the arrivals.
func judgeFlow(f *Flow, from, to int64, reference *float64, tolerance float64) Judgement {
	j := newJudgement(f, from, to)
	if !j.short {
		j.decide(reference, tolerance)
	}
	return j
}

// newJudgement takes the figures of the window, undecided as yet, or finds
// that it is too short for any.
func newJudgement(f *Flow, from, to int64) Judgement {
	f.sort()
	j := Judgement{Status: Undecided, Reasons: []string{}, short: true}
	took, ok := f.unloaded(to)
	if !ok {
		j.say("the first requests took longer than the %v looked at: give longer steps", rounded(to-f.begin))
		return j
	}
	from = max(from, f.begin+settling*took)
	if n := within(f.due, from, to); to-from < leastWindow*took || n < leastArrivals {
		j.say("too short to tell: %d requests, and on an idle server one takes %v", n, rounded(took))
		return j
	}
	j.short = false
	j.measure(f, from, to)
	return j
}

// judgeLoop judges a step of a closed loop with so many requests in flight, by
// what it delivers more than the next lighter one of the steps before it.
// Below saturation each further stream adds as much as the first did.
func judgeLoop(f *Flow, from, to int64, before []Step, concurrency int64) Judgement {
	j := newJudgement(f, from, to)
	first, last := lightest(before), heaviest(before, concurrency)
	switch {
	case j.short:
	case last == nil || first == nil:
		j.Status = Stable
	default:
		j.gain(last, float64(concurrency), first.Throughput.Value/first.load())
	}
	return j
}

// gain settles the status by the throughput of a stream that was added.
func (j *Judgement) gain(last *Step, streams, one float64) {
	more := streams - last.load()
	lo, hi := (j.Throughput.Lo-last.Throughput.Hi)/more, (j.Throughput.Hi-last.Throughput.Lo)/more
	switch {
	case hi < plateau*one:
		j.Status = Saturated
	case lo > plateau*one:
		j.Status = Stable
	}
	j.say("each stream beyond %s adds %s/s (%s to %s); the first ones gave %s/s each, and a quarter of it counts as saturated",
		figure(last.load()), figure((j.Throughput.Value-last.Throughput.Value)/more), figure(lo), figure(hi), figure(one))
}

// lightest and heaviest are the steps with the fewest and, below a
// concurrency, the most streams that have a throughput; nil without one.
func lightest(steps []Step) *Step {
	var found *Step
	for i := range steps {
		if s := &steps[i]; s.Throughput != nil && (found == nil || s.load() < found.load()) {
			found = s
		}
	}
	return found
}

func heaviest(steps []Step, below int64) *Step {
	var found *Step
	for i := range steps {
		s := &steps[i]
		if s.Throughput != nil && s.load() < float64(below) && (found == nil || s.load() > found.load()) {
			found = s
		}
	}
	return found
}

// measure takes the figures of a window.
func (j *Judgement) measure(f *Flow, from, to int64) {
	seconds := float64(to-from) / 1e9 / blocks
	j.From, j.To = float64(from-f.begin)/1e9, float64(to-f.begin)/1e9
	j.rate = float64(within(f.due, from, to)) / (seconds * blocks)

	y := f.inFlight(from, to, fine)
	j.InFlight, j.Returns = new(sum(y)/fine), returns(y)
	c := coarse(y)
	if b, ok := exponent(c); ok {
		j.Exponent = &b
	}
	j.swell, j.late = driftOf(c, seconds), driftOf(c[blocks/2:], seconds)
	j.Growth = new(j.swell.rate())
	j.ends = driftOf(levels(f.ok, from, to, blocks), seconds)
	j.Throughput = new(j.ends.rate())

	good, bad := counts(f.ok, from, to, blocks), counts(f.refused, from, to, blocks)
	all := make([]float64, blocks)
	for i := range all {
		all[i] = good[i] + bad[i]
	}
	if share, ok := ratio(good, all); ok {
		j.Success = &share
	}
}

// trend looks at TTFT in the order of sending; nil for too few requests.
func trend(f *Flow, from, to int64) *Trend {
	var x []float64
	for _, s := range f.first {
		if s.from >= from && s.to < to {
			x = append(x, float64(s.to-s.from))
		}
	}
	d, ok := stats.Trend(x)
	if !ok {
		return nil
	}
	return &Trend{Change: d.Change, P: d.P}
}

// decide settles the status from the figures.
func (j *Judgement) decide(reference *float64, tolerance float64) {
	growth := *j.Growth
	switch {
	case j.refuses(reference):
	case growth.Lo > 0 && j.late.perSecond() > fading*growth.Value:
		j.Status = Saturated
		j.say("in flight grows by %s/s (%s to %s): %s/s come, %s/s leave",
			figure(growth.Value), figure(growth.Lo), figure(growth.Hi), figure(j.rate), figure(j.Throughput.Value))
	case growth.Hi < 0:
		j.Status = Stable
		j.say("works off a backlog: in flight falls by %s/s", figure(-growth.Value))
	case j.Returns >= leastReturns && growth.Lo <= 0 && growth.Value <= tolerance*j.rate:
		j.Status = Stable
		j.say("in flight returned to its lower level %d times, %d are asked for", j.Returns, leastReturns)
	default:
		j.doubt()
	}
}

// refuses settles steps in which requests failed or were dropped. Under load a
// server may shed what it cannot serve: its backlog does not grow then.
func (j *Judgement) refuses(reference *float64) bool {
	share := j.Success
	switch {
	case share == nil:
		return false
	case reference == nil && share.Hi < mostlyFails:
		j.Status = Failing
		j.say("%.1f %% of requests succeed, at the lightest load of all", 100*share.Value)
	case reference != nil && share.Hi < *reference-shedding:
		j.Status = Saturated
		j.say("%.1f %% of requests succeed, %.1f %% did under a lighter load", 100*share.Value, 100**reference)
	default:
		return false
	}
	return true
}

// doubt says why nothing could be decided and what would decide it.
func (j *Judgement) doubt() {
	near := nearness(j.swell.diffusion(), j.To-j.From) / j.rate
	j.say("in flight neither grows for certain (%s/s, %s to %s) nor returns (%d times, %d are asked for)",
		figure(j.Growth.Value), figure(j.Growth.Lo), figure(j.Growth.Hi), j.Returns, leastReturns)
	if j.Exponent != nil && *j.Exponent > 0.25 {
		j.say("it grows like t^%.2f (½ at exactly the capacity): the load is likely within %.1f %% of the capacity, "+
			"and telling to 1 %% would take some %v", *j.Exponent, 100*near, time.Duration(1e9*timeToTell(j.swell.diffusion(), 0.01*j.rate)).Round(time.Second))
	}
}

// nearness is how far from the capacity, in requests/s, a load may be and a
// step of so many seconds still not tell on which side: the drift that
// quantile(blocks−1) standard deviations of a random walk with the given
// variance a second hide.
func nearness(diffusion, seconds float64) float64 {
	return quantile(blocks-1) * math.Sqrt(diffusion/seconds)
}

// timeToTell is the inverse: the seconds that tell a drift.
func timeToTell(diffusion, drift float64) float64 {
	q := quantile(blocks - 1)
	return q * q * diffusion / (drift * drift)
}

func (j *Judgement) say(format string, args ...any) {
	j.Reasons = append(j.Reasons, fmt.Sprintf(format, args...))
}

// rounded cuts a time for reading.
func rounded(ns int64) time.Duration { return time.Duration(ns).Round(100 * time.Microsecond) }
