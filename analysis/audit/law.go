package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tare/analysis/arrival"
)

// findLaw names what is wrong with the arrivals where the self-test found them
// off their law. Where arrivals wait or the schedule drifts, that is why, and
// their law is only noted.
func (a *audit) findLaw() []Finding {
	t := &a.Traffic
	if len(t.Offences) == 0 {
		return nil
	}
	severity := Suspect
	if _, _, drifts := a.drifts(); drifts || a.Waiting.Waits {
		severity = Note
	}
	if a.Asked.Law != Constant {
		if acf1, high := offence(t.Offences, "acf1"); high && acf1.Value > 0 {
			return a.findCorrelation(acf1, severity)
		}
	}
	cv := t.Law.CV
	switch {
	case cv != nil && a.Asked.Law == Constant && *cv >= randomCV:
		return finding(WrongLaw, severity, *cv, randomCV, "asked for constant gaps, it sends random ones: their coefficient of variation is %.2f, where 0 is constant and 1 exponential", *cv)
	case cv != nil && a.Asked.Law != Constant && *cv <= regularCV*math.Sqrt(a.Asked.scv()):
		return finding(WrongLaw, severity, *cv, regularCV*math.Sqrt(a.Asked.scv()), "asked for %s gaps, it sends regular ones: their coefficient of variation is %.2f, where 0 is constant and 1 exponential", a.Asked.Law, *cv)
	}
	worst := t.Offences[0]
	texts := make([]string, len(t.Offences))
	for i, o := range t.Offences {
		texts[i] = fmt.Sprintf("%s is %.3g (limit %.3g)", o.Figure, o.Value, o.Limit)
	}
	return finding(LawOff, severity, worst.Value, worst.Limit, "arrivals are not %s: %s", a.Asked.Law, strings.Join(texts, ", "))
}

// offence returns the one of a figure.
func offence(all []arrival.Finding, figure string) (arrival.Finding, bool) {
	i := slices.IndexFunc(all, func(f arrival.Finding) bool { return f.Figure == figure })
	if i < 0 {
		return arrival.Finding{}, false
	}
	return all[i], true
}

// findCorrelation tells gaps that are repeated, as by workers that draw from
// generators of one seed, from those that merely resemble their neighbours.
func (a *audit) findCorrelation(acf1 arrival.Finding, severity Severity) []Finding {
	equal := equalShare(gaps(arrivals(a.log)))
	idc := ""
	if x := a.Traffic.Law.IDC50ms; x != nil {
		idc = fmt.Sprintf(", index of dispersion at 50 ms %.2f where Poisson has 1", *x)
	}
	if equal >= equalLimit {
		return finding(SharedSeed, severity, equal, equalLimit,
			"gaps are repeated, as by workers that share a seed: %.0f %% of gaps are within 10 %% of the one before (chance: 5 %%), autocorrelation %.2f%s",
			100*equal, acf1.Value, idc)
	}
	return finding(Correlated, severity, acf1.Value, acf1.Limit, "gaps depend on the one before: autocorrelation %.2f%s", acf1.Value, idc)
}

// equalShare is the share of pairs of successive gaps x, y with
// |x−y|/(x+y) ≤ 0.05. Of independent exponential gaps x/(x+y) is uniform, and
// it is 0.05 whatever their mean.
func equalShare(gaps []float64) float64 {
	n := 0
	for i := 1; i < len(gaps); i++ {
		if x, y := gaps[i-1], gaps[i]; math.Abs(x-y) <= 0.05*(x+y) {
			n++
		}
	}
	return float64(n) / max(1, float64(len(gaps)-1))
}

// findConditioned looks at the counts of all runs that are known: one alone
// comes near its mean by chance, all of them do not.
func (a *audit) findConditioned() []Finding {
	if a.Asked.Law != Poisson || a.Waiting.Waits || a.Traffic.Rate == nil {
		return nil
	}
	totals := append([]arrival.Total{a.Traffic.total(a.Asked.Rate)}, a.totals...)
	if a.light != nil && a.light.Rate != nil {
		totals = append(totals, a.light.total(a.Asked.Rate))
	}
	var found []Finding
	for _, f := range arrival.JudgeTotals(totals) {
		found = append(found, finding(Conditioned, Suspect, f.Value, f.Limit,
			"the counts of %d runs are nearer to their means than chance allows (Σ(n − E n)²/E n is %.2g): its Poisson arrivals are stretched to end on time, and the server sees too little variation",
			len(totals), f.Value)...)
	}
	return found
}

// Total is the count of a run for JudgeTotals: gaps, and the mean number of
// them in the window at a rate.
func (t *Traffic) total(rate float64) arrival.Total {
	return arrival.Total{Count: t.Requests - 1, Expected: rate * t.Window.Length}
}
