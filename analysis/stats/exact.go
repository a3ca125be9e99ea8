package stats

import (
	"cmp"
	"math"
)

// Number is what latencies are kept in: nanoseconds, or a float.
type Number interface{ ~int64 | ~float64 }

// Percentile returns the p-percentile of sorted values by nearest rank: the
// least value with at least p·n values at or below it, which is the value of
// rank ⌈p·n⌉, 0 < p ≤ 1. It is always one of the values. False for none.
func Percentile[T cmp.Ordered](sorted []T, p float64) (v T, ok bool) {
	if len(sorted) == 0 || !(p > 0 && p <= 1) {
		return v, false
	}
	return sorted[rank(len(sorted), p)-1], true
}

// rank returns ⌈p·n⌉, at least 1. The product is lowered by a billionth, as
// 0.07·100 is 7.000000000000001 in floating point and its rank is 7.
func rank(n int, p float64) int {
	return max(1, int(math.Ceil(p*float64(n)*(1-1e-9))))
}

// Mean returns the arithmetic mean, false for no values.
func Mean[T Number](x []T) (mean float64, ok bool) {
	for i, v := range x {
		mean += (float64(v) - mean) / float64(i+1)
	}
	return mean, len(x) > 0
}

// Variance returns the sample variance Σ(x−mean)²/(n−1), in the squared unit
// of x; false for fewer than two values.
func Variance[T Number](x []T) (variance float64, ok bool) {
	if len(x) < 2 {
		return 0, false
	}
	mean, _ := Mean(x)
	sum := 0.0
	for _, v := range x {
		d := float64(v) - mean
		sum += d * d
	}
	return sum / float64(len(x)-1), true
}
