package experiment

import (
	"bytes"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"
)

// Experiment is one experiment as it stands in its file.
type Experiment struct {
	Name     string          `yaml:"name"`     // one word, lower case
	Title    string          `yaml:"title"`    // of its table
	Question string          `yaml:"question"` // that it answers
	Paper    string          `yaml:"paper"`    // what the paper says, in our words
	Method   string          `yaml:"method"`   // what is run and why so
	Threats  []string        `yaml:"threats"`  // to validity, a sentence each
	Sizes    map[string]Size `yaml:"sizes"`    // host and paper
	Series   []Series        `yaml:"series"`
	Figures  []Figure        `yaml:"figures"` // columns of the table, in order
	Void     []Void          `yaml:"void"`
	Claims   []Claim         `yaml:"claims"`
	Charts   []Chart         `yaml:"charts"`
	// Laws tells that the simulator's laws are part of the experiment, which
	// then says nothing about another server.
	Laws bool `yaml:"laws"`
}

// The sizes that every experiment has.
const (
	SizeHost  = "host"  // ends within minutes on a machine with two CPUs
	SizePaper = "paper" // as long as the figures deserve
)

// Size is how much is run.
type Size struct {
	Repeats int   `yaml:"repeats"` // of each cell, at least 1
	Flags   Flags `yaml:"flags"`   // of every cell
	// Lasts is about how long a cell takes beside its flag duration.
	Lasts Duration `yaml:"lasts"`
}

// Duration is written like 90s.
type Duration time.Duration

// UnmarshalText reads it.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// Flags are flags of a verb by name, without the dashes.
type Flags map[string]string

// Series is a matrix of cells: one for each choice of a value on every axis.
type Series struct {
	Name string `yaml:"name"` // may be empty if there is but one
	// Verb of this program that runs its cells: run if empty, profile, or
	// audit, which runs the command in Args. See Cell.ResultFile.
	Verb  string   `yaml:"verb"`
	Flags Flags    `yaml:"flags"`
	Args  []string `yaml:"args"` // after the flags and "--"
	Axes  []Axis   `yaml:"axes"`
	CPUs  int      `yaml:"cpus"` // fewest CPUs to run it on, 0 for any
	// Exit lists exit codes of the verb, beside 0, with which the results
	// count: 2 where every stream is cut off by design.
	Exit []int `yaml:"exit"`
}

// Axis is one thing that is varied.
type Axis struct {
	Name   string  `yaml:"name"`
	Values []Value `yaml:"values"`
}

// Value is one place on an axis. Its flags win over those of the series, and
// those of later axes over those of earlier ones.
type Value struct {
	Label   string   `yaml:"label"`
	Flags   Flags    `yaml:"flags"`
	Args    []string `yaml:"args"`    // in place of the series'
	CPUs    int      `yaml:"cpus"`    // fewest CPUs to run it on, 0 for any
	Repeats int      `yaml:"repeats"` // at most so many; 0: as many as the size says
	Needs   string   `yaml:"needs"`   // a program of others that must be in PATH
}

// Void is a condition under which an outcome says nothing.
type Void struct {
	Figure string  `yaml:"figure"`
	Above  float64 `yaml:"above"`
	Why    string  `yaml:"why"`
}

// Claim is a statement about a figure, judged in each group of cells that
// differ in nothing but the repeat. In Text {AXIS} stands for the group's
// label.
type Claim struct {
	Text   string `yaml:"text"`
	Source string `yaml:"source"` // of the prediction: paper, theory or design
	Figure string `yaml:"figure"`
	// Where chooses cells by axis (or "series") and labels; what is not named
	// may be anything.
	Where map[string][]string `yaml:"where"`
	// Against names other labels: the figure is then divided by that of the
	// cell there, repeat by repeat, which shares seed and arrivals.
	Against   map[string]string `yaml:"against"`
	Predicted Operand           `yaml:"predicted"` // a number or a figure's name
	Tolerance Tolerance         `yaml:"tolerance"`
	By        string            `yaml:"by"`   // median, the default, or interval
	CPUs      int               `yaml:"cpus"` // fewest CPUs to decide it on, 0 for any
	// Highest makes it a claim about all cells together: the greatest value of
	// the figure among those whose medians meet every condition.
	Highest []Condition `yaml:"highest"`
	// Holds and Fails are what to conclude, a sentence each, if all cells that
	// decide agree and if one does not. Without them nothing is concluded.
	Holds string `yaml:"holds"`
	Fails string `yaml:"fails"`
}

// Condition is met by a figure that is no less.
type Condition struct {
	Figure string  `yaml:"figure"`
	Least  float64 `yaml:"least"`
}

// Tolerance says when a measured value agrees with the predicted one. Exactly
// one field is set.
type Tolerance struct {
	Relative float64 `yaml:"relative"` // share of the prediction: 0.1 is ±10 %
	Absolute float64 `yaml:"absolute"` // in the figure's unit
	At       string  `yaml:"at"`       // most or least: the prediction is a limit
}

// How repeats are gathered.
const (
	ByMedian   = "median"   // the median must agree; from least to greatest beside it
	ByInterval = "interval" // the whole interval must: a test of equivalence
)

// Parse reads and checks an experiment. Every unknown key is an error, and so
// is a name that stands for nothing.
func Parse(text []byte) (*Experiment, error) {
	var e Experiment
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&e); err != nil {
		return nil, fmt.Errorf("read experiment: %w", err)
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("experiment %q: %w", e.Name, err)
	}
	return &e, nil
}
