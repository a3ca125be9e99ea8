package stats

import "math"

// RatioInterval returns Σnum/Σden with a confidence interval, the pairs being
// in the order of time: the slope through the origin that weights each pair by
// its den. It is the interval of the mean of num − R·den, which is 0 at the
// true ratio, divided by the mean of den (delta method). False for no pairs,
// unequal lengths, a level outside (0, 1), or Σden not above 0.
func RatioInterval(num, den []float64, level float64) (Interval, bool) {
	top, _ := Mean(num)
	bottom, ok := Mean(den)
	if !ok || len(num) != len(den) || !valid(level) || !(bottom > 0) {
		return Interval{}, false
	}
	ratio := top / bottom
	rest := make([]float64, len(num))
	for k := range rest {
		rest[k] = num[k] - ratio*den[k]
	}
	i, _ := MeanInterval(rest, level)
	i.Value = ratio
	if i.Low != nil {
		*i.Low, *i.High = ratio+*i.Low/bottom, ratio+*i.High/bottom
	}
	return i, true
}

// Jackknife returns a figure computed from blocks of a run with a confidence
// interval. estimate computes it without one block, without −1 from all of
// them; it returns false where the figure is undefined. With θ₋ⱼ the figures
// without block j the variance is (b−1)/b·Σ(θ₋ⱼ−mean)², the interval Student's
// t with b−1 degrees of freedom. It serves figures that are no means, such as
// the ratio of a measured to a predicted wait. False for fewer than two blocks,
// a level outside (0, 1), or a figure undefined without some block.
func Jackknife(blocks int, level float64, estimate func(without int) (float64, bool)) (Interval, bool) {
	value, ok := estimate(-1)
	if !ok || blocks < 2 || !valid(level) {
		return Interval{}, false
	}
	parts := make([]float64, blocks)
	for j := range parts {
		if parts[j], ok = estimate(j); !ok {
			return Interval{}, false
		}
	}
	b := float64(blocks)
	variance, _ := Variance(parts)
	half := student(1-tail(level), b-1) * math.Sqrt(variance*(b-1)*(b-1)/b)
	low, high := value-half, value+half
	i := Interval{Value: value, Low: &low, High: &high, Level: level, Effective: b}
	if blocks < minBlocks {
		i.Warnings = []string{"few blocks: the interval is rough"}
	}
	return i, true
}
