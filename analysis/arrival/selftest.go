package arrival

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// Limits of the self-test. A figure is found wrong only if it is off by more
// than its effect, which is a size that changes what a server's queue does,
// and by more than chance allows at the given number of gaps. A p-value alone
// would condemn every long run: at thousands a second a send takes a visible
// part of a gap.
const (
	// EffectCV is relative to the law's own CV.
	EffectCV = 0.1
	// EffectACF1 is absolute; two workers that share a seed show 0.5.
	EffectACF1 = 0.1
	// EffectIDC is absolute, against 1; two workers that share a seed show 2.
	EffectIDC = 0.3
	// EffectKS is absolute; at 0.1 one gap in ten is misplaced.
	EffectKS = 0.1
	// EffectDrift is how much later than planned the last sends may be,
	// compared with the first.
	EffectDrift = time.Millisecond

	// SendTime is what one send may take. Gaps below it hardly occur, which
	// by itself puts a Kolmogorov distance of F(SendTime) between the law F
	// of the plan and the sends; EffectKS counts beyond that.
	SendTime = 20 * time.Microsecond
	// JitterScale is the least time against which gaps of a constant rate
	// are compared, so that EffectKS forgives 0.1 ms.
	JitterScale = time.Millisecond

	// ChanceErrors is how many standard errors a figure may be off, where its
	// law is near normal.
	ChanceErrors = 4.5
	// ChanceKS over the square root of the number of gaps bounds what chance
	// does to a Kolmogorov distance.
	ChanceKS = 2.0
	// ChanceTail is the probability left outside on either side where the law
	// of a figure is chi-squared: counts.
	ChanceTail = 1e-4
	// MinPoints is the fewest sends that are judged at all.
	MinPoints = 50
)

// Measure computes the Stats of what was sent (ns, sorted) under the schedule
// s. KSD is the distance to the law of s: exponential or gamma with the mean of
// the sends; for a constant rate the Ky Fan distance, the least ε such that
// at most a share ε of the gaps is off by more than ε·max(gap, JitterScale);
// nil for a trace, which has no law.
func (s Spec) Measure(at []int64) Stats {
	stats := Measure(at)
	if stats.KSD == nil || s.Law == Poisson {
		return stats
	}
	gaps := gapsOf(at)
	slices.Sort(gaps)
	switch s.Law {
	case Gamma:
		stats.KSD = new(distance(gaps, s.gapLaw(meanOf(gaps))))
	case Constant:
		gap := rateUnit / s.Rate.Float64()
		stats.KSD = new(kyFan(gaps, gap, max(gap, float64(JitterScale))))
	default:
		stats.KSD = nil
	}
	return stats
}

// gapLaw returns the distribution function of a Poisson or gamma gap with the
// given mean, ns.
func (s Spec) gapLaw(mean float64) func(float64) float64 {
	if s.Law == Gamma {
		return distuv.Gamma{Alpha: s.Burstiness, Beta: s.Burstiness / mean}.CDF
	}
	return exponential(mean)
}

// kyFan returns the least ε with at most ε·n values off by more than ε·scale.
func kyFan(values []float64, center, scale float64) float64 {
	off := make([]float64, len(values))
	for i, x := range values {
		off[i] = math.Abs(x-center) / scale
	}
	slices.Sort(off)
	least := 1.0
	for i, x := range off {
		least = min(least, max(x, float64(len(off)-1-i)/float64(len(off))))
	}
	return least
}
