package arrival

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Finding is one way in which sends left their schedule. Value is the measured
// figure and Limit the bound that it crossed, both in the unit of Figure:
// milliseconds for drift_ms, else a pure number.
type Finding struct {
	Figure string  `json:"figure"` // a key of Stats, or drift_ms, or totals
	Value  float64 `json:"value"`
	Limit  float64 `json:"limit"`
	Text   string  `json:"text"` // one sentence for the report
}

// Judge compares sends with the schedule s: due[i] and sent[i] are the planned
// and the actual instant of one request, ns, in the order of due. It returns
// nil for a faithful run and for fewer than MinPoints requests.
//
// It sees correlated or bunched sends (as from workers that share a seed) by
// ACF1 and IDC, another law by CV and KSD, and a schedule that slips by
// drift. A process forced to end at its mean looks right within one run; that
// is for JudgeTotals.
func (s Spec) Judge(due, sent []int64) []Finding {
	sorted := slices.Sorted(slices.Values(sent))
	if len(sorted) < MinPoints || sorted[0] == sorted[len(sorted)-1] {
		return nil
	}
	return slices.Concat(s.judgeLaw(sorted), judgeDrift(due, sent))
}

// judgeLaw holds the figures of the sends against those of the law.
func (s Spec) judgeLaw(sorted []int64) []Finding {
	stats := s.Measure(sorted)
	n := float64(stats.N - 1)
	span := sorted[stats.N-1] - sorted[0]
	switch s.Law {
	case Constant:
		return outside("ks_d", "Ky Fan distance of the gaps from a constant", stats.KSD, 0, EffectKS)
	case Trace:
		return nil
	}
	busy := s.gapLaw(float64(span) / n)(float64(SendTime))
	found := slices.Concat(
		s.judgeSpread(stats, n),
		outside("ks_d", fmt.Sprintf("Kolmogorov distance of the gaps from the %v law", s.Law),
			stats.KSD, 0, max(EffectKS, ChanceKS/math.Sqrt(n))+busy))
	if s.Law == Gamma {
		return found // the IDC of a gamma process has no simple law
	}
	return slices.Concat(found,
		judgeDispersion("idc_10ms", stats.IDC10ms, span/shortWindow),
		judgeDispersion("idc_50ms", stats.IDC50ms, span/middleWindow),
		judgeDispersion("idc_200ms", stats.IDC200ms, span/longWindow))
}

// judgeSpread checks CV and ACF1 of n independent gamma gaps. With c their
// SCV the relative standard error of the CV is √((1+c)/2n), from the fourth
// moment 3+6c of the gamma law; that of the ACF1 is 1/√n.
func (s Spec) judgeSpread(stats Stats, n float64) []Finding {
	scv := 1.0
	if s.Law == Gamma {
		scv = 1 / s.Burstiness
	}
	cv := math.Sqrt(scv)
	offCV := cv * max(EffectCV, ChanceErrors*math.Sqrt((1+scv)/(2*n)))
	offACF := max(EffectACF1, ChanceErrors/math.Sqrt(n))
	return slices.Concat(
		outside("cv", "coefficient of variation of the gaps", stats.CV, cv-offCV, cv+offCV),
		outside("acf1", "autocorrelation of successive gaps", stats.ACF1, -offACF, offACF))
}

// judgeDispersion checks the index of dispersion of k windows. Under a Poisson
// law (k−1)·IDC is chi-squared with k−1 degrees of freedom.
func judgeDispersion(key string, idc *float64, k int64) []Finding {
	if idc == nil {
		return nil
	}
	chi := distuv.ChiSquared{K: float64(k - 1)}
	low := min(1-EffectIDC, chi.Quantile(ChanceTail)/chi.K)
	high := max(1+EffectIDC, chi.Quantile(1-ChanceTail)/chi.K)
	return outside(key, "index of dispersion of counts (1 for Poisson)", idc, low, high)
}

// judgeDrift compares the median lateness of the last tenth with that of the
// first: medians, since a stall is no drift.
func judgeDrift(due, sent []int64) []Finding {
	late := make([]int64, len(due))
	for i := range due {
		late[i] = sent[i] - due[i]
	}
	tenth := len(late) / 10
	drift := float64(median(late[len(late)-tenth:])-median(late[:tenth])) / 1e6
	limit := EffectDrift.Seconds() * 1e3
	return outside("drift_ms", "growth of the lag behind the schedule, ms", &drift, -limit, limit)
}

// Total is what one run, or one long window of it, gave in all: Count sends
// where the rate asked for Expected on average.
type Total struct {
	Count    int64
	Expected float64
}

// JudgeTotals looks at several runs or windows of Poisson arrivals and finds a
// process that was forced to its mean: one rescaled to end at N/λ, or with a
// fixed count. Under a Poisson law Σ(count−expected)²/expected is chi-squared
// with one degree of freedom a run; a sum in its lowest ChanceTail is too
// near the mean to be chance. Each difference is taken half a request larger,
// since counts are whole.
func JudgeTotals(totals []Total) []Finding {
	sum := 0.0
	for _, t := range totals {
		off := math.Abs(float64(t.Count)-t.Expected) + 0.5
		sum += off * off / t.Expected
	}
	if len(totals) == 0 {
		return nil
	}
	least := distuv.ChiSquared{K: float64(len(totals))}.Quantile(ChanceTail)
	return outside("totals", "squared distance of counts from their means", &sum, least, math.MaxFloat64)
}

// outside finds a value below low or above high.
func outside(key, what string, value *float64, low, high float64) []Finding {
	if value == nil || *value >= low && *value <= high {
		return nil
	}
	f := Finding{Figure: key, Value: *value, Limit: high}
	side := "above"
	if *value < low {
		f.Limit, side = low, "below"
	}
	f.Text = fmt.Sprintf("%s is %.3g, %s %.3g", what, f.Value, side, f.Limit)
	return []Finding{f}
}

func median(x []int64) int64 { return slices.Sorted(slices.Values(x))[len(x)/2] }
