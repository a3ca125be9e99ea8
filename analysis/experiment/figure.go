package experiment

import (
	"slices"
	"strconv"
	"strings"

	"tare/analysis/queueing"
)

// Figure is a number read from a cell's document or computed from others. One
// of Path, Ratio, Product, Difference and MG1 says how. With Equals beside it Path leads
// to a text, and the figure is 1 if it is that text and 0 if not.
type Figure struct {
	Name string `yaml:"name"` // one word, lower case
	Head string `yaml:"head"` // of its column, with its unit
	Path string `yaml:"path"` // in the document, like latency.ttft.wire.p50_ms

	Equals     string    `yaml:"equals"`
	Ratio      []Operand `yaml:"ratio"`      // of two
	Product    []Operand `yaml:"product"`    // of two
	Difference []Operand `yaml:"difference"` // of two
	MG1        *MG1      `yaml:"mg1"`
}

// Operand is a number, the name of an earlier figure, or a path in the
// document (which has a dot).
type Operand string

// MG1 predicts how late a single-server client books an event: its mean wait
// by Pollaczek and Khinchine and its own service,
//
//	W + S = λ_k·E[S²]/(2(1−λ_k·E[S])) + E[S],  λ_k = λ/k,
//
// in ms, for a total of λ output events/s spread over k workers. It is
// undefined from ρ = 1 on.
type MG1 struct {
	Lambda  Operand `yaml:"lambda"`     // λ, events/s
	Workers Operand `yaml:"workers"`    // k
	Mean    Operand `yaml:"mean_us"`    // E[S], µs
	Second  Operand `yaml:"second_us2"` // E[S²], µs²
}

// Outcome is what a cell came to.
type Outcome struct {
	Cell
	// Document is the cell's result as decoded JSON, nil if there is none.
	// The verb may add members to it, such as the server's own figures.
	Document map[string]any
	Problem  string // why there is no document; "" if there is
}

// number tells whether the operand is one.
func (o Operand) number() bool {
	_, err := strconv.ParseFloat(string(o), 64)
	return err == nil
}

func (x Figure) check(f *faults, earlier map[string]bool) {
	ways := 0
	for _, set := range []bool{x.Path != "", len(x.Ratio) > 0, len(x.Product) > 0, len(x.Difference) > 0, x.MG1 != nil} {
		if set {
			ways++
		}
	}
	f.check(ways != 1, "figure %s: give one of path, ratio, product, difference and mg1", x.Name)
	f.check(x.Equals != "" && x.Path == "", "figure %s: equals goes with path", x.Name)
	f.check(len(x.Ratio)+len(x.Product)+len(x.Difference) != 2 && x.Path == "" && x.MG1 == nil, "figure %s: give two operands", x.Name)
	for _, o := range x.operands() {
		f.check(!o.number() && !strings.Contains(string(o), ".") && !earlier[string(o)], "figure %s: %q is no number, earlier figure or path", x.Name, o)
	}
}

func (x Figure) operands() []Operand {
	o := slices.Concat(x.Ratio, x.Product, x.Difference)
	if m := x.MG1; m != nil {
		o = append(o, m.Lambda, m.Workers, m.Mean, m.Second)
	}
	return o
}

// Values are figures by name; one that is undefined is not there.
type Values map[string]float64

// Values computes the figures of an outcome.
func (e *Experiment) Values(o Outcome) Values {
	s := scope{o, Values{}}
	for _, x := range e.Figures {
		if v, ok := s.figure(x); ok {
			s.values[x.Name] = v
		}
	}
	return s.values
}

// scope is where operands are looked up.
type scope struct {
	outcome Outcome
	values  Values
}

func (s scope) figure(x Figure) (float64, bool) {
	switch {
	case x.MG1 != nil:
		return s.mg1(*x.MG1)
	case x.Equals != "":
		text, ok := lookUp(s.outcome.Document, x.Path).(string)
		return truth(text == x.Equals), ok
	case x.Path != "":
		return s.value(Operand(x.Path))
	case len(x.Ratio) == 2:
		a, ok := s.value(x.Ratio[0])
		b, too := s.value(x.Ratio[1])
		return a / b, ok && too && b != 0
	case len(x.Product) == 2:
		a, ok := s.value(x.Product[0])
		b, too := s.value(x.Product[1])
		return a * b, ok && too
	default:
		a, ok := s.value(x.Difference[0])
		b, too := s.value(x.Difference[1])
		return a - b, ok && too
	}
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func (s scope) mg1(m MG1) (float64, bool) {
	var x [4]float64
	for i, o := range []Operand{m.Lambda, m.Workers, m.Mean, m.Second} {
		var ok bool
		if x[i], ok = s.value(o); !ok {
			return 0, false
		}
	}
	lambda, workers, mean, second := x[0]/1e6, x[1], x[2], x[3]
	w, err := queueing.MG1(lambda/workers, queueing.Moments{Mean: mean, Second: second})
	return (w + mean) / 1e3, err == nil && workers > 0
}

// axisRoot is the first step of a path to a label, which must be a number.
const axisRoot = "axis"

func (s scope) value(o Operand) (float64, bool) {
	if v, err := strconv.ParseFloat(string(o), 64); err == nil {
		return v, true
	}
	root, rest, isPath := strings.Cut(string(o), ".")
	switch {
	case !isPath:
		v, ok := s.values[string(o)]
		return v, ok
	case root == axisRoot:
		v, err := strconv.ParseFloat(s.outcome.Label(rest), 64)
		return v, err == nil
	}
	v, ok := lookUp(s.outcome.Document, string(o)).(float64)
	return v, ok
}

// lookUp follows a path through decoded JSON: names of members and places in
// lists. nil where it leads nowhere.
func lookUp(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			v = node[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(node) {
				return nil
			}
			v = node[i]
		default:
			return nil
		}
	}
	return v
}
