package experiment

import (
	"fmt"
	"strings"
)

// groups gathers the cells of a size that differ only in the repeat, with
// what came of them.
func (e *Experiment) groups(size string, outcomes []Outcome, cpus int) []Group {
	byName := map[string]Outcome{}
	for _, o := range outcomes {
		byName[o.Name()] = o
	}
	place := map[string]int{}
	var groups []Group
	for _, c := range e.Cells(size) {
		i, seen := place[c.Group()]
		if !seen {
			i = len(groups)
			place[c.Group()] = i
			groups = append(groups, newGroup(c))
		}
		g := &groups[i]
		g.cells = append(g.cells, c)
		if c.CPUs > cpus {
			g.once(tooFew(c.CPUs, cpus))
			continue
		}
		o, ran := byName[c.Name()]
		e.book(g, c.Repeat, o, ran)
	}
	for i := range groups {
		groups[i].summarize(e.Figures)
	}
	return groups
}

func newGroup(c Cell) Group {
	g := Group{Name: c.Group(), Series: c.Series, Labels: []string{}, Figures: map[string]Spread{}, Warnings: []string{}, values: map[int]Values{}}
	for _, l := range c.Labels {
		g.Labels = append(g.Labels, l.Label)
	}
	return g
}

// HostMember is the member of a document that tells how quiet the host was:
// others_cpus is how many CPUs' worth of time other programs took on ours.
const HostMember = "host"

// quietCPUs is what other programs may take before the results bear a warning.
// The kernel and a quiet system's daemons take some hundredths.
const quietCPUs = 0.1

// Busy tells whether other programs took so much CPU time that the figures are
// theirs, too.
func (g *Group) Busy() bool { return g.Others > quietCPUs }

// book enters what a repeat came to, unless it says nothing.
func (e *Experiment) book(g *Group, repeat int, o Outcome, ran bool) {
	switch {
	case !ran && len(g.cells[0].Needs) > 0:
		g.once("not run to the end; needs " + strings.Join(g.cells[0].Needs, ", "))
		return
	case !ran:
		g.once("not run to the end")
		return
	case o.Document == nil:
		g.warn("repeat %d: %s", repeat, o.Problem)
		return
	}
	if others, ok := lookUp(o.Document, HostMember+".others_cpus").(float64); ok {
		g.Others = max(g.Others, others)
	}
	v := e.Values(o)
	for _, x := range e.Void {
		if got, ok := v[x.Figure]; ok && got > x.Above {
			g.warn("repeat %d is void: %s %.4g is above %.4g: %s", repeat, x.Figure, got, x.Above, x.Why)
			return
		}
	}
	g.values[repeat] = v
	if g.document == nil {
		g.document = o.Document
	}
}

func (g *Group) warn(format string, args ...any) {
	g.Warnings = append(g.Warnings, fmt.Sprintf(format, args...))
}

// once adds a warning that is the same for all repeats.
func (g *Group) once(text string) {
	for _, w := range g.Warnings {
		if w == text {
			return
		}
	}
	g.Warnings = append(g.Warnings, text)
}

// summarize spreads each figure over the repeats that count.
func (g *Group) summarize(figures []Figure) {
	g.Repeats = len(g.values)
	if g.Busy() {
		g.warn("other programs took more than %g CPUs meanwhile: these figures are theirs, too", quietCPUs)
	}
	for _, f := range figures {
		var x []float64
		for _, v := range g.values {
			if value, ok := v[f.Name]; ok {
				x = append(x, value)
			}
		}
		if len(x) > 0 {
			g.Figures[f.Name] = spread(x)
		}
	}
}
