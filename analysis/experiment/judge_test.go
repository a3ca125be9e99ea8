package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ran gives a cell the document in which the first worker waited so long.
func ran(c Cell, waitUs, perRead float64) Outcome {
	text := fmt.Sprintf(`{"client":{"shared":%g,"workers":[{"wait":%g}]}}`, perRead, waitUs)
	var document map[string]any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		panic(err)
	}
	return Outcome{Cell: c, Document: document}
}

// all runs every cell that has so many CPUs.
func all(e *Experiment, cpus int, wait func(Cell) float64) []Outcome {
	var outcomes []Outcome
	for _, c := range e.Cells(SizeHost) {
		if c.CPUs <= cpus {
			outcomes = append(outcomes, ran(c, wait(c), 1))
		}
	}
	return outcomes
}

func TestValues(t *testing.T) {
	e := parse(t, small)
	c := e.Cells(SizeHost)[0] // ρ = 0.5
	want := Values{"wait_us": 30, "twice": 60, "squared": 900, "beyond": 29.5, "shared": 1}
	if d := cmp.Diff(want, e.Values(ran(c, 30, 1))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Values{}, e.Values(Outcome{Cell: c, Document: map[string]any{"client": nil}})); d != "" {
		t.Errorf("undefined figures are there: %s", d)
	}
}

func TestEquals(t *testing.T) {
	for text, want := range map[string]float64{"valid": 1, "biased": 0} {
		s := scope{outcome: Outcome{Document: map[string]any{"verdict": map[string]any{"status": text}}}}
		if got, ok := s.figure(Figure{Path: "verdict.status", Equals: "valid"}); !ok || got != want {
			t.Errorf("%s: %v %v, want %v", text, got, ok, want)
		}
	}
	if _, ok := (scope{}).figure(Figure{Path: "verdict.status", Equals: "valid"}); ok {
		t.Error("no verdict is not one that is not valid")
	}
}

// At 1 ms constant and 1,600 events/s over 2 workers ρ = 0.8, and the event is
// late by ρ·1/(2·0.2) + 1 = 3 ms; over one worker the queue has no end.
func TestMG1(t *testing.T) {
	m := MG1{Lambda: "1600", Workers: "2", Mean: "1000", Second: "1000000"}
	if got, ok := (scope{}).mg1(m); !ok || math.Abs(got-3) > 1e-9 {
		t.Errorf("%v %v, want 3 ms", got, ok)
	}
	m.Workers = "1"
	if got, ok := (scope{}).mg1(m); ok {
		t.Errorf("%v for an unstable queue", got)
	}
}

// texts are the outcomes of claims, in short.
func texts(r Result) []string {
	var s []string
	for _, j := range r.Claims {
		switch {
		case j.Holds == nil:
			s = append(s, j.Claim+": "+j.Undecided)
		default:
			s = append(s, fmt.Sprintf("%s: %v", j.Claim, *j.Holds))
		}
	}
	return s
}

func TestJudge(t *testing.T) {
	exponential := func(c Cell) bool { return c.Label("service") == "exponential" }
	tests := []struct {
		name     string
		edit     [2]string
		cpus     int
		outcomes func(*Experiment) []Outcome
		want     []string
	}{
		{
			name: "each cell by the median of its repeats: 95 and 107 make 101, 107 and 121 make 114",
			outcomes: func(e *Experiment) []Outcome {
				return all(e, 2, func(c Cell) float64 {
					if exponential(c) {
						return 93 + 14*float64(c.Repeat)
					}
					return 83 + 12*float64(c.Repeat)
				})
			},
			want: []string{"constant at 0.5: true", "exponential at 0.5: false"},
		},
		{
			name: "a void repeat does not count; with all void nothing is decided",
			outcomes: func(e *Experiment) (o []Outcome) {
				for _, c := range e.Cells(SizeHost) {
					perRead := 1.0
					if exponential(c) || c.Repeat == 2 {
						perRead = 1.03
					}
					o = append(o, ran(c, 100, perRead))
				}
				return o
			},
			want: []string{"constant at 0.5: true", "exponential at 0.5: 0 of 2 repeats have this figure"},
		},
		{
			name:     "interrupted: what was not run is undecided",
			outcomes: func(e *Experiment) []Outcome { return []Outcome{ran(e.Cells(SizeHost)[0], 100, 1)} },
			want:     []string{"constant at 0.5: true", "exponential at 0.5: 0 of 2 repeats have this figure"},
		},
		{
			name:     "too few CPUs for a series",
			edit:     [2]string{`where: {series: [queue], rho: ["0.5"]}`, `where: {series: [many]}`},
			cpus:     2,
			outcomes: func(e *Experiment) []Outcome { return all(e, 2, func(Cell) float64 { return 100 }) },
			want:     []string{"{service} at {rho}: not decidable here: needs 8 CPUs, this host allows 2"},
		},
		{
			name:     "too few CPUs for a claim alone",
			edit:     [2]string{"predicted: 100", "cpus: 4\n    predicted: 100"},
			outcomes: func(e *Experiment) []Outcome { return all(e, 2, func(Cell) float64 { return 100 }) },
			want: []string{"constant at 0.5: not decidable here: needs 4 CPUs, this host allows 2",
				"exponential at 0.5: not decidable here: needs 4 CPUs, this host allows 2"},
		},
		{
			name: "against another cell, repeat by repeat: 110/100 and 220/200 are both 1.1",
			edit: [2]string{"predicted: 100", "against: {service: constant}\n    predicted: 1.1"},
			outcomes: func(e *Experiment) []Outcome {
				return all(e, 2, func(c Cell) float64 {
					if exponential(c) {
						return 110 * float64(c.Repeat)
					}
					return 100 * float64(c.Repeat)
				})
			},
			want: []string{"constant at 0.5: true", "exponential at 0.5: true"}, // 1 is within 10 % of 1.1
		},
		{
			name:     "a limit from above",
			edit:     [2]string{"{relative: 0.1}", "{at: most}"},
			outcomes: func(e *Experiment) []Outcome { return all(e, 2, func(Cell) float64 { return 3 }) },
			want:     []string{"constant at 0.5: true", "exponential at 0.5: true"},
		},
		{
			name:     "a limit from below",
			edit:     [2]string{"{relative: 0.1}", "{at: least}"},
			outcomes: func(e *Experiment) []Outcome { return all(e, 2, func(Cell) float64 { return 3 }) },
			want:     []string{"constant at 0.5: false", "exponential at 0.5: false"},
		},
		{
			name:     "a prediction that is a figure of the cell",
			edit:     [2]string{"predicted: 100", "predicted: twice"},
			outcomes: func(e *Experiment) []Outcome { return all(e, 2, func(Cell) float64 { return 50 }) },
			want:     []string{"constant at 0.5: false", "exponential at 0.5: false"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := parse(t, strings.Replace(small, tt.edit[0], tt.edit[1], 1))
			if d := cmp.Diff(tt.want, texts(e.Judge(SizeHost, tt.outcomes(e), 2))); d != "" {
				t.Error(d)
			}
		})
	}
}

