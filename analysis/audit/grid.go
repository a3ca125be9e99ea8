package audit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Cells and lines in the manner of package report, which tells of runs of this
// program and knows nothing of other tools.

// grid lays out cells in columns: the first flush left, the others flush right.
type grid struct{ rows [][]string }

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// String returns the rows, one a line.
func (g *grid) String() string {
	var widths []int
	for _, row := range g.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range g.rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// undefined stands for a figure that does not exist.
const undefined = "-"

// number writes a figure with fewer decimals the larger it is.
func number(x *float64) string {
	if x == nil {
		return undefined
	}
	switch size := max(*x, -*x); {
	case size >= 1000:
		return fmt.Sprintf("%.0f", *x)
	case size >= 100:
		return fmt.Sprintf("%.1f", *x)
	case size >= 10:
		return fmt.Sprintf("%.2f", *x)
	case size < 0.0005:
		return "0.000"
	}
	return fmt.Sprintf("%.3f", *x)
}

// signed is number with a + before what is above 0.
func signed(x *float64) string {
	s := number(x)
	if x == nil || *x < 0 || strings.Trim(s, "0.") == "" {
		return s
	}
	return "+" + s
}

func scaled(x *float64, by float64) *float64 {
	if x == nil {
		return nil
	}
	return new(*x * by)
}

// lineLen is the greatest length of a line.
const lineLen = 100

// item writes text as a list item.
func item(text string) string { return wrap("  - ", "    ", text) }

// wrap breaks text between words; first and next begin its lines.
func wrap(first, next, text string) string {
	var b strings.Builder
	line, empty := first, true
	for word := range strings.FieldsSeq(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > lineLen {
			b.WriteString(line + "\n")
			line, empty = next, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return b.String() + line + "\n"
}
