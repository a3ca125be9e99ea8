package experiment

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Chart shows figures of cells: as curves over X or, without X, as dots in a
// row for each cell.
type Chart struct {
	Title string              `yaml:"title"` // its caption
	Where map[string][]string `yaml:"where"` // cells, as in Claim
	X     Operand             `yaml:"x"`     // a figure, or axis.NAME
	XHead string              `yaml:"xhead"` // with its unit
	YHead string              `yaml:"yhead"`
	Lines []Line              `yaml:"lines"`
	By    []string            `yaml:"by"`  // axes: curves of their own for each choice of labels
	Log   string              `yaml:"log"` // axes in logarithms: "", x, y or xy
	// Each names a list in the cells' documents, such as steps. X and the
	// lines are then paths in its elements, which are the points, of the first
	// repeat that counts.
	Each string `yaml:"each"`
}

// Line is one figure of a chart.
type Line struct {
	Figure string `yaml:"figure"`
	Name   string `yaml:"name"` // in the legend
	// Lo and Hi are figures: the ends of the bar. Without them it reaches from
	// the least repeat to the greatest.
	Lo    string `yaml:"lo"`
	Hi    string `yaml:"hi"`
	Style string `yaml:"style"` // marks, line, or "" for both
}

// The styles of a line.
const (
	StyleMarks = "marks"
	StyleLine  = "line" // of a law: no marks and no bars
)

// Curve is a line of a chart through some cells, in rising order of X.
type Curve struct {
	Name   string
	Group  int // counts the choices of labels along By
	Line   int // place in Chart.Lines
	Points []Point
}

// Point is the median of a figure in a cell, with its bar from Lo to Hi.
type Point struct{ X, Y, Lo, Hi float64 }

// Curves are the lines of a chart through the cells that have results. On an
// axis in logarithms what is not above 0 is left out. Without X a point's X is
// the place of its cell in Rows.
func (c Chart) Curves(groups []Group) []Curve {
	var curves []Curve
	byLabels := map[string]int{}
	for row, g := range c.rows(groups) {
		labels := c.labels(g)
		if _, seen := byLabels[labels]; !seen {
			byLabels[labels] = len(byLabels)
		}
		for i, l := range c.Lines {
			points := slices.DeleteFunc(c.points(g, row, l), c.undrawable)
			if len(points) > 0 {
				curves = appendPoints(curves, Curve{c.name(labels, l), byLabels[labels], i, points})
			}
		}
	}
	for _, curve := range curves {
		slices.SortFunc(curve.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	}
	return curves
}

// Rows are the names of the cells that a chart without X shows.
func (c Chart) Rows(groups []Group) []string {
	var names []string
	for _, g := range c.rows(groups) {
		names = append(names, g.Name)
	}
	return names
}

func (c Chart) rows(groups []Group) []*Group {
	var rows []*Group
	for i := range groups {
		if (Claim{Where: c.Where}).concerns(groups[i].cells[0]) && groups[i].Repeats > 0 {
			rows = append(rows, &groups[i])
		}
	}
	return rows
}

// labels tell cells apart that are to have curves of their own.
func (c Chart) labels(g *Group) string {
	var labels []string
	for _, axis := range c.By {
		labels = append(labels, g.cells[0].Label(axis))
	}
	return strings.Join(labels, ", ")
}

// name is that of a curve in the legend.
func (c Chart) name(labels string, l Line) string {
	switch {
	case labels == "":
		return l.Name
	case l.Name == "":
		return labels
	}
	return labels + ", " + l.Name
}

func appendPoints(curves []Curve, more Curve) []Curve {
	i := slices.IndexFunc(curves, func(c Curve) bool { return c.Group == more.Group && c.Line == more.Line })
	if i < 0 {
		return append(curves, more)
	}
	curves[i].Points = append(curves[i].Points, more.Points...)
	return curves
}

// points are those of one line in one cell.
func (c Chart) points(g *Group, row int, l Line) []Point {
	if c.Each != "" {
		return c.elements(g, l)
	}
	medians := Values{}
	for name, s := range g.Figures {
		medians[name] = s.Median
	}
	x, known := float64(row), true
	if c.X != "" {
		x, known = scope{Outcome{Cell: g.cells[0]}, medians}.value(c.X)
	}
	s, ok := g.Figures[l.Figure]
	if !ok || !known {
		return nil
	}
	p := Point{x, s.Median, s.Lo, s.Hi}
	if lo, ok := medians[l.Lo]; ok {
		p.Lo = lo
	}
	if hi, ok := medians[l.Hi]; ok {
		p.Hi = hi
	}
	return []Point{p}
}

// elements are the points that a list in the document makes.
func (c Chart) elements(g *Group, l Line) []Point {
	list, _ := lookUp(g.document, c.Each).([]any)
	var points []Point
	for _, element := range list {
		x, isX := lookUp(element, string(c.X)).(float64)
		y, isY := lookUp(element, l.Figure).(float64)
		if isX && isY {
			points = append(points, Point{x, y, y, y})
		}
	}
	return points
}

// undrawable tells of a point that has no place on an axis in logarithms. A
// chart without X has its values along the horizontal axis.
func (c Chart) undrawable(p Point) bool {
	if c.X == "" {
		return strings.Contains(c.Log, "x") && p.Lo <= 0
	}
	return strings.Contains(c.Log, "x") && p.X <= 0 || strings.Contains(c.Log, "y") && p.Lo <= 0
}

func (e *Experiment) checkChart(f *faults, c Chart) {
	f.check(c.Title == "" || len(c.Lines) == 0, "chart %q: a title and lines are needed", c.Title)
	f.check(!slices.Contains([]string{"", "x", "y", "xy"}, c.Log), "chart %q: log is %q, must be x, y or xy", c.Title, c.Log)
	f.check(c.X == "" && (c.Each != "" || strings.Contains(c.Log, "y")), "chart %q: without x there is no list and no logarithm on y", c.Title)
	labels := e.labels()
	for _, axis := range c.By {
		f.check(labels[axis] == nil, "chart %q: there is no axis %q", c.Title, axis)
	}
	for axis, chosen := range c.Where {
		for _, label := range chosen {
			f.check(!labels[axis][label], "chart %q: no cell has %s %q", c.Title, axis, label)
		}
	}
	for i, l := range c.Lines {
		where := "chart " + strconv.Quote(c.Title) + ", line " + strconv.Itoa(i)
		f.check(!slices.Contains([]string{"", StyleMarks, StyleLine}, l.Style), "%s: style is %q, must be marks or line", where, l.Style)
		f.check((l.Lo == "") != (l.Hi == ""), "%s: lo and hi go together", where)
		if c.Each == "" {
			e.checkLine(f, c, l)
		}
	}
}

// checkLine makes sure that all figures of a line are there.
func (e *Experiment) checkLine(f *faults, c Chart, l Line) {
	names := []string{l.Figure}
	for _, name := range []string{string(c.X), l.Lo, l.Hi} {
		if name != "" && !strings.HasPrefix(name, axisRoot+".") {
			names = append(names, name)
		}
	}
	for _, name := range names {
		f.check(!e.hasFigure(name), "chart %q: there is no figure %q", c.Title, name)
	}
}
