package audit

import (
	"fmt"
	"math"
	"slices"
)

// findRetries looks for failed requests that come again: by their body, where
// bodies differ enough, else by more arrivals than were asked for.
func (a *audit) findRetries() []Finding {
	failures := a.Traffic.failures()
	if failures < retryLeast {
		return nil
	}
	severity, unsaid := a.told(failures)
	again, others := repeats(a.log)
	if again >= retryShare && others <= retryControl*again {
		return finding(Retries, severity, again, retryShare,
			"%d requests failed, and for %.0f %% of them the same body came again (of answered ones for %.0f %%)%s",
			failures, 100*again, 100*others, unsaid)
	}
	extra := float64(a.Traffic.Requests - a.Asked.Requests)
	limit := max(retryLeast, retryShare*float64(failures))
	if a.Asked.Requests > 0 && extra >= limit {
		return finding(Retries, severity, extra, limit,
			"%.0f more requests arrived than were asked for, and %d failed: failed ones come again%s", extra, failures, unsaid)
	}
	return nil
}

// told says how bad it is that failed requests come again: not, if the tool
// reports what failed.
func (a *audit) told(failures int64) (Severity, string) {
	r := a.Reported
	switch {
	case r == nil || r.Failed == nil:
		return Suspect, ""
	case float64(*r.Failed) >= retryKnown*float64(failures):
		return Note, fmt.Sprintf("; the tool does report %d failures", *r.Failed)
	}
	return Misleading, fmt.Sprintf("; the tool reports %d failures, and its latencies and rate know nothing of the others", *r.Failed)
}

// repeats is the share of failed requests, and that of answered ones, after
// whose end the same body arrived, each arrival counting once.
func repeats(log []Request) (failed, answered float64) {
	bodies := map[uint32][]int64{} // arrivals by body, in order
	for i := range log {
		if crc := log[i].BodyCRC; crc != 0 {
			bodies[crc] = append(bodies[crc], log[i].Arrival)
		}
	}
	var again, all [2]float64
	for i := range log {
		outcome := 0
		switch {
		case log[i].failed():
		case log[i].ok():
			outcome = 1
		default:
			continue
		}
		all[outcome]++
		same := bodies[log[i].BodyCRC]
		k, _ := slices.BinarySearch(same, log[i].end())
		if k < len(same) && float64(same[k]-log[i].end()) <= retryWithin {
			again[outcome]++
		}
	}
	share := func(k int) float64 { return again[k] / max(1, all[k]) }
	return share(0), share(1)
}

// findFailures looks for failed requests that come again, and where none do, for
// failures that the tool does not report.
func (a *audit) findFailures() []Finding {
	if found := a.findRetries(); len(found) > 0 {
		return found
	}
	r, failures := a.Reported, a.Traffic.failures()
	if r == nil || r.Failed == nil {
		return nil
	}
	limit := max(retryLeast, hiddenShare*float64(failures))
	if hidden := float64(failures - *r.Failed); hidden >= limit {
		return finding(HiddenFailures, Misleading, hidden, limit, "the server failed %d requests; the tool reports %d failures", failures, *r.Failed)
	}
	return nil
}

// findConventions reports where a metric is computed another way than here.
func (a *audit) findConventions() []Finding {
	var found []Finding
	for _, m := range Metrics {
		b := a.Bias[m]
		if b == nil || b.Status != FitOther {
			continue
		}
		part, _ := b.key(b.Explained)
		whole, _ := b.key(b.Truth)
		f := finding(kindOf(m, b.Convention), severityOf(part, whole), part, biasLimit(whole),
			"its %s is %s: %+.3g ms of its figure", b.Name, b.Text, part)
		f[0].Metric = m
		found = append(found, f...)
	}
	return found
}

// kindOf names the conventions that have a kind of their own.
func kindOf(m Metric, convention string) Kind {
	switch {
	case m == TTFT && (convention == "opening" || convention == "opening+connect"):
		return TTFTOpening
	case m == TTFT:
		return TTFTConnect
	case m == E2E && (convention == "trailer" || convention == "trailer+connect"):
		return E2ETrailer
	}
	return Other
}

// biasLimit is what a latency may be off, in ms.
func biasLimit(truth float64) float64 { return max(suspectBiasMS, suspectBias*math.Abs(truth)) }

// severityOf tells what it means for a latency to be off by so many ms.
func severityOf(off, truth float64) Severity {
	switch off = math.Abs(off); {
	case off > max(misleadingBiasMS, misleadingBias*math.Abs(truth)):
		return Misleading
	case off > biasLimit(truth):
		return Suspect
	}
	return Note
}

// findBias reports what the client itself adds to a latency, in the worst of
// the figures that it gives, and figures below the server's.
func (a *audit) findBias() []Finding {
	var found []Finding
	for _, m := range Metrics {
		b := a.Bias[m]
		if b == nil {
			continue
		}
		f := b.worst()
		if below, ok := b.key(b.Own); ok && m != TPOT && m != ITL && below < -b.resolution() {
			truth, _ := b.key(b.Candidates[b.Convention])
			f = finding(BelowTruth, severityOf(below, truth), below, -b.resolution(),
				"its %s is %.3g ms below what the server took, which no client can see", b.Name, -below)
		}
		for i := range f {
			f[i].Metric = m
		}
		found = append(found, f...)
	}
	return found
}

// worst reports the client's own part where it is worst by severity, then by
// size over its limit.
func (b *Bias) worst() []Finding {
	names := []string{"p50", "mean", "p90", "p95", "p99"}
	if b.metric == ITL {
		names = []string{"mean"}
	}
	var found []Finding
	most := 1.0
	truth := b.figures(b.Candidates[b.Convention])
	for i, own := range b.figures(b.Own) {
		if own == nil || severityOf(*own, *truth[i]) == Note {
			continue
		}
		if over := math.Abs(*own) / biasLimit(*truth[i]); over > most {
			most = over
			found = finding(ClientBias, severityOf(*own, *truth[i]), *own, biasLimit(*truth[i]),
				"it adds %+.4g ms to the %s of %s, which is %.4g ms at the server", *own, names[i], b.Name, *truth[i])
		}
	}
	return found
}
