// Package layout sets figures and sentences in tables of plain text.
package layout

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Grid lays out cells in columns: the first flush left, the others flush right.
// The zero value is empty.
type Grid struct {
	rows [][]string
}

// Add appends a row, which may be shorter or longer than others.
func (g *Grid) Add(cells ...string) { g.rows = append(g.rows, cells) }

// gap is the space between columns.
const gap = "  "

// String returns the rows, one a line, without trailing blanks.
func (g *Grid) String() string {
	widths := g.widths()
	var b strings.Builder
	for _, row := range g.rows {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line += cell + pad
			} else {
				line += gap + pad + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " "))
		b.WriteByte('\n')
	}
	return b.String()
}

func (g *Grid) widths() []int {
	var widths []int
	for _, row := range g.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// Undefined stands in a table for a figure that does not exist.
const Undefined = "-"

// Number writes a figure with three decimals at most, fewer the larger it is;
// Undefined for nil.
func Number(x *float64) string {
	if x == nil {
		return Undefined
	}
	size := max(*x, -*x)
	switch {
	case size >= 1000:
		return fmt.Sprintf("%.0f", *x)
	case size >= 100:
		return fmt.Sprintf("%.1f", *x)
	case size >= 10:
		return fmt.Sprintf("%.2f", *x)
	}
	return PositiveZero(fmt.Sprintf("%.3f", *x))
}

// PositiveZero takes the sign off a figure that was rounded to nothing.
func PositiveZero(s string) string {
	if strings.Trim(s, "-0. %") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// Percent writes a share of 1; Undefined for nil.
func Percent(x *float64) string {
	if x == nil {
		return Undefined
	}
	return fmt.Sprintf("%.2f %%", 100**x)
}

// LineLen is the greatest length of a line of a table, in characters; a longer
// word is not broken.
const LineLen = 100

// Item writes text as a list item, broken between words.
func Item(text string) string { return Wrap("  - ", "    ", text) }

// Paragraph writes text with an indent, broken between words.
func Paragraph(indent, text string) string { return Wrap(indent, indent, text) }

// Wrap breaks text between words; first and next begin its lines.
func Wrap(first, next, text string) string {
	var b strings.Builder
	line, empty := first, true
	for _, word := range strings.Fields(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > LineLen {
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
