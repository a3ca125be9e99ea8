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

// seriesAxis is the axis on which a series' name is a label.
const seriesAxis = "series"

// Cell is one run: a place on every axis, and the number of its repeat.
type Cell struct {
	Series string
	Labels []Label // in the order of the axes
	Repeat int     // from 1
	Flags  Flags   // of tare run
	CPUs   int     // fewest CPUs to run it on, 0 for any
	Exit   []int   // exit codes beside 0 with which its results count

	most int // repeats
}

// Label is a place on an axis.
type Label struct{ Axis, Label string }

// Cells lists the runs of an experiment at a size, in the order in which to
// run them. Repeats are the outermost loop, so that a drift of the host
// spreads over all cells and an interrupted experiment has some of each.
// Repeat r has seed r, of client and simulator: cells of the same repeat share
// their schedule, repeats do not.
func (e *Experiment) Cells(size string) []Cell {
	s := e.Sizes[size]
	var cells []Cell
	for r := 1; r <= s.Repeats; r++ {
		for _, series := range e.Series {
			for _, c := range series.cells(s.Flags) {
				if c.most == 0 || r <= c.most {
					cells = append(cells, c.repeat(r))
				}
			}
		}
	}
	return cells
}

// cells expands the axes.
func (s Series) cells(size Flags) []Cell {
	flags := Flags{}
	maps.Copy(flags, size)
	maps.Copy(flags, s.Flags)
	cells := []Cell{{Series: s.Name, Flags: flags, CPUs: s.CPUs, Exit: s.Exit}}
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

// Place is where a cell runs. In the values of flags {dir} stands for the
// cell's directory and {cpu} for a CPU.
type Place struct {
	Dir string
	CPU int
}

// Args are the flags as arguments of tare run, in the order of their names,
// with the directory of the results.
func (c Cell) Args(p Place) []string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(c.Flags)) {
		args = append(args, "--"+name+"="+p.replace(c.Flags[name]))
	}
	return append(args, "--out="+p.Dir)
}

func (p Place) replace(value string) string {
	return strings.NewReplacer("{dir}", p.Dir, "{cpu}", strconv.Itoa(p.CPU)).Replace(value)
}

// overhead is what a run takes beyond its load: to start, to connect, and to
// make the report.
const overhead = time.Second

// Length is about how long the cell takes, by its flag duration; only the
// overhead without one.
func (c Cell) Length() time.Duration {
	d, err := time.ParseDuration(c.Flags["duration"])
	if err != nil {
		return overhead
	}
	return d + overhead
}

// Command is the cell as a line for a shell.
func (c Cell) Command(program string, p Place) string {
	words := []string{program, "run"}
	for _, a := range c.Args(p) {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

var plain = regexp.MustCompile(`^[-A-Za-z0-9_=./:,%+]+$`)

// quote protects a word from the shell.
func quote(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
