package converge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Goal is a figure and how well it is to be known.
type Goal struct {
	Metric   string  // ttft, e2e, tpot, itl or ntpot
	Column   string  // wire, observed, scheduled or bias
	Figure   string  // mean, p50, p90, p95, p99 or p99.9
	Relative float64 // half width of the interval over the value, above 0, below 1
}

// The names that a Goal is made of, and the share of each figure: 0 for the
// mean.
var (
	metrics = []string{"ttft", "e2e", "tpot", "itl", "ntpot"}
	columns = []string{"wire", "observed", "scheduled", "bias"}
	figures = []string{"mean", "p50", "p90", "p95", "p99", "p99.9"}
	shares  = []float64{0, 0.5, 0.9, 0.95, 0.99, 0.999}
)

// ParseGoal reads METRIC.FIGURE±WIDTH%, like ttft.p99±5%, or with a column,
// ttft.scheduled.p99±5%; without one it is wire. +- stands for ±.
func ParseGoal(text string) (Goal, error) {
	wrong := func() (Goal, error) {
		return Goal{}, fmt.Errorf("%q is no goal; write it like ttft.p99±5%%: one of %s, perhaps one of %s, one of %s, and a width",
			text, strings.Join(metrics, ", "), strings.Join(columns, ", "), strings.Join(figures, ", "))
	}
	figure, width, ok := strings.Cut(strings.ReplaceAll(text, "+-", "±"), "±")
	if !ok {
		return wrong()
	}
	g := Goal{Column: columns[0]}
	g.Metric, figure, _ = strings.Cut(strings.TrimSpace(figure), ".")
	if column, rest, ok := strings.Cut(figure, "."); ok && slices.Contains(columns, column) {
		g.Column, figure = column, rest
	}
	g.Figure = figure
	percent, ok := strings.CutSuffix(strings.TrimSpace(width), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
	if !ok || err != nil || !slices.Contains(metrics, g.Metric) || !slices.Contains(figures, g.Figure) {
		return wrong()
	}
	if g.Relative = x / 100; !(g.Relative > 0 && g.Relative < 1) {
		return Goal{}, fmt.Errorf("the width of %q must lie between 0 and 100 %%", text)
	}
	return g, nil
}

// String writes the goal as ParseGoal reads it.
func (g Goal) String() string {
	column := ""
	if g.Column != columns[0] {
		column = g.Column + "."
	}
	return fmt.Sprintf("%s.%s%s±%s", g.Metric, column, g.Figure, percent(g.Relative))
}

// percent writes a share with at most three digits.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 3, 64) + "%" }
