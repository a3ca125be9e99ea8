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
	r.printWarnings(out)
	_, err := fmt.Fprintf(out, "\n%s\n\n", r.conclusion())
	return err
}

// printClaims prints a line for each claim, and one for all that have no
// results for the same reason.
func (r reproduced) printClaims(out io.Writer) {
	missing := map[string]int{}
	for _, j := range r.Claims {
		if j.Measured == nil {
			missing[j.Undecided]++
			continue
		}
		fmt.Fprintf(out, "%-9s  %s\n", outcome(j), sentence(j))
	}
	for _, why := range slices.Sorted(maps.Keys(missing)) {
		fmt.Fprintf(out, "%-9s  %d claims: %s\n", undecided, missing[why], why)
	}
}

// printWarnings prints each warning with the cells that bear it.
func (r reproduced) printWarnings(out io.Writer) {
	cells := map[string][]string{}
	for _, g := range r.Groups {
		for _, w := range g.Warnings {
			cells[w] = append(cells[w], g.Name)
		}
	}
	for _, w := range slices.Sorted(maps.Keys(cells)) {
		fmt.Fprintf(out, "warning    %s (%s)\n", w, strings.Join(cells[w], "; "))
	}
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
	case j.Measured == nil:
		return s + j.Undecided
	case j.Lo == nil:
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
