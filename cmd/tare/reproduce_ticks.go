package main

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// logTicks marks an axis in logarithms at 1 to 9 times each power of ten. It
// writes a number at 1, and at 2 and 5 as well where the axis spans no more
// than wideDecades; the library's own writes none on an axis within a decade.
type logTicks struct{}

const wideDecades = 2

// Ticks are those from min to max, which are above 0.
func (logTicks) Ticks(min, max float64) (ticks []plot.Tick) {
	wide := math.Log10(max/min) > wideDecades
	for power := math.Floor(math.Log10(min)); power <= math.Ceil(math.Log10(max)); power++ {
		for digit := 1.0; digit < 10; digit++ {
			tick := plot.Tick{Value: digit * math.Pow(10, power)}
			if tick.Value < min || tick.Value > max {
				continue
			}
			if digit == 1 || !wide && (digit == 2 || digit == 5) {
				tick.Label = strconv.FormatFloat(tick.Value, 'g', 3, 64)
				if tick.Value >= 1000 {
					tick.Label = strconv.FormatFloat(tick.Value, 'f', 0, 64)
				}
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
