package experiment

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"tare/analysis/stats"
)

// intervalLevel is the confidence of intervals over repeats. An interval of
// 90 % within the limits is the two one-sided tests of equivalence at 5 %
// (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
const intervalLevel = 0.90

// meanInterval returns the mean of repeats and the half width of its interval,
//
//	t·s/√n,  t the quantile of Student's law with n−1 degrees of freedom.
//
// Repeats are runs of their own, hence independent. False for fewer than two.
func meanInterval(x []float64) (mean, half float64, ok bool) {
	mean, _ = stats.Mean(x)
	variance, ok := stats.Variance(x)
	if !ok {
		return mean, 0, false
	}
	n := float64(len(x))
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1 + intervalLevel) / 2)
	return mean, t * math.Sqrt(variance/n), true
}

// spread is the median of values, the mean of the two in the middle if their
// number is even, and their extremes. There must be at least one.
func spread(x []float64) Spread {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return Spread{Median: (x[(n-1)/2] + x[n/2]) / 2, Lo: x[0], Hi: x[n-1]}
}

// band is where a measured value agrees with a predicted one.
func (t Tolerance) band(want float64) (lo, hi float64) {
	switch {
	case t.At == "most":
		return math.Inf(-1), want
	case t.At == "least":
		return want, math.Inf(1)
	case t.Absolute > 0:
		return want - t.Absolute, want + t.Absolute
	}
	margin := t.Relative * math.Abs(want)
	return want - margin, want + margin
}

// words say when a measured value agrees with the prediction.
func (c Claim) words() (s string) {
	switch t := c.Tolerance; {
	case t.At != "":
		s = "at " + t.At
	case t.Absolute > 0:
		s = fmt.Sprintf("± %g", t.Absolute)
	default:
		s = fmt.Sprintf("± %g %%", math.Round(1e4*t.Relative)/100)
	}
	if c.By == ByInterval {
		s += fmt.Sprintf(", the whole %g %% interval", 100*intervalLevel)
	}
	return s
}
