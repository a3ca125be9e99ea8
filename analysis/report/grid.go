package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// grid lays out cells in columns: the first flush left, the others flush right.
type grid struct {
	rows [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// gap is the space between columns.
const gap = "  "

// String returns the rows, one a line, without trailing blanks.
func (g *grid) String() string {
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

func (g *grid) widths() []int {
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

// undefined stands in a table for a figure that does not exist.
const undefined = "-"

// number writes a figure with three decimals at most, fewer the larger it is.
func number(x *float64) string {
	if x == nil {
		return undefined
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
	return positiveZero(fmt.Sprintf("%.3f", *x))
}

// positiveZero takes the sign off a figure that was rounded to nothing.
func positiveZero(s string) string {
	if strings.Trim(s, "-0. %") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// plusMinus writes the wider half of an interval around a value with two
// significant digits, as ±0.12; "" where the interval is not whole.
func plusMinus(lo, value, hi *float64) string {
	if lo == nil || value == nil || hi == nil {
		return ""
	}
	half := max(*value-*lo, *hi-*value)
	switch {
	case half >= 10:
		return fmt.Sprintf("±%.0f", half)
	case half >= 1:
		return fmt.Sprintf("±%.1f", half)
	case half >= 0.1:
		return fmt.Sprintf("±%.2f", half)
	}
	return fmt.Sprintf("±%.3f", half)
}

// interval writes both bounds; "" where one is missing.
func interval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return ""
	}
	return number(lo) + " to " + number(hi)
}

// percent writes a share of 1.
func percent(x *float64) string {
	if x == nil {
		return undefined
	}
	return fmt.Sprintf("%.2f %%", 100**x)
}

// list joins CPU numbers as 0-3,7.
func list(cpus []int) string {
	if len(cpus) == 0 {
		return undefined
	}
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		part := fmt.Sprint(cpus[i])
		if j > i {
			part += fmt.Sprintf("-%d", cpus[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// lineLen is the greatest length of a line of a table.
const lineLen = 100

// item writes text as a list item, broken between words.
func item(text string) string { return wrap("  - ", "    ", text) }

// paragraph writes text with an indent, broken between words.
func paragraph(indent, text string) string { return wrap(indent, indent, text) }

func wrap(first, next, text string) string {
	var b strings.Builder
	line, empty := first, true
	for _, word := range strings.Fields(text) {
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