// An interval of two repeats is mean ± t·s/√2 with t(0.95; 1) = 6.314 and
// s = |a−b|/√2: mean ± 3.157·|a−b|.
func TestJudgeByInterval(t *testing.T) {
	tests := []struct {
		name string
		a, b float64
		want string // holds
	}{
		{"100 ± 6.3 lies within 90 to 110", 99, 101, "true"},
		{"105 ± 6.3 reaches beyond 110", 104, 106, "the interval of 2 repeats reaches across the limit"},
		{"120 ± 6.3 lies beyond 110", 119, 121, "false"},
	}
	text := strings.Replace(small, "predicted: 100", "by: interval\n    predicted: 100", 1)
	for _, tt := range tests {
		e := parse(t, text)
		r := e.Judge(SizeHost, all(e, 2, func(c Cell) float64 { return [3]float64{0, tt.a, tt.b}[c.Repeat] }), 2)
		if got, want := texts(r)[0], "constant at 0.5: "+tt.want; got != want {
			t.Errorf("%s: %s, want %s", tt.name, got, want)
		}
		half := 3.156875757 * (tt.b - tt.a)
		if c := r.Claims[0]; math.Abs(*c.Hi-*c.Measured-half) > 1e-6 || math.Abs(*c.Measured-*c.Lo-half) > 1e-6 {
			t.Errorf("%s: %v from %v to %v, want ± %v", tt.name, *c.Measured, *c.Lo, *c.Hi, half)
		}
	}
	e := parse(t, text)
	r := e.Judge(SizeHost, []Outcome{ran(e.Cells(SizeHost)[0], 100, 1)}, 2)
	if got, want := texts(r)[0], "constant at 0.5: one repeat makes no interval"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A host that does something else is told of beside the claim.
func TestBusyHost(t *testing.T) {
	e := parse(t, small)
	outcomes := all(e, 2, func(Cell) float64 { return 100 })
	for i := range outcomes {
		outcomes[i].Document[HostMember] = map[string]any{"others_cpus": 0.4 * float64(outcomes[i].Repeat)}
	}
	r := e.Judge(SizeHost, outcomes, 2)
	want := []string{"other programs took more than 0.1 CPUs meanwhile: these figures are theirs, too"}
	if d := cmp.Diff(want, r.Claims[0].Warnings); d != "" {
		t.Error(d)
	}
	if got := r.Groups[0].Others; got != 0.8 {
		t.Errorf("others took %v CPUs in the worst repeat, want 0.8", got)
	}
}

// The table says of every cell why it has fewer results than repeats.
func TestGroups(t *testing.T) {
	e := parse(t, small)
	cells := e.Cells(SizeHost)
	r := e.Judge(SizeHost, []Outcome{
		ran(cells[0], 40, 1), ran(cells[5], 60, 1), // both repeats of constant at 0.5
		ran(cells[1], 40, 1.5),
		{Cell: cells[2], Problem: "exit status 1: no CPU"},
	}, 2)
	type row struct {
		Name     string
		Repeats  int
		Wait     Spread
		Warnings []string
	}
	var got []row
	for _, g := range r.Groups {
		got = append(got, row{g.Name, g.Repeats, g.Figures["wait_us"], g.Warnings})
	}
	want := []row{
		{"queue, service constant, rho 0.5", 2, Spread{Median: 50, Lo: 40, Hi: 60}, []string{}},
		{"queue, service constant, rho 0.9", 0, Spread{}, []string{"repeat 1 is void: shared 1.5 is above 1.02: stamps are shared"}},
		{"queue, service exponential, rho 0.5", 0, Spread{}, []string{"repeat 1: exit status 1: no CPU", "not run to the end"}},
		{"queue, service exponential, rho 0.9", 0, Spread{}, []string{"not run to the end"}},
		{"many", 0, Spread{}, []string{"not decidable here: needs 8 CPUs, this host allows 2"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A program of others that is not on this host is named.
func TestMissingProgram(t *testing.T) {
	e := parse(t, strings.Replace(small, "label: constant,", "label: constant, needs: vegeta,", 1))
	want := []string{"not run to the end; needs vegeta"}
	if d := cmp.Diff(want, e.Judge(SizeHost, nil, 2).Groups[0].Warnings); d != "" {
		t.Error(d)
	}
}
