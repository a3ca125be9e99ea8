package arrival

import (
	"math"
	"slices"
	"time"
)

// Windows of the index of dispersion, and the fewest whole windows from which
// one is computed.
const (
	shortWindow  = int64(10 * time.Millisecond)
	middleWindow = int64(50 * time.Millisecond)
	longWindow   = int64(200 * time.Millisecond)
	minWindows   = 10
)

// Stats describes a point process without knowing its law. A pointer is nil
// where the figure is undefined: too few points, or no spread.
type Stats struct {
	// N is the number of instants.
	N int `json:"n"`
	// CV is the standard deviation of the gaps over their mean: 1 for
	// Poisson, 0 for constant.
	CV *float64 `json:"cv"`
	// ACF1 is the autocorrelation of successive gaps: 0 for independent ones.
	ACF1 *float64 `json:"acf1"`
	// IDC is the variance of the counts in windows of one length over their
	// mean: 1 for Poisson at every length.
	IDC10ms  *float64 `json:"idc_10ms"`
	IDC50ms  *float64 `json:"idc_50ms"`
	IDC200ms *float64 `json:"idc_200ms"`
	// KSD is the Kolmogorov distance sup|Fₙ − F| between the gaps and the
	// exponential law of the same mean, in [0, 1].
	KSD *float64 `json:"ks_d"`
}

// Measure computes the Stats of instants (ns, sorted).
func Measure(at []int64) Stats {
	s := Stats{N: len(at)}
	if len(at) < 3 || at[0] == at[len(at)-1] {
		return s
	}
	gaps := gapsOf(at)
	s.CV, s.ACF1 = spread(gaps)
	s.IDC10ms = dispersion(at, shortWindow)
	s.IDC50ms = dispersion(at, middleWindow)
	s.IDC200ms = dispersion(at, longWindow)
	slices.Sort(gaps)
	s.KSD = new(distance(gaps, exponential(meanOf(gaps))))
	return s
}

func gapsOf(at []int64) []float64 {
	gaps := make([]float64, len(at)-1)
	for i := range gaps {
		gaps[i] = float64(at[i+1] - at[i])
	}
	return gaps
}

// spread returns the CV of the gaps and their lag-1 autocorrelation.
func spread(gaps []float64) (cv, acf1 *float64) {
	mean := meanOf(gaps)
	var square, cross float64
	for i, g := range gaps {
		square += (g - mean) * (g - mean)
		if i > 0 {
			cross += (g - mean) * (gaps[i-1] - mean)
		}
	}
	cv = new(math.Sqrt(square/float64(len(gaps)-1)) / mean)
	if square > 0 {
		acf1 = new(cross / square)
	}
	return cv, acf1
}

// dispersion returns the index of dispersion over whole windows laid from the
// first instant; nil with fewer than minWindows of them.
func dispersion(at []int64, window int64) *float64 {
	start := at[0]
	k := (at[len(at)-1] - start) / window
	if k < minWindows {
		return nil
	}
	counts := make([]float64, k)
	for _, t := range at {
		if i := (t - start) / window; i < k {
			counts[i]++
		}
	}
	mean, sum := meanOf(counts), 0.0
	for _, c := range counts {
		sum += (c - mean) * (c - mean)
	}
	return new(sum / float64(k-1) / mean)
}

// distance returns sup|Fₙ − F| for sorted values: the supremum lies at a step,
// just before it or at it.
func distance(sorted []float64, law func(float64) float64) float64 {
	n, d := float64(len(sorted)), 0.0
	for i, x := range sorted {
		f := law(x)
		d = max(d, f-float64(i)/n, float64(i+1)/n-f)
	}
	return d
}

// exponential returns the distribution function 1 − exp(−x/mean).
func exponential(mean float64) func(float64) float64 {
	return func(x float64) float64 { return -math.Expm1(-x / mean) }
}

func meanOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
