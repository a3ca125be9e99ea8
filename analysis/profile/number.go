package profile

import (
	"fmt"
	"math"
	"strconv"
)

// figure writes a number with three significant digits, without an exponent in
// the range where rates are read.
func figure(x float64) string {
	if size := math.Abs(x); size >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// readable rounds a rate that was computed to four significant digits.
func readable(rate float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(rate, 'g', 4, 64), 64)
	if err != nil {
		return rate
	}
	return r
}

// middleOf is the geometric mean where b is more than half as large again as
// a, else the arithmetic one.
func middleOf(a, b float64) float64 {
	if b > 1.5*a {
		return math.Sqrt(a * b)
	}
	return (a + b) / 2
}
