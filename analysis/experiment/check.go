package experiment

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// faults gathers all that is wrong with an experiment.
type faults []error

func (f *faults) check(bad bool, format string, args ...any) {
	if bad {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

var word = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

func (e *Experiment) check() error {
	var f faults
	f.check(!word.MatchString(e.Name), "the name must be one word in lower case")
	f.check(e.Title == "", "title is missing")
	for _, size := range []string{SizeHost, SizePaper} {
		f.check(e.Sizes[size].Repeats < 1, "size %s needs repeats of 1 or more", size)
	}
	f.check(len(e.Series) == 0, "there is no series")
	for _, s := range e.Series {
		f.check(s.Verb != "" && !word.MatchString(s.Verb), "series %q: verb %q must be one word in lower case", s.Name, s.Verb)
		s.check(&f)
	}
	e.checkNames(&f)
	e.checkFigures(&f)
	for _, v := range e.Void {
		f.check(!e.hasFigure(v.Figure), "void: there is no figure %q", v.Figure)
	}
	for _, c := range e.Claims {
		e.checkClaim(&f, c)
	}
	for _, c := range e.Charts {
		e.checkChart(&f, c)
	}
	return errors.Join(f...)
}

func (s Series) check(f *faults) {
	for _, a := range s.Axes {
		f.check(!word.MatchString(a.Name), "axis %q: the name must be one word in lower case", a.Name)
		f.check(len(a.Values) == 0, "axis %s has no values", a.Name)
		seen := map[string]bool{}
		for _, v := range a.Values {
			f.check(v.Label == "" || seen[v.Label], "axis %s: label %q is empty or there twice", a.Name, v.Label)
			seen[v.Label] = true
		}
	}
}

// checkNames makes sure that cells have names of their own: they are
// directories.
func (e *Experiment) checkNames(f *faults) {
	seen := map[string]bool{}
	for _, c := range e.Cells(SizeHost) {
		f.check(seen[c.Name()], "two cells would be %s", c.Name())
		seen[c.Name()] = true
	}
}

func (e *Experiment) checkFigures(f *faults) {
	seen := map[string]bool{}
	for _, x := range e.Figures {
		f.check(!word.MatchString(x.Name) || seen[x.Name], "figure %q: no word in lower case, or there twice", x.Name)
		x.check(f, seen)
		seen[x.Name] = true
	}
}

func (e *Experiment) hasFigure(name string) bool {
	return slices.ContainsFunc(e.Figures, func(x Figure) bool { return x.Name == name })
}

func (e *Experiment) checkClaim(f *faults, c Claim) {
	f.check(!e.hasFigure(c.Figure), "claim %q: there is no figure %q", c.Text, c.Figure)
	f.check(!c.Predicted.number() && !e.hasFigure(string(c.Predicted)), "claim %q: predicted is %q, no number and no figure", c.Text, c.Predicted)
	f.check(!slices.Contains([]string{"paper", "theory", "design"}, c.Source), "claim %q: source is %q, must be paper, theory or design", c.Text, c.Source)
	f.check(!slices.Contains([]string{"", ByMedian, ByInterval}, c.By), "claim %q: by is %q, must be median or interval", c.Text, c.By)
	f.check(!c.Tolerance.valid(), "claim %q: give one tolerance: relative or absolute above 0, or at most or least", c.Text)
	f.check(len(c.Highest) > 0 && (len(c.Against) > 0 || c.By != "" || !c.Predicted.number()), "claim %q: highest goes with a number, and with no against or by", c.Text)
	for _, m := range c.Highest {
		f.check(!e.hasFigure(m.Figure), "claim %q: there is no figure %q", c.Text, m.Figure)
	}
	f.check((c.Holds == "") != (c.Fails == ""), "claim %q: holds and fails go together", c.Text)
	labels := e.labels()
	for _, axis := range slices.Sorted(maps.Keys(c.Where)) {
		for _, label := range c.Where[axis] {
			f.check(!labels[axis][label], "claim %q: no cell has %s %q", c.Text, axis, label)
		}
	}
	for axis, label := range c.Against {
		f.check(!labels[axis][label], "claim %q: no cell has %s %q", c.Text, axis, label)
	}
	e.checkCells(f, c)
}

// checkCells makes sure that a claim is about some cell, and that each has the
// one that it is compared with.
func (e *Experiment) checkCells(f *faults, c Claim) {
	groups := e.groups(SizeHost, nil, 0)
	n := 0
	for i := range groups {
		if c.concerns(groups[i].cells[0]) {
			n++
			f.check(c.partner(groups, &groups[i]) == nil, "claim %q: no cell to compare %q with", c.Text, groups[i].Name)
		}
	}
	f.check(n == 0, "claim %q is about no cell", c.Text)
}

// labels are all labels by axis, with the names of series as another.
func (e *Experiment) labels() map[string]map[string]bool {
	all := map[string]map[string]bool{seriesAxis: {}}
	for _, s := range e.Series {
		all[seriesAxis][s.Name] = true
		for _, a := range s.Axes {
			if all[a.Name] == nil {
				all[a.Name] = map[string]bool{}
			}
			for _, v := range a.Values {
				all[a.Name][v.Label] = true
			}
		}
	}
	return all
}

func (t Tolerance) valid() bool {
	n := 0
	for _, set := range []bool{t.Relative > 0, t.Absolute > 0, t.At == "most" || t.At == "least"} {
		if set {
			n++
		}
	}
	return n == 1
}
