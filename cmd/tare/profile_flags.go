package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"tare/analysis/arrival"
	"tare/analysis/profile"
	"tare/ipc"
)

// profileFlags say how the load goes up from step to step.
type profileFlags struct {
	From            later[arrival.Rate]  `help:"Lowest rate, requests/s. Default without --url: 10." placeholder:"R" group:"load"`
	To              later[arrival.Rate]  `help:"Highest rate, requests/s. Default without --url: 2000." placeholder:"R" group:"load"`
	ConcurrencyFrom later[int64]         `help:"Fewest requests in flight, for a closed loop." placeholder:"C" group:"load"`
	ConcurrencyTo   later[int64]         `help:"Most requests in flight, for a closed loop." placeholder:"C" group:"load"`
	Scale           string               `help:"auto: double until saturated, then close in. geometric or linear: so many steps from the lowest to the highest, or until two are saturated." default:"auto" group:"load"`
	Steps           later[int64]         `help:"Steps of a geometric or linear scale (default 12); at most so many of an automatic one (default 30)." placeholder:"N" group:"load"`
	StepDuration    later[time.Duration] `help:"Wanted length of a step, warm-up included." default:"30s" placeholder:"D" group:"load"`
	MinStep         later[time.Duration] `help:"A step that has shown enough ends early, but not before this. Default: with auto half of --step-duration, else all of it." placeholder:"D" group:"load"`
	MaxStep         later[time.Duration] `help:"A step that has not shown enough goes on, up to this. Default: with auto the longer of 8 times --step-duration and 1m, else --step-duration." placeholder:"D" group:"load"`
	StepWarmup      later[time.Duration] `help:"Left out of each step's figures. Default: a tenth of --step-duration, at most 10s." placeholder:"D" group:"load"`
	Drain           later[time.Duration] `help:"Time for what is in flight at the end of a step; the rest is cancelled and counted." default:"5s" placeholder:"D" group:"load"`
	Precision       later[float64]       `help:"Wanted width of the capacity's interval." default:"5%" placeholder:"SHARE" group:"load"`
	Attainment      later[float64]       `help:"Share of all requests that must meet --slo." default:"99%" placeholder:"SHARE" group:"load"`
	Down            bool                 `help:"Walk back down at the end, to see if the server recovers." group:"load"`
	arrivalFlags
}

// Defaults of a profile.
const (
	ladderSteps = 12
	searchSteps = 30
	longStep    = time.Minute // the least limit of an automatic step
	longFactor  = 8           // and in step durations
)

// settings checks and converts; simulated tells that no URL was given. The
// load is that of the first step, as far as steps have it in common.
func (p profileFlags) settings(f *faults, simulated bool) (*ipc.Profile, ipc.Load) {
	f.choice("scale", p.Scale, profile.Auto, profile.Geometric, profile.Linear)
	s := &ipc.Profile{
		Scale: p.Scale, Down: p.Down,
		Precision: read(f, "precision", p.Precision, parseShare), Attainment: read(f, "attainment", p.Attainment, parseShare),
		Drain: read(f, "drain", p.Drain, parseDeadline),
	}
	p.lengths(f, s)
	load := p.arrivalFlags.settings(f)
	load.Duration, load.Warmup, load.Drain = s.MaxStep, s.StepWarmup, s.Drain
	if p.ConcurrencyFrom.set || p.ConcurrencyTo.set {
		p.streams(f, s)
		load.Concurrency = s.ConcurrencyFrom
		return s, load
	}
	load.Rate = p.rates(f, s, simulated)
	return s, load
}

// lengths settles how many steps there are and how long they are.
func (p profileFlags) lengths(f *faults, s *ipc.Profile) {
	auto := p.Scale == profile.Auto
	s.Steps = ladderSteps
	if auto {
		s.Steps = searchSteps
	}
	if p.Steps.set {
		s.Steps = int(min(read(f, "steps", p.Steps, parseCount), math.MaxInt32))
	}
	s.StepDuration = read(f, "step-duration", p.StepDuration, parseDeadline)
	s.MinStep, s.MaxStep = s.StepDuration, s.StepDuration
	if auto {
		s.MinStep, s.MaxStep = s.StepDuration/2, max(longFactor*s.StepDuration, longStep)
	}
	if p.MinStep.set {
		s.MinStep = read(f, "min-step", p.MinStep, parseDeadline)
	}
	if p.MaxStep.set {
		s.MaxStep = read(f, "max-step", p.MaxStep, parseDeadline)
	}
	s.StepWarmup = min(s.StepDuration/10, longestWarmup)
	if p.StepWarmup.set {
		s.StepWarmup = read(f, "step-warmup", p.StepWarmup, parseDuration)
	}
	f.check(s.MinStep > s.StepDuration, "--min-step %v is longer than --step-duration %v", s.MinStep, s.StepDuration)
	f.check(s.MaxStep < s.StepDuration, "--max-step %v is shorter than --step-duration %v", s.MaxStep, s.StepDuration)
	f.check(s.StepWarmup >= s.MinStep && s.MinStep > 0, "--step-warmup %v leaves nothing of a step of %v", s.StepWarmup, s.MinStep)
}

// rates settles the ends of an open loop and returns the first rate.
func (p profileFlags) rates(f *faults, s *ipc.Profile, simulated bool) string {
	if simulated && !p.From.set {
		p.From = later[arrival.Rate]{text: "10", set: true}
	}
	if simulated && !p.To.set {
		p.To = later[arrival.Rate]{text: "2000", set: true}
	}
	f.check(!p.From.set || !p.To.set, "say from where to where: --from R --to R for an open loop, --concurrency-from C --concurrency-to C for a closed one")
	from, to := read(f, "from", p.From, arrival.ParseRate), read(f, "to", p.To, arrival.ParseRate)
	s.From, s.To = from.Float64(), to.Float64()
	f.check(s.To > 0 && s.From >= s.To, "--from %v is not below --to %v", from, to)
	return from.String()
}

// streams settles the ends of a closed loop.
func (p profileFlags) streams(f *faults, s *ipc.Profile) {
	f.check(p.From.set || p.To.set, "--from and --to are rates, --concurrency-from and --concurrency-to make a closed loop; give one pair")
	f.check(!p.ConcurrencyFrom.set || !p.ConcurrencyTo.set, "--concurrency-from and --concurrency-to go together; give both")
	s.ConcurrencyFrom = read(f, "concurrency-from", p.ConcurrencyFrom, parseCount)
	s.ConcurrencyTo = read(f, "concurrency-to", p.ConcurrencyTo, parseCount)
	f.check(s.ConcurrencyTo > 0 && s.ConcurrencyFrom >= s.ConcurrencyTo, "--concurrency-from %d is not below --concurrency-to %d", s.ConcurrencyFrom, s.ConcurrencyTo)
}

// parseShare reads a share as 5% or 0.05, between 0 and 1.
func parseShare(s string) (float64, error) {
	text, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	x, err := strconv.ParseFloat(text, 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x > 0 && x < 1) {
		return 0, fmt.Errorf("%q is no share between 0 and 1; write it like 5%% or 0.05", s)
	}
	return x, nil
}
