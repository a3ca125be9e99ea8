package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// poolClumps is the weight, in clumps, of the dispersion beyond twice the
// tail in the estimate for the tail itself.
const poolClumps = 5

// PercentileInterval returns the p-percentile of x with a confidence interval
// from order statistics, 0 < p < 1. x is in the order of time and sorted holds
// the same values sorted. False for no values, or p or level outside (0, 1).
//
// Independent values would lie above the true percentile as coin flips do, and
// the bounds be order statistics at binomial ranks (Clopper and Pearson). Of
// correlated ones the values above come in clumps, and n of them count as
//
//	n_eff = p(1−p)/V,
//
// V being the variance of the share above by block means. V itself is known as
// well as a chi-squared variable with df degrees of freedom, and n_eff is
// lowered by (t_df/z)²; df follows from the number of blocks and of clumps. A
// bound whose rank lies outside the data is nil.
func PercentileInterval(x, sorted []float64, p, level float64) (Interval, bool) {
	if !(p > 0 && p < 1) || !valid(level) || len(x) == 0 || len(x) != len(sorted) {
		return Interval{}, false
	}
	value, _ := Percentile(sorted, p)
	if len(x) < MinValues {
		return few(value, level, len(x)), true
	}
	dispersion, blocks := tailDispersion(x, sorted, p)
	n := float64(len(x))
	i := Interval{Value: value, Level: level, Effective: n / dispersion}
	ratio := student(1-tail(level), dispersionDF(n*min(p, 1-p), dispersion, blocks)) / distuv.UnitNormal.Quantile(1-tail(level))
	low, high := ranks(len(x), p, min(n, i.Effective/(ratio*ratio)), tail(level))
	if low >= 1 {
		i.Low = new(sorted[low-1])
	}
	if high <= len(x) {
		i.High = new(sorted[high-1])
	}
	if beyond := i.Effective * min(p, 1-p); beyond < MinTail {
		i.Warnings = append(i.Warnings, fmt.Sprintf(
			"%.1f independent values beyond the percentile, fewer than %d: the interval is not to be trusted", beyond, MinTail))
	}
	return i, true
}

// tailDispersion returns D = n/n_eff ≥ 1, how much more the number of values
// beyond the percentile varies than a binomial one, and the number of blocks.
// Few clumps make a poor estimate, so that of twice the tail, which is
// steadier, is mixed in with the weight of poolClumps clumps.
func tailDispersion(x, sorted []float64, p float64) (d float64, blocks int) {
	t := min(p, 1-p)
	beyond := exceeds(x, sorted, p)
	blocks = blocksFor(beyond)
	d = blockDispersion(beyond, t, blocks)
	t2 := min(2*t, 0.5)
	p2 := t2
	if p > 0.5 {
		p2 = 1 - t2
	}
	d2 := blockDispersion(exceeds(x, sorted, p2), t2, blocks)
	clumps := float64(len(x)) * t / d
	return (clumps*d + poolClumps*d2) / (clumps + poolClumps), blocks
}

// exceeds marks with 1 the values above the p-percentile.
func exceeds(x, sorted []float64, p float64) []float64 {
	q, _ := Percentile(sorted, p)
	above := make([]float64, len(x))
	for i, v := range x {
		if v > q {
			above[i] = 1
		}
	}
	return above
}

// blockDispersion returns n·V/(t(1−t)), at least 1, for marks of mean t.
func blockDispersion(marks []float64, t float64, blocks int) float64 {
	s2, _ := Variance(blockMeans(marks, blocks))
	return max(1, s2/float64(blocks)*float64(len(marks))/(t*(1-t)))
}

// dispersionDF returns the degrees of freedom of the estimate of D from beyond
// values in the tail and the given number of blocks. If clumps are Poisson
// and of geometric size S, then D = E[S²]/E[S] = 2E[S]−1, and a sum of squares
// over blocks has the relative variance
//
//	2/(blocks−1) + E[S⁴]/E[S²]² / clumps,
//
// which for a chi-squared variable is 2/df.
func dispersionDF(beyond, d float64, blocks int) float64 {
	size := (d + 1) / 2
	q := 1 - 1/size
	second := (1 + q) * size * size
	fourth := (1 + q*(11+q*(11+q))) * math.Pow(size, 4)
	return 2 / (2/float64(blocks-1) + fourth/(second*second)/(beyond/size))
}

// ranks returns the ranks, from 1, of the order statistics that bound the
// p-percentile of n values worth nEff independent ones, with probability alpha
// outside on either side. They may lie outside 1…n.
func ranks(n int, p, nEff, alpha float64) (low, high int) {
	k := p * nEff
	l := distuv.Beta{Alpha: k, Beta: nEff - k + 1}.Quantile(alpha)
	h := distuv.Beta{Alpha: k + 1, Beta: nEff - k}.Quantile(1 - alpha)
	return int(math.Floor(l * float64(n))), int(math.Ceil(h*float64(n))) + 1
}
