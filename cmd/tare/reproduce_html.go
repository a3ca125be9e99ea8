package main

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"

	"tare/analysis/experiment"
)

//go:embed reproduce.html
var reproducePage string

// page is the report of several experiments: one file, without a script, that
// needs nothing from anywhere.
var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"outcome": outcome, "number": number, "inc": func(i int) int { return i + 1 },
}).Parse(reproducePage))

// number writes a figure, "-" for one that is undefined.
func number(x *float64) string {
	if x == nil {
		return "-"
	}
	return significant(*x)
}

// section is one experiment in the report.
type section struct {
	reproduced
	Number int // from 1
	Charts []chart
}

// chart is a figure of the report.
type chart struct {
	SVG     template.HTML
	Caption string
}

// newSection draws the charts; those without results are left out.
func newSection(number int, r reproduced) (section, error) {
	s := section{reproduced: r, Number: number}
	for _, c := range r.source.Charts {
		svg, err := drawChart(c, r.Groups)
		if err != nil {
			return s, err
		}
		if svg != "" {
			s.Charts = append(s.Charts, chart{svg, c.Title})
		}
	}
	return s, nil
}

// Head is the first row of the table.
func (s section) Head() []string { return s.rows()[0] }

// Body are its other rows.
func (s section) Body() [][]string { return s.rows()[1:] }

// Source is the experiment as data.
func (s section) Source() any { return s.source }

// Commands are the command lines of all cells that were to be run.
func (s section) Commands() []string { return s.commands }

// Conclusion counts the claims.
func (s section) Conclusion() string { return s.conclusion() }

// PaperClaims are the claims of the paper that have results.
func (s section) PaperClaims() []experiment.Judged {
	return s.claims(func(source string) bool { return source == "paper" })
}

// OtherClaims are those of theory and design.
func (s section) OtherClaims() []experiment.Judged {
	return s.claims(func(source string) bool { return source != "paper" })
}

func (s section) claims(of func(source string) bool) (found []experiment.Judged) {
	for _, j := range s.Claims {
		if of(j.Source) && !missing(j) {
			found = append(found, j)
		}
	}
	return found
}

// Missing says how many claims have no results, by reason.
func (s section) Missing() []string { return s.missing() }

// Doubts are the warnings, each with the cells that bear it.
func (s section) Doubts() []string { return s.doubts() }

// Findings are the conclusions.
func (s section) Findings() (all []finding) {
	for _, f := range s.Result.Findings {
		all = append(all, finding(f))
	}
	return all
}

// writeReproduceReport writes report.html into dir.
func writeReproduceReport(dir string, done []reproduced) error {
	var sections []section
	for i, r := range done {
		s, err := newSection(i+1, r)
		if err != nil {
			return err
		}
		sections = append(sections, s)
	}
	f, err := os.Create(filepath.Join(dir, "report.html"))
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	err = page.Execute(f, map[string]any{
		"Host": describe(done), "Server": done[0].Server, "Sections": sections, "Totals": totals(done), "Busy": busy(done), "Failed": failures(done),
	})
	return errors.Join(err, f.Close())
}

// fact is a line about the host.
type fact struct{ What, Is string }

// describe tells what the experiments ran on.
func describe(done []reproduced) []fact {
	h := done[0].Host
	facts := []fact{
		{"CPU", h.CPUModel},
		{"allowed CPUs", fmt.Sprintf("%d: %s", len(h.AllowedCPUs), strings.Trim(fmt.Sprint(h.AllowedCPUs), "[]"))},
	}
	if h.CPUQuota > 0 {
		facts = append(facts, fact{"quota", fmt.Sprintf("%g CPUs", h.CPUQuota)})
	}
	return append(facts,
		fact{"memory", fmt.Sprintf("%.1f GiB", float64(h.MemoryBytes)/(1<<30))},
		fact{"kernel", "Linux " + h.Kernel}, fact{"Go", h.Go}, fact{"tare", version()}, fact{"size", done[0].Size},
	)
}

// busy says how much else went on; "" if nothing that mattered.
func busy(done []reproduced) string {
	n, cells, most := 0, 0, 0.0
	for _, r := range done {
		for _, g := range r.Groups {
			if g.Repeats > 0 {
				cells++
			}
			if g.Busy() {
				n, most = n+1, max(most, g.Others)
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("The host was not quiet: in %d of %d cells other programs took CPU time, up to %.2g CPUs' worth. What failed there may be theirs; run it again on a quiet host.", n, cells, most)
}

// totals counts the claims of all experiments.
func totals(done []reproduced) string {
	n, held, failed, open := 0, 0, 0, 0
	for _, r := range done {
		n += len(r.Claims)
		held, failed, open = held+r.count(holds), failed+r.count(fails), open+r.count(undecided)
	}
	return fmt.Sprintf("Of %d claims %d hold, %d fail and %d are undecided on this host.", n, held, failed, open)
}

// failures are the claims that failed, in words.
func failures(done []reproduced) (all []string) {
	for _, r := range done {
		for _, j := range r.Claims {
			if outcome(j) == fails {
				all = append(all, r.Experiment+": "+sentence(j))
			}
		}
	}
	return all
}
