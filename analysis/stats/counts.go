package stats

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// MinCount returns how many independent values are needed to say with the
// given confidence that the p-percentile meets a bound, if over of them were
// above it: the smallest n with
//
//	P(Binomial(n, 1−p) ≤ over) ≤ 1 − confidence,
//
// the early-stopping rule of MLPerf LoadGen. 0 < p, confidence < 1, over ≥ 0.
// A p99 at 99 % needs 459 values if none is above the bound, 662 if one is.
func MinCount(p float64, over int64, confidence float64) int64 {
	enough := func(n int64) bool { return atMost(n, over, p) <= 1-confidence }
	low, high := over, 2*(over+1) // n = over is never enough
	for !enough(high) {
		low, high = high, 2*high
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// MaxOver returns how many of n independent values may lie above a bound that
// the p-percentile is said to meet with the given confidence: the largest
// over with MinCount(p, over, confidence) ≤ n. False if n is too small for any.
func MaxOver(n int64, p, confidence float64) (over int64, ok bool) {
	if n < MinCount(p, 0, confidence) {
		return 0, false
	}
	low, high := int64(0), n // low is allowed, high is not
	for high-low > 1 {
		if mid := low + (high-low)/2; atMost(n, mid, p) <= 1-confidence {
			low = mid
		} else {
			high = mid
		}
	}
	return low, true
}

// atMost returns P(Binomial(n, 1−p) ≤ k) = I_p(n−k, k+1), 0 ≤ k < n.
func atMost(n, k int64, p float64) float64 {
	return mathext.RegIncBeta(float64(n-k), float64(k+1), p)
}

// UpperBound returns a value that the true p-percentile does not exceed with
// the given confidence, the conservative estimate of MLPerf: of sorted values
// worth effective independent ones, MaxOver may lie above it, or as large a
// share of all. False if they are too few.
func UpperBound[T cmp.Ordered](sorted []T, effective, p, confidence float64) (bound T, ok bool) {
	n := int64(math.Floor(effective))
	over, ok := MaxOver(n, p, confidence)
	if !ok || len(sorted) == 0 {
		return bound, false
	}
	above := int(float64(over) / float64(n) * float64(len(sorted)))
	return sorted[len(sorted)-1-above], true
}
