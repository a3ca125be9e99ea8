package analysis

import (
	"tare/analysis/converge"
	"tare/analysis/metrics"
)

// Until tells whether the goal that was to end a run was reached. It is judged
// from all records of the steady window.
type Until struct {
	Goal   string         `json:"goal"`
	State  converge.State `json:"state"` // reached, or cannot be within this run
	Reason string         `json:"reason"`
	Warmup int            `json:"warmup_values"` // at the beginning of the window, found by MSER-5 and left out
	Value  *float64       `json:"value_ms"`      // nil before the series has settled
	Low    *float64       `json:"lo_ms"`         // at 95 %
	High   *float64       `json:"hi_ms"`
}

// aim is the goal of a step and the series that it is judged by.
type aim struct {
	goal   converge.Goal
	series metrics.Series
	values []float64
}

// newAim returns nil where a load has no goal.
func newAim(text string) (*aim, error) {
	if text == "" {
		return nil, nil
	}
	goal, err := converge.ParseGoal(text)
	return &aim{goal: goal}, err
}

func (a *aim) add(q metrics.Request) {
	if a != nil {
		a.values = q.Values(a.values[:0], a.goal.Metric, a.goal.Column)
		a.series.Add(q.Scheduled, a.values...)
	}
}

func (a *aim) until() *Until {
	if a == nil {
		return nil
	}
	d := converge.New(a.goal).Look(a.series.Values(), true)
	u := &Until{Goal: a.goal.String(), State: d.State, Reason: d.Reason, Warmup: d.Warmup}
	if d.Interval != nil {
		u.Value, u.Low, u.High = &d.Interval.Value, d.Interval.Low, d.Interval.High
	}
	return u
}
