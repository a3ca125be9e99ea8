package profile

import (
	"time"

	"tare/analysis"
	"tare/analysis/arrival"
	"tare/ipc"
)

// Step is one step of load and what it told.
type Step struct {
	Number      int      `json:"number"`
	Purpose     Purpose  `json:"purpose"`     // why it was run
	Asked       *float64 `json:"asked"`       // requests/s; nil in a closed loop
	Concurrency *int64   `json:"concurrency"` // requests in flight; nil in an open loop
	Delivered   *float64 `json:"delivered"`   // successes/s over the steady window
	Seconds     float64  `json:"seconds"`     // from the step's epoch to the last due time
	Saturated   bool     `json:"saturated"`
	Interrupted bool     `json:"interrupted"` // cut short by the user: it decides nothing
	Judgement
	SLO     *Attained        `json:"slo"` // nil without an SLO
	Summary analysis.Summary `json:"summary"`

	limit bool // the client was not valid throughout, and not for a moment only
}

// load is what the steps are ordered by: the rate asked for, or the
// concurrency.
func (s *Step) load() float64 {
	switch {
	case s.Asked != nil:
		return *s.Asked
	case s.Concurrency != nil:
		return float64(*s.Concurrency)
	}
	return 0
}

// newStep judges a step from its summary and its flow.
func newStep(p ipc.Profile, slo ipc.SLO, run analysis.Step, f *Flow, before []Step) Step {
	s := Step{Number: run.Number, Delivered: run.Summary.Load.DeliveredRate, Summary: run.Summary, Seconds: run.Summary.Load.Window.To}
	from, to := run.Offset+int64(run.Load.Warmup), run.Offset+int64(1e9*run.Summary.Load.Window.To)
	if run.Load.Open() {
		if r, err := arrival.ParseRate(run.Load.Rate); err == nil {
			s.Asked = new(r.Float64())
		}
		s.Judgement = judgeFlow(f, from, to, reference(before, s.load()), p.Precision)
	} else {
		s.Concurrency = new(run.Load.Concurrency)
		s.Judgement = judgeLoop(f, from, to, before, *s.Concurrency)
	}
	s.TTFT = trend(f, from, to)
	if slo != (ipc.SLO{}) {
		s.SLO = f.attained(from, to+1, p.Attainment)
	}
	s.judgeClient(f)
	s.Saturated = s.Status == Saturated
	return s
}

// reference is the share of success of the lightest stable step below a load;
// nil without one.
func reference(steps []Step, load float64) *float64 {
	var share *float64
	for i := range steps {
		s := &steps[i]
		if s.Status == Stable && s.load() < load && s.Success != nil {
			share, load = &s.Success.Value, s.load()
		}
	}
	return share
}

// Load is the load of the step that is asked for, from that of the profile.
// Each step has arrivals of its own: the same ones again would tell nothing
// new.
func (a Ask) Load(base ipc.Load, p ipc.Profile, number int) (ipc.Load, error) {
	l := base
	l.Requests, l.Duration, l.Warmup, l.Drain = 0, max(p.StepDuration, p.MaxStep), p.StepWarmup, p.Drain
	l.Seed += uint64(number)
	if !p.Open() {
		l.Rate, l.Concurrency = "", a.Concurrency
		return l, nil
	}
	r, err := arrival.RateOf(a.Rate)
	l.Rate, l.Concurrency = r.String(), 0
	return l, err
}

// A Watch tells of a running step when it may end.
type Watch struct {
	p      ipc.Profile
	slo    ipc.SLO
	ask    Ask
	before []Step
	next   time.Duration // of the next look
	said   string        // at the last look, if it was sure
}

// NewWatch watches a step that follows others.
func NewWatch(p ipc.Profile, slo ipc.SLO, ask Ask, before []Step) *Watch {
	return &Watch{p: p, slo: slo, ask: ask, before: before, next: p.MinStep}
}

// lookGrowth is the ratio of successive looks: the more looks, the likelier is
// one that errs.
const lookGrowth = 1.3

// Enough looks at the flow as far as it is on file, to ns after the run epoch,
// and tells if the step has shown what it was run for.
func (w *Watch) Enough(f *Flow, to int64) bool {
	elapsed := time.Duration(to - f.begin)
	if elapsed < w.next || w.p.MinStep >= w.p.MaxStep {
		return false
	}
	w.next = time.Duration(lookGrowth * float64(elapsed))
	from := f.begin + int64(w.p.StepWarmup)
	if !w.p.Open() {
		j := judgeLoop(f, from, to, w.before, w.ask.Concurrency)
		return !j.short && j.Throughput.width() <= w.p.Precision*j.Throughput.Value
	}
	j := judgeFlow(f, from, to, reference(w.before, w.ask.Rate), w.p.Precision)
	switch {
	case w.ask.Purpose == ForSLO:
		met := Unsure
		if a := f.attained(from, to, w.p.Attainment); a != nil {
			met = a.Met
		}
		return w.twice(string(met), met != Unsure) && j.Status != Undecided
	case j.Status == Saturated:
		return j.Growth.Lo > spareGrowth*j.Growth.Value && w.measured(j, elapsed)
	case j.Status == Stable:
		return w.twice(string(Stable), j.Growth.Hi < 0 || j.Returns >= leastReturns+spareReturns)
	}
	w.said = ""
	return j.Status == Failing
}

// A look asks for a little more than the judgement in the end, which has a
// little more to judge and must not fall short of it.
const (
	spareReturns = 1
	spareGrowth  = 0.1
)

// twice tells if two looks in a row were sure of the same answer: the first that
// is sure is a favourable moment, chosen for being so.
func (w *Watch) twice(answer string, sure bool) bool {
	before := w.said
	w.said = ""
	if sure {
		w.said = answer
	}
	return sure && before == answer
}

// measured tells if a saturated step has said how much the server can do: for
// its own sake, or with an effort that is worth while in passing.
func (w *Watch) measured(j Judgement, elapsed time.Duration) bool {
	steps := append(w.before[:len(w.before):len(w.before)], Step{Asked: &w.ask.Rate, Judgement: j})
	all, _ := throughput(steps)
	return all != nil && all.width() <= spare*w.p.Precision*all.Value || w.ask.Purpose != ForThroughput && elapsed >= w.p.StepDuration
}
