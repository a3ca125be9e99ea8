package report

import (
	"fmt"
	"strings"

	"tare/analysis/layout"
)

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
	return layout.Number(lo) + " to " + layout.Number(hi)
}

// list joins CPU numbers as 0-3,7.
func list(cpus []int) string {
	if len(cpus) == 0 {
		return layout.Undefined
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
