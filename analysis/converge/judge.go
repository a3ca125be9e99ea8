package converge

import (
	"fmt"
	"math"
	"slices"

	"tare/analysis/stats"
)

// State is what to do next.
type State string

// The states: go on measuring; the goal is reached; it cannot be within this
// run.
const (
	Continue State = "continue"
	Reached  State = "reached"
	Cannot   State = "cannot"
)

// Decision is what one look at a series came to.
type Decision struct {
	State    State
	Reason   string          // in words and figures
	Warmup   int             // values at the beginning that are left out
	Interval *stats.Interval // of the figure, in the unit of the series; nil before the series has settled
	Width    *float64        // the wider half of it over the value; nil if a bound is missing or the value is not above 0
	Drift    *stats.Drift    // nil as Interval
	Serial   *stats.Test     // correlation of successive values; nil as Interval
	Needed   int             // values at which the goal should be reached; 0 if unknown
}

const (
	level = 0.95
	// MinSeries is the fewest values that are judged.
	MinSeries = 200
	// growth is by how much a series grows between two looks.
	growth = 1.5
	// driftP is the probability below which a trend is no chance.
	driftP = 0.01
)

// Next returns the length of the series at the look after one at n values.
func Next(n int) int { return max(MinSeries, int(math.Ceil(float64(n)*growth))) }

// A Watch follows one series to its goal. The zero value has no goal; use New.
type Watch struct {
	goal   Goal
	narrow bool // the look before found the interval narrow enough
}

// New returns a Watch for a goal.
func New(g Goal) *Watch { return &Watch{goal: g} }

// Look judges all values so far, in the order of time. last says that no more
// will come: the decision is then not Continue. Looks are to be Next apart.
func (w *Watch) Look(series []float64, last bool) Decision {
	d := w.goal.judge(series)
	narrow := d.State == Reached
	switch {
	case narrow && !w.narrow && !last:
		d.State, d.Reason = Continue, d.Reason+"; it counts if the next look finds it so again"
	case !narrow && last:
		d.State = Cannot
	}
	w.narrow = narrow
	return d
}

// judge looks once.
func (g Goal) judge(series []float64) Decision {
	n := len(series)
	if n < MinSeries {
		return Decision{State: Continue, Reason: fmt.Sprintf("%d values so far, at least %d are needed", n, MinSeries)}
	}
	warmup, settled := stats.MSER5(series)
	d := Decision{State: Continue, Warmup: warmup}
	if !settled {
		d.Reason = fmt.Sprintf("the series has not settled: its first half differs from its second (MSER-5 on %d values)", n)
		return d
	}
	steady := series[warmup:]
	drift, _ := stats.Trend(steady)
	serial, _ := stats.Independence(steady)
	interval := g.interval(steady)
	d.Drift, d.Serial, d.Interval = &drift, &serial, &interval
	if d.Width = width(interval); d.Width != nil {
		d.Needed = warmup + int(math.Ceil(float64(len(steady))*math.Pow(*d.Width/g.Relative, 2)))
	}
	d.State, d.Reason = g.decide(&d, len(steady))
	return d
}

// interval is that of the figure.
func (g Goal) interval(steady []float64) stats.Interval {
	share := shares[slices.Index(figures, g.Figure)]
	if share == 0 {
		i, _ := stats.MeanInterval(steady, level)
		return i
	}
	i, _ := stats.PercentileInterval(steady, slices.Sorted(slices.Values(steady)), share, level)
	return i
}

func width(i stats.Interval) *float64 {
	if i.Low == nil || i.High == nil || i.Value <= 0 {
		return nil
	}
	return new(max(i.Value-*i.Low, *i.High-i.Value) / i.Value)
}

// decide weighs what was found in n values.
func (g Goal) decide(d *Decision, n int) (State, string) {
	worth := fmt.Sprintf("%d values worth %.0f independent ones, after %d of warm-up", n, d.Interval.Effective, d.Warmup)
	switch {
	case drifts(d.Drift, g.Relative):
		return Continue, fmt.Sprintf("the series drifts%s over %d values after %d of warm-up (rank correlation with time %.2f, p = %.2g)",
			change(d.Drift), n, d.Warmup, d.Drift.Statistic, d.Drift.P)
	case d.Width == nil:
		return Continue, fmt.Sprintf("%s has no interval yet: %s", g.Figure, worth)
	case len(d.Interval.Warnings) > 0:
		return Continue, fmt.Sprintf("%s is %.4g ±%s, but %s", g.Figure, d.Interval.Value, percent(*d.Width), d.Interval.Warnings[0])
	case *d.Width > g.Relative:
		return Continue, fmt.Sprintf("%s is %.4g ±%s by %s; ±%s needs some %d values",
			g.Figure, d.Interval.Value, percent(*d.Width), worth, percent(g.Relative), d.Needed)
	}
	return Reached, fmt.Sprintf("%s is %.4g ±%s by %s", g.Figure, d.Interval.Value, percent(*d.Width), worth)
}

// drifts tells whether a trend is neither chance nor too small to matter for
// the width that is asked for.
func drifts(d *stats.Drift, relative float64) bool {
	return d.P < driftP && (d.Change == nil || math.Abs(*d.Change) > relative)
}

// change puts the size of a drift into words.
func change(d *stats.Drift) string {
	if d.Change == nil {
		return ""
	}
	return fmt.Sprintf(" by %+.0f %%", 100**d.Change)
}
