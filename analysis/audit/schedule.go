package audit

import (
	"fmt"
	"math"
	"slices"

	"tare/analysis/arrival"
	"tare/analysis/stats"
)

// findRate holds the delivered rate against the one asked for, and the one
// that the tool claims.
func (a *audit) findRate() []Finding {
	t := &a.Traffic
	var found []Finding
	switch {
	case t.short():
		s := Suspect
		if 1-*t.Share > max(misleadingShare, t.allowed()) && a.Short.Cause != CauseServer {
			s = Misleading
		}
		found = finding(RateShort, s, *t.Share, 1-t.allowed(), "%.1f requests/s reached the server of %g asked for (%.1f %%): %s",
			*t.Rate, a.Asked.Rate, 100**t.Share, a.Short.Cause)
	case t.over():
		found = finding(RateOver, Suspect, *t.Share, 1+t.allowed(), "%.1f requests/s reached the server of %g asked for (%.1f %%)",
			*t.Rate, a.Asked.Rate, 100**t.Share)
	}
	if r := a.Reported; r != nil && r.Rate != nil && t.OKRate != nil && *r.Rate > *t.OKRate*(1+claimedShare)*(1+rateErrors*t.error()) {
		found = append(found, finding(RateClaimed, Suspect, *r.Rate, *t.OKRate*(1+claimedShare),
			"it says that it completed %.1f requests/s; the server answered %.1f", *r.Rate, *t.OKRate)...)
	}
	return found
}

// error is the relative standard error of the delivered share, 0 if there is
// none.
func (t *Traffic) error() float64 {
	if t.ShareError == nil {
		return 0
	}
	return *t.ShareError
}

// findWaiting reports arrivals that waited for answers.
func (a *audit) findWaiting() []Finding {
	w := a.Waiting
	if !w.Waits {
		return nil
	}
	value, limit, how := a.evidence()
	severity, left := Misleading, ""
	if omitted := a.omitted(); omitted != nil {
		left = ", and its latencies leave that out: " + fmt.Sprintf("requests came on average %.4g ms after they were due", *omitted)
		if a.charged(*omitted) {
			severity, left = Suspect, fmt.Sprintf("; its latencies do count from when requests were due, %.4g ms earlier on average", *omitted)
		}
	}
	found := finding(Omission, severity, value, limit, "arrivals wait for answers (%s)%s", how, left)
	if w.Constant {
		found = append(found, finding(ClosedLoop, Misleading, value, limit,
			"it is a closed loop: %.3g requests in flight on average and at most %d, nearly all the time; its rate follows from the server's latency",
			*a.Traffic.InFlight.Mean, a.Traffic.InFlight.Max)...)
	}
	return found
}

// evidence says in figures why arrivals wait.
func (a *audit) evidence() (value, limit float64, how string) {
	switch w := a.Waiting; {
	case w.Level != nil:
		return float64(*w.Arrived) / *w.Due, waitRatio,
			fmt.Sprintf("with %d in flight %d came where %.0f were due", *w.Level, *w.Arrived, *w.Due)
	case w.Slope != nil:
		return *w.Slope, 0.5, fmt.Sprintf("each comes later by %.2f of what an earlier answer took longer", *w.Slope)
	default:
		return *w.Follow, followGap, fmt.Sprintf("half of them come within %.3f of a gap after an answer", *w.Follow)
	}
}

// omitted is how long after they were due requests came, on average in ms, if
// the first was on time; nil where the rate was made up.
func (a *audit) omitted() *float64 {
	if !a.Traffic.short() {
		return nil
	}
	sum := 0.0
	for i := range a.log {
		due := float64(i) * 1e3 / a.Asked.Rate
		sum += max(0, float64(a.log[i].Arrival-a.log[0].Arrival)/1e6-due)
	}
	return new(sum / float64(len(a.log)))
}

// charged tells if the tool's latencies hold at least half of that time.
func (a *audit) charged(omitted float64) bool {
	for _, m := range []Metric{E2E, TTFT} {
		if b := a.Bias[m]; b != nil && b.Bias.Mean != nil && *b.Bias.Mean >= omitted/2 && *b.Bias.Mean > misleadingBiasMS {
			return true
		}
	}
	return false
}

// drifts tells if each gap is longer than asked for by an overhead, as from a
// sleep that begins when the send is done: the shortest gaps are longer than
// the law's by a good part of what the mean is. A client without CPU, or one
// that waits, has long gaps for another reason.
func (a *audit) drifts() (floor, missing float64, yes bool) {
	t := &a.Traffic
	if t.Share == nil || *t.Share > 1-shortShare || a.Waiting.Waits || a.Short.Cause == CauseCost || a.Short.Cause == CauseServer {
		return 0, 0, false
	}
	gaps := gaps(arrivals(a.log))
	slices.Sort(gaps)
	n := float64(len(gaps))
	asked, mean := 1e9/a.Asked.Rate, 1e9 / *t.Rate
	missing = mean - asked
	switch a.Asked.Law {
	case Constant:
		low, _ := stats.Percentile(gaps, driftLow)
		return low - asked, missing, low-asked >= driftPart*missing && t.short()
	case Poisson:
		if _, dependent := offence(t.Offences, "acf1"); dependent {
			return 0, 0, false // so few different gaps may all be long
		}
		low, _ := stats.Percentile(gaps, driftLowest)
		below := n * -math.Expm1(-low/mean) // gaps that a Poisson law has below it
		floor = low - float64(arrival.SendTime)
		return floor, missing, floor >= driftPart*missing && below-driftLowest*n >= driftErrors*math.Sqrt(below)
	}
	return 0, 0, false
}

func (a *audit) findDrift() []Finding {
	floor, missing, yes := a.drifts()
	if !yes {
		return nil
	}
	severity := Suspect
	if 1-*a.Traffic.Share > misleadingShare {
		severity = Misleading
	}
	return finding(Drift, severity, floor/1e6, driftPart*missing/1e6,
		"its schedule drifts: gaps are %.3g ms longer than asked for on average, the shortest ones by %.3g ms, so a pause or a send is added to each and never made up",
		missing/1e6, floor/1e6)
}

// findLate looks at a constant schedule that was kept, but late.
func (a *audit) findLate() []Finding {
	if !a.late() || a.Traffic.short() || a.Traffic.over() || a.Waiting.Waits {
		return nil
	}
	p99 := *a.Traffic.Lag.P99
	return finding(LateSends, Suspect, p99, a.lagLimit(), "the p99 of lateness against its constant schedule is %.3g ms", p99)
}

// findCatchUp looks for pauses after which the arrivals that they held up come
// at once.
func (a *audit) findCatchUp() []Finding {
	if a.Waiting.Waits || a.Traffic.Rate == nil {
		return nil
	}
	at := arrivals(a.log)
	mean := 1e9 / *a.Traffic.Rate
	least := max(catchPause*mean*max(1, a.Asked.scv()), catchLeast)
	events, held := 0, 0
	for i := 1; i < len(at); i++ {
		pause := float64(at[i] - at[i-1])
		if pause < least {
			continue
		}
		n := 0
		for i+n < len(at) && float64(at[i+n]-at[i]) <= catchWithin*pause {
			n++
		}
		if float64(n) >= catchPart*pause/mean {
			events++
			held += n
		}
	}
	share := float64(held) / float64(len(at))
	if events < catchEvents || share < catchShare {
		return nil
	}
	return finding(CatchUp, Suspect, share, catchShare,
		"it sends in bursts: %d pauses of %.3g ms and more were each followed by the requests that they held up, %.1f %% of all",
		events, least/1e6, 100*share)
}
