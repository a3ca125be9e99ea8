package experiment

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The verbs that run cells.
const (
	VerbRun     = "run"
	VerbProfile = "profile"
	VerbAudit   = "audit" // of another load generator, which Cell.Args name
)

// seriesAxis is the axis on which a series' name is a label.
const seriesAxis = "series"

// Cell is one run: a place on every axis, and the number of its repeat.
type Cell struct {
	Series string
	Labels []Label  // in the order of the axes
	Repeat int      // from 1
	Verb   string   // of this program
	Flags  Flags    // of the verb
	Args   []string // after the flags
	CPUs   int      // fewest CPUs to run it on, 0 for any
	Exit   []int    // exit codes beside 0 with which its results count
	Needs  []string // programs of others

	most  int           // repeats
	lasts time.Duration // beside its flag duration
}

// Label is a place on an axis.
type Label struct{ Axis, Label string }

// Cells lists the runs of an experiment at a size, in the order in which to
// run them. Repeats are the outermost loop, so that a drift of the host
// spreads over all cells and an interrupted experiment has some of each.
// Repeat r has seed r, of the client and of the simulator: cells of the same
// repeat share their schedule, repeats do not.
func (e *Experiment) Cells(size string) []Cell {
	s := e.Sizes[size]
	var cells []Cell
	for r := 1; r <= s.Repeats; r++ {
		for _, series := range e.Series {
			for _, c := range series.cells(s) {
				if c.most == 0 || r <= c.most {
					cells = append(cells, c.repeat(r))
				}
			}
		}
	}
	return cells
}

// cells expands the axes.
func (s Series) cells(size Size) []Cell {
	flags := Flags{}
	maps.Copy(flags, size.Flags)
	maps.Copy(flags, s.Flags)
	cells := []Cell{{
		Series: s.Name, Verb: cmp.Or(s.Verb, VerbRun), Flags: flags, Args: s.Args, CPUs: s.CPUs, Exit: s.Exit,
		lasts: time.Duration(size.Lasts),
	}}
	for _, a := range s.Axes {
		var next []Cell
		for _, c := range cells {
			for _, v := range a.Values {
				next = append(next, c.at(a.Name, v))
			}
		}
		cells = next
	}
	return cells
}

// at is c at a place on one more axis.
func (c Cell) at(axis string, v Value) Cell {
	c.Labels = append(slices.Clone(c.Labels), Label{axis, v.Label})
	c.Flags = maps.Clone(c.Flags)
	maps.Copy(c.Flags, v.Flags)
	c.CPUs = max(c.CPUs, v.CPUs)
	if v.Args != nil {
		c.Args = v.Args
	}
	if v.Needs != "" {
		c.Needs = append(slices.Clone(c.Needs), v.Needs)
	}
	if v.Repeats > 0 && (c.most == 0 || v.Repeats < c.most) {
		c.most = v.Repeats
	}
	return c
}

func (c Cell) repeat(r int) Cell {
	c.Repeat = r
	c.Flags = maps.Clone(c.Flags)
	c.Flags["seed"] = strconv.Itoa(r)
	if c.Flags["url"] == "" {
		c.Flags["sim-seed"] = strconv.Itoa(r)
	}
	return c
}

// On is the cell against a server of the user's in place of the simulator, the
// flags of which are dropped: nothing of it is known but what a client sees.
// The server is asked for the full number of tokens. An audit brings its own
// server and stays as it is.
func (c Cell) On(target Flags) Cell {
	if c.Verb == VerbAudit {
		return c
	}
	c.Flags = maps.Clone(c.Flags)
	maps.DeleteFunc(c.Flags, func(name, _ string) bool { return strings.HasPrefix(name, "sim-") })
	c.Flags["ignore-eos"] = "true"
	maps.Copy(c.Flags, target)
	return c
}

// Label is the cell's label on an axis, "" without one.
func (c Cell) Label(axis string) string {
	if axis == seriesAxis {
		return c.Series
	}
	for _, l := range c.Labels {
		if l.Axis == axis {
			return l.Label
		}
	}
	return ""
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// Name is the cell's directory: its labels and the number of the repeat.
func (c Cell) Name() string {
	return unfit.ReplaceAllString("cell-"+c.Group()+"-r"+strconv.Itoa(c.Repeat), "-")
}

// Group is what a cell has in common with its repeats: its labels, or "only"
// for the only one without any.
func (c Cell) Group() string {
	var parts []string
	if c.Series != "" {
		parts = append(parts, c.Series)
	}
	for _, l := range c.Labels {
		parts = append(parts, l.Axis+" "+l.Label)
	}
	return cmp.Or(strings.Join(parts, ", "), "only")
}
