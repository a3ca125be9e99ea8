package audit

import (
	"strings"

	"tare/analysis/layout"
)

// signed is number with a + before what is above 0.
func signed(x *float64) string {
	s := layout.Number(x)
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
