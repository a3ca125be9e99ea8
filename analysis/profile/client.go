package profile

import (
	"fmt"
	"math"

	"tare/analysis"
	"tare/analysis/metrics"
	"tare/analysis/stats"
	"tare/analysis/verdict"
)

// judgeClient overrules what a step seems to say about the server if its
// client was not valid. What is the server's doing, as failures and full
// queues are, is no fault of the client's.
//
// The send lag is that of all requests: if the machine stood still, those that
// were sent late are likely to have been cut off, and are in no percentile of
// the summary's.
func (s *Step) judgeClient(f *Flow) {
	p99 := func(d metrics.Dist) *float64 { return d.P99 }
	v := clientVerdict(&s.Summary, f, p99)
	if v.Status != verdict.Biased {
		return
	}
	s.Status, s.Reasons = Client, v.Reasons
	v = clientVerdict(&s.Summary, f, backed)
	if s.limit = v.Status == verdict.Biased; !s.limit {
		s.Reasons = append(s.Reasons, "a moment of it, not throughout: other work on this machine, most likely")
	}
}

// clientVerdict judges the client alone, its lags at a percentile.
func clientVerdict(s *analysis.Summary, f *Flow, at func(metrics.Dist) *float64) verdict.Verdict {
	e := verdict.Evidence{
		Planned: 1, Sent: 1, OK: 1, Lost: s.Load.Lost,
		SendLag: at(f.sendLag()), ClientLag: at(s.Latency.ClientLag),
		Latency: at(s.Latency.TTFT.Wire), Measure: "TTFT",
	}
	if e.Latency == nil {
		e.Latency, e.Measure = at(s.Latency.E2E.Wire), "E2E"
	}
	for _, w := range s.Client.Workers {
		e.Workers = append(e.Workers, verdict.Worker{ID: w.ID, Rho: w.Rho})
	}
	return verdict.Judge(e, verdict.Default())
}

// sendLag is the distribution of the send lag, as far as backed asks for it.
func (f *Flow) sendLag() metrics.Dist {
	ms := func(p float64) *float64 {
		ns, ok := stats.Percentile(f.lags, p)
		if !ok {
			return nil
		}
		return new(float64(ns) / 1e6)
	}
	return metrics.Dist{P50: ms(0.5), P90: ms(0.9), P95: ms(0.95), P99: ms(0.99), N: int64(len(f.lags))}
}

// backed is the highest percentile with ten values beyond it: a single stall of
// the machine is the p99 of a hundred requests, and says nothing about what the
// client can do.
func backed(d metrics.Dist) *float64 {
	switch {
	case d.N >= 1000:
		return d.P99
	case d.N >= 200:
		return d.P95
	case d.N >= 100:
		return d.P90
	}
	return d.P50
}

// comfortable is the utilisation that a plan of workers aims at: waits are then
// about the service time.
const comfortable = 0.5

// workersFor is how many workers the load of a step needs, as tare plan has it:
// the work of its events, over a comfortable utilisation. False where the step
// did not tell how much work an event is.
func workersFor(s *Step) (int, bool) {
	mean, n := 0.0, 0.0
	for _, w := range s.Summary.Client.Workers {
		if w.ServiceMean != nil {
			mean, n = mean+*w.ServiceMean/1e6, n+1
		}
	}
	ok := s.Summary.Load.OK
	if n == 0 || ok == 0 || s.Asked == nil {
		return 0, false
	}
	events := float64(s.Summary.Tokens.Output) / float64(ok)
	return int(math.Ceil(*s.Asked * events * mean / n / comfortable)), true
}

// advice says what to do about a client that is the limit at a step.
func advice(s *Step) string {
	text := fmt.Sprintf("client-limited at %s: the client was not valid there, so nothing is said of the server; use more workers", s.loadText())
	if n, ok := workersFor(s); ok {
		return text + fmt.Sprintf(": %d at the least, each on a CPU of its own (see tare plan)", max(n, len(s.Summary.Client.Workers)+1))
	}
	return text + " (tare plan says how many)"
}

// loadText writes the load of a step with its unit.
func (s *Step) loadText() string {
	if s.Concurrency != nil {
		return fmt.Sprintf("%d streams", *s.Concurrency)
	}
	return figure(s.load()) + "/s"
}
