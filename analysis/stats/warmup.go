package stats

import "math"

// mserBatch is the batch of MSER-5.
const mserBatch = 5

// MSER5 returns how many values at the start of x, in the order of time, are
// warm-up, found from the data alone: x is averaged in batches of five, and of
// all truncations d up to half the k batches that one is taken which minimises
//
//	Σ_{i>d}(y_i − mean)² / (k−d)²,
//
// the squared standard error of what remains (White, "An effective truncation
// heuristic for bias reduction in simulation output", Simulation 69, 1997).
// False if the minimum lies at the half: the series has not settled.
// Also false for fewer than MinValues.
func MSER5(x []float64) (warmup int, settled bool) {
	if len(x) < MinValues {
		return 0, false
	}
	y := blockMeans(x, len(x)/mserBatch)
	k := len(y)
	best, at := math.Inf(1), 0
	mean, square, n := 0.0, 0.0, 0.0 // of y[d:], by Welford from the end
	for d := k - 1; d >= 0; d-- {
		n++
		step := y[d] - mean
		mean += step / n
		square += step * (y[d] - mean)
		if score := square / (n * n); d <= k/2 && score <= best {
			best, at = score, d
		}
	}
	return at * mserBatch, at < k/2
}
