package experiment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A claim is about two cells: constant and exponential at ρ = 0.5.
func TestFindings(t *testing.T) {
	cell := func(constant, exponential float64) func(Cell) float64 {
		return func(c Cell) float64 {
			if c.Label("service") == "constant" {
				return constant
			}
			return exponential
		}
	}
	e := parse(t, small)
	cells := e.Cells(SizeHost)
	tests := []struct {
		name     string
		outcomes []Outcome
		want     Finding
	}{
		{"both agree", all(e, 2, cell(95, 105)), Finding{Text: "It waits.", Holds: new(true), Held: 2, Lo: new(95.0), Hi: new(105.0)}},
		{"one does not", all(e, 2, cell(100, 200)), Finding{Text: "It does not.", Holds: new(false), Held: 1, Failed: 1, Lo: new(100.0), Hi: new(200.0)}},
		{"one was not run", []Outcome{ran(cells[0], 100, 1)},
			Finding{Text: "It waits.", Holds: new(true), Held: 1, Undecided: 1, Lo: new(100.0), Hi: new(100.0), Why: "0 of 2 repeats have this figure"}},
		{"none was run", nil, Finding{Text: "It waits.", Undecided: 2, Why: "0 of 2 repeats have this figure"}},
	}
	for _, tt := range tests {
		if d := cmp.Diff([]Finding{tt.want}, e.Judge(SizeHost, tt.outcomes, 2).Findings); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// The highest wait of a cell whose events came one by one: it lies between a
// cell that does and the next higher one that does not.
func TestHighest(t *testing.T) {
	text := strings.Replace(small, "predicted: 100\n    tolerance: {relative: 0.1}", "highest: [{figure: wait_us, least: 10}, {figure: beyond, least: 0}]\n    predicted: 50\n    tolerance: {at: least}", 1)
	text = strings.Replace(text, `where: {series: [queue], rho: ["0.5"]}`, `where: {series: [queue]}`, 1)
	text = strings.Replace(text, "difference: [wait_us, axis.rho]", "difference: [70, wait_us]", 1) // beyond 70 it does not count
	e := parse(t, text)
	tests := []struct {
		name  string
		waits [4]float64 // constant and exponential, at 0.5 and 0.9
		want  Judged
	}{
		{"60 counts, 80 and 90 are too much", [4]float64{20, 90, 60, 80}, Judged{Measured: new(60.0), Lo: new(60.0), Hi: new(80.0), Holds: new(true)}},
		{"all count: the highest has no next", [4]float64{20, 30, 40, 30}, Judged{Measured: new(40.0), Lo: new(40.0), Holds: new(false)}},
		{"none counts", [4]float64{90, 5, 80, 7}, Judged{Holds: new(false)}},
	}
	for _, tt := range tests {
		place := map[string]int{"constant0.5": 0, "constant0.9": 1, "exponential0.5": 2, "exponential0.9": 3}
		r := e.Judge(SizeHost, all(e, 2, func(c Cell) float64 { return tt.waits[place[c.Label("service")+c.Label("rho")]] }), 2)
		tt.want.Claim, tt.want.Source, tt.want.Tolerance = "{service} at {rho}", "theory", "at least"
		tt.want.Predicted, tt.want.Warnings = new(50.0), []string{}
		if d := cmp.Diff([]Judged{tt.want}, r.Claims); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
	if j := e.Judge(SizeHost, nil, 2).Claims[0]; j.Holds != nil || j.Undecided != "no cell has this figure" {
		t.Errorf("%+v without any results", j)
	}
}

func TestToleranceInWords(t *testing.T) {
	for want, c := range map[string]Claim{
		"± 10 %":                          {Tolerance: Tolerance{Relative: 0.1}},
		"± 0.05":                          {Tolerance: Tolerance{Absolute: 0.05}},
		"at least":                        {Tolerance: Tolerance{At: "least"}},
		"± 0.01, the whole 90 % interval": {Tolerance: Tolerance{Absolute: 0.01}, By: ByInterval},
	} {
		if got := c.words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
