package main

import (
	"time"

	"tare/analysis/converge"
	"tare/analysis/metrics"
	"tare/ipc"
)

// untilFlags let a run go on until a figure is known well enough.
type untilFlags struct {
	Until       string               `help:"Go on until a figure is known so well at 95 %, like ttft.p99±5%; +- stands for ±." placeholder:"GOAL" group:"load"`
	MaxDuration later[time.Duration] `help:"Bound of --until." default:"10m" placeholder:"D" group:"load"`
}

// untilWarmup is the default warm-up of --until; what is left of it in the
// data is found and cut off.
const untilWarmup = 2 * time.Second

// settings turns a goal into a load without an end of its own.
func (u untilFlags) settings(f *faults, flags loadFlags, l *ipc.Load) {
	if u.Until == "" {
		return
	}
	_, err := converge.ParseGoal(u.Until)
	f.check(err != nil, "--until: %v", err)
	f.check(flags.Duration.set || flags.Requests.set, "--until decides when to end; give --max-duration in place of --duration or --requests")
	l.Until, l.Duration = u.Until, read(f, "max-duration", u.MaxDuration, parseDeadline)
	if !flags.Warmup.set {
		l.Warmup = min(untilWarmup, l.Duration/10)
	}
}

// gauge watches the goal of --until while a run goes on. What it makes of the
// run is not reported: analysis looks again, at all records.
type gauge struct {
	goal   converge.Goal
	watch  *converge.Watch
	from   int64 // ns after the run epoch: begin of the steady window; 0: not known yet
	series metrics.Series
	values []float64
	next   int // length of the series at the next look
	unary  bool
}

// newGauge returns nil where there is no goal.
func newGauge(s ipc.Settings) (*gauge, error) {
	if s.Load.Until == "" {
		return nil, nil
	}
	goal, err := converge.ParseGoal(s.Load.Until)
	if err != nil {
		return nil, err
	}
	return &gauge{goal: goal, watch: converge.New(goal), from: int64(s.Load.Warmup), next: converge.MinSeries, unary: !s.Target.Stream}, nil
}

// record adds a finished request.
func (g *gauge) record(r *ipc.Record) {
	if r.Class == ipc.OK && r.Scheduled >= g.from {
		g.values = metrics.NewRequest(r, g.unary).Values(g.values[:0], g.goal.Metric, g.goal.Column)
		g.series.Add(r.Scheduled, g.values...)
	}
}

// enough looks when the series has grown enough since the last look.
func (g *gauge) enough() bool {
	if g.series.Len() < g.next {
		return false
	}
	g.next = converge.Next(g.series.Len())
	return g.watch.Look(g.series.Values(), false).State == converge.Reached
}
