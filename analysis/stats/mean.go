package stats

import (
	"fmt"
	"math"
)

// MeanInterval returns the mean of x, which is in the order of time, with a
// confidence interval by batch means. False for no values or a level outside
// (0, 1).
//
// With b blocks (see the package comment), block means Y and their sample
// variance s², the variance of the mean is taken as
//
//	V = max(V_b, 2·V_b − V_2b),  V_b = s²/b,
//
// V_2b being the same from twice as many blocks: what correlation between
// blocks takes from V_b it takes twice from V_2b, so the difference gives it
// back (the lugsail window of Vats and Flegal, Biometrika 109, 2022). The
// interval is Student's t with b−1 degrees of freedom, corrected for the skew
// of the block means by Willink (Communications in Statistics 34, 2005).
func MeanInterval(x []float64, level float64) (Interval, bool) {
	mean, ok := Mean(x)
	if !ok || !valid(level) {
		return Interval{}, false
	}
	if len(x) < MinValues {
		return few(mean, level, len(x)), true
	}
	b := blocksFor(x)
	means := blockMeans(x, b)
	v := varianceOfMean(x, b)
	t, shift := student(1-tail(level), float64(b-1)), skewShift(means)
	low, high := mean-willink(t, shift)*math.Sqrt(v), mean-willink(-t, shift)*math.Sqrt(v)
	i := Interval{Value: mean, Low: &low, High: &high, Level: level, Effective: effective(x, v)}
	if i.Effective < MinEffective {
		i.Warnings = append(i.Warnings, fmt.Sprintf(
			"%d correlated values are worth %.0f independent ones, fewer than %d: the interval may be too narrow", len(x), i.Effective, MinEffective))
	}
	return i, true
}

// EffectiveSize returns how many independent values would tell the mean of x
// as well as x does: n·Var(x)/(n·V) with V the variance of the mean by batch
// means, at most n. False for fewer than MinValues.
func EffectiveSize(x []float64) (float64, bool) {
	if len(x) < MinValues {
		return 0, false
	}
	return effective(x, varianceOfMean(x, blocksFor(x))), true
}

func effective(x []float64, varianceOfMean float64) float64 {
	n := float64(len(x))
	variance, _ := Variance(x)
	if varianceOfMean == 0 {
		return n
	}
	return min(n, variance/varianceOfMean)
}

// varianceOfMean is V of MeanInterval.
func varianceOfMean(x []float64, b int) float64 {
	wide, _ := Variance(blockMeans(x, b))
	narrow, _ := Variance(blockMeans(x, 2*b))
	v, v2 := wide/float64(b), narrow/float64(2*b)
	return max(v, 2*v-v2)
}

// skewShift returns β = skewness/(6√b) of b block means.
func skewShift(y []float64) float64 {
	mean, _ := Mean(y)
	variance, _ := Variance(y)
	if variance == 0 {
		return 0
	}
	cube, b := 0.0, float64(len(y))
	for _, v := range y {
		cube += math.Pow(v-mean, 3)
	}
	skewness := b / ((b - 1) * (b - 2)) * cube / math.Pow(variance, 1.5)
	return skewness / (6 * math.Sqrt(b))
}

// willink turns a t quantile into that of the skewed ratio (mean−μ)/√V,
//
//	G(t) = ((1+6β(t−β))^⅓ − 1) / 2β,  G(t) = t for β = 0.
func willink(t, shift float64) float64 {
	if math.Abs(shift) < 1e-6 {
		return t
	}
	return (math.Cbrt(1+6*shift*(t-shift)) - 1) / (2 * shift)
}
