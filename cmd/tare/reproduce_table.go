package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"tare/analysis/experiment"
)

// table prints an experiment for people: a row for each cell, a line for each
// claim.
func (r reproduced) table(out io.Writer) error {
	fmt.Fprintf(out, "%s: %s (size %s, median of repeats)\n\n", r.Experiment, r.Title, r.Size)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range r.rows() {
		fmt.Fprintln(w, strings.Join(row, "\t")+"\t")
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print table: %w", err)
	}
	fmt.Fprintln(out)
	r.printClaims(out)
	r.printFindings(out)
	_, err := fmt.Fprintf(out, "\n%s\n\n", r.conclusion())
	return err
}

// printClaims prints a line for each claim, and one for all that have no
// results for the same reason.
func (r reproduced) printClaims(out io.Writer) {
	for _, j := range r.Claims {
		if !missing(j) {
			fmt.Fprintf(out, "%-9s  %s\n", outcome(j), sentence(j))
		}
	}
	for _, text := range r.missing() {
		fmt.Fprintf(out, "%-9s  %s\n", undecided, text)
	}
	for _, text := range r.doubts() {
		fmt.Fprintf(out, "%-9s  %s\n", "warning", text)
	}
}

// printFindings prints the conclusions.
func (r reproduced) printFindings(out io.Writer) {
	if len(r.Findings) > 0 {
		fmt.Fprintln(out, "\nconclusions:")
	}
	for _, f := range r.Findings {
		fmt.Fprintf(out, "  %s\n", finding(f).Sentence())
	}
}

// missing tells of a claim that has no results.
func missing(j experiment.Judged) bool { return j.Measured == nil && j.Holds == nil }

// missing says how many claims have no results, by reason.
func (r reproduced) missing() (texts []string) {
	count := map[string]int{}
	for _, j := range r.Claims {
		if missing(j) {
			count[j.Undecided]++
		}
	}
	for _, why := range slices.Sorted(maps.Keys(count)) {
		texts = append(texts, fmt.Sprintf("%d claims: %s", count[why], why))
	}
	return texts
}

// doubts are the warnings, each with the cells that bear it.
func (r reproduced) doubts() (texts []string) {
	cells := map[string][]string{}
	for _, g := range r.Groups {
		for _, w := range g.Warnings {
			cells[w] = append(cells[w], g.Name)
		}
	}
	for _, w := range slices.Sorted(maps.Keys(cells)) {
		texts = append(texts, fmt.Sprintf("%s (%s)", w, strings.Join(cells[w], "; ")))
	}
	return texts
}

// finding is a conclusion, for people.
type finding experiment.Finding

// Outcome is what became of its claim over all cells.
func (f finding) Outcome() string { return outcome(experiment.Judged{Holds: f.Holds}) }

// Sentence is the conclusion with what it rests on.
func (f finding) Sentence() string {
	if f.Holds == nil {
		return fmt.Sprintf("Not decided on this host: %s (%s)", f.Text, f.Why)
	}
	basis := fmt.Sprintf("%d of %d cells", f.Held, f.Held+f.Failed)
	if f.Failed > 0 {
		basis = fmt.Sprintf("fails in %d of %d cells", f.Failed, f.Held+f.Failed)
	}
	switch {
	case f.Lo == nil:
	case *f.Lo == *f.Hi:
		basis += ", measured " + significant(*f.Lo)
	default:
		basis += fmt.Sprintf(", measured %s to %s", significant(*f.Lo), significant(*f.Hi))
	}
	if f.Undecided > 0 {
		basis += fmt.Sprintf("; %d undecided: %s", f.Undecided, f.Why)
	}
	return fmt.Sprintf("%s (%s)", f.Text, basis)
}

// rows are the cells of the table that have results, headings first.
func (r reproduced) rows() [][]string {
	head := []string{"cell", "n"}
	for _, f := range r.source.Figures {
		head = append(head, f.Head)
	}
	rows := [][]string{head}
	for _, g := range r.Groups {
		if g.Repeats == 0 {
			continue
		}
		row := []string{g.Name, fmt.Sprint(g.Repeats)}
		for _, f := range r.source.Figures {
			row = append(row, medianOf(g, f.Name))
		}
		rows = append(rows, row)
	}
	return rows
}

func medianOf(g experiment.Group, figure string) string {
	s, ok := g.Figures[figure]
	if !ok {
		return "-"
	}
	return significant(s.Median)
}

// significant writes a figure with four significant digits, large ones whole.
func significant(x float64) string {
	if math.Abs(x) >= 1000 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// sentence says what was claimed and what came of it.
func sentence(j experiment.Judged) string {
	s := j.Claim + ": "
	if j.Predicted != nil {
		s += fmt.Sprintf("predicted %s (%s), ", significant(*j.Predicted), j.Source)
	}
	switch {
	case j.Measured == nil && j.Holds != nil:
		return s + "no cell meets the conditions"
	case j.Measured == nil:
		return s + j.Undecided
	case j.Lo == nil || j.Hi == nil:
		s += "measured " + significant(*j.Measured)
	default:
		s += fmt.Sprintf("measured %s (%s to %s)", significant(*j.Measured), significant(*j.Lo), significant(*j.Hi))
	}
	if j.Undecided != "" {
		s += "; " + j.Undecided
	}
	return s
}

// conclusion counts the claims.
func (r reproduced) conclusion() string {
	return fmt.Sprintf("%s: of %d claims %d hold, %d fail, %d are undecided on this host.",
		r.Experiment, len(r.Claims), r.count(holds), r.count(fails), r.count(undecided))
}
