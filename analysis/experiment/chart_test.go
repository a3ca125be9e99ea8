package experiment

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// waits are the small experiment with waits of 10 and 20 us in the repeats at
// ρ = 0.5, and 90 us at 0.9.
func waits(t *testing.T) []Group {
	t.Helper()
	e := parse(t, small)
	return e.Judge(SizeHost, all(e, 2, func(c Cell) float64 {
		if c.Label("rho") == "0.9" {
			return 90
		}
		return 10 * float64(c.Repeat)
	}), 2).Groups
}

func TestCurves(t *testing.T) {
	groups := waits(t)
	line := Line{Figure: "wait_us", Name: "wait"}
	queue := map[string][]string{"series": {"queue"}}
	points := []Point{{0.5, 15, 10, 20}, {0.9, 90, 90, 90}}
	tests := []struct {
		name  string
		chart Chart
		want  []Curve
	}{
		{"a curve for each service", Chart{X: "axis.rho", By: []string{"service"}, Where: queue, Lines: []Line{line}},
			[]Curve{{"constant, wait", 0, 0, points}, {"exponential, wait", 1, 0, points}}},
		{"a curve for each figure, x a figure", Chart{X: "twice", Where: map[string][]string{"service": {"constant"}},
			Lines: []Line{line, {Figure: "twice", Name: "double"}}},
			[]Curve{{"wait", 0, 0, []Point{{30, 15, 10, 20}, {180, 90, 90, 90}}},
				{"double", 0, 1, []Point{{30, 30, 20, 40}, {180, 180, 180, 180}}}}},
		{"an interval from other figures", Chart{X: "axis.rho", Where: map[string][]string{"service": {"constant"}},
			Lines: []Line{{Figure: "wait_us", Lo: "shared", Hi: "twice"}}},
			[]Curve{{"", 0, 0, []Point{{0.5, 15, 1, 30}, {0.9, 90, 1, 180}}}}},
		{"without x a row for each cell", Chart{Where: queue, Lines: []Line{line}},
			[]Curve{{"wait", 0, 0, []Point{{0, 15, 10, 20}, {1, 90, 90, 90}, {2, 15, 10, 20}, {3, 90, 90, 90}}}}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, tt.chart.Curves(groups)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
	rows := (Chart{Where: map[string][]string{"rho": {"0.9"}}}).Rows(groups)
	if d := cmp.Diff([]string{"queue, service constant, rho 0.9", "queue, service exponential, rho 0.9"}, rows); d != "" {
		t.Error(d)
	}
}

// What is 0 has no place on an axis in logarithms.
func TestLogarithmsArePositive(t *testing.T) {
	e := parse(t, small)
	groups := e.Judge(SizeHost, all(e, 2, func(c Cell) float64 { return float64(c.Repeat - 1) }), 2).Groups // 0 and 1
	c := Chart{X: "axis.rho", Lines: []Line{{Figure: "wait_us"}}, Log: "y"}
	if got := c.Curves(groups); len(got) != 0 {
		t.Errorf("%v", got)
	}
	c.Log = "x"
	if got := c.Curves(groups); len(got) != 1 {
		t.Errorf("%v, want a curve: ρ is above 0", got)
	}
}

// The steps of a profile are points, but for those that lack a figure.
func TestCurvesOfAList(t *testing.T) {
	e := parse(t, small)
	o := ran(e.Cells(SizeHost)[0], 1, 1)
	text := `{"steps":[{"asked":20,"got":{"rate":19}},{"asked":10,"got":{"rate":10}},{"asked":null,"got":{"rate":5}}]}`
	if err := json.Unmarshal([]byte(text), &o.Document); err != nil {
		t.Fatal(err)
	}
	c := Chart{Each: "steps", X: "asked", Lines: []Line{{Figure: "got.rate", Name: "delivered"}}}
	want := []Curve{{"delivered", 0, 0, []Point{{10, 10, 10, 10}, {20, 19, 19, 19}}}}
	if d := cmp.Diff(want, c.Curves(e.Judge(SizeHost, []Outcome{o}, 2).Groups)); d != "" {
		t.Error(d)
	}
}
