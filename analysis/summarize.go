package analysis

import (
	"fmt"
	"maps"
	"slices"

	"tare/analysis/arrival"
	"tare/analysis/verdict"
	"tare/ipc"
)

const nsPerSecond = 1e9

// summarize makes the summary of each step.
func (f *file) summarize() error {
	for i, s := range f.order {
		sum, err := f.summary(s, f.ending(i))
		if err != nil {
			return fmt.Errorf("step %d: %w", s.number, err)
		}
		f.run.Steps = append(f.run.Steps, Step{Number: s.number, Offset: s.offset, Load: s.load, Summary: sum})
	}
	return nil
}

func (f *file) summary(s *step, e ending) (Summary, error) {
	p, err := s.plan(e)
	if err != nil {
		return Summary{}, err
	}
	due, sent := s.window(p.end)
	stats, findings := s.judgeSends(due, sent)
	sum := Summary{
		Load:    s.traffic(p, len(sent)),
		Latency: s.latency.Latency(),
		Tokens:  s.tokens,
		SLO:     s.attainment(p, len(sent)),
		Until:   s.aim.until(),
	}
	sum.Client = s.client(p, f.run.Manifest.Workers, sum.Latency.ClientLag)
	short := s.latency.Bound(&sum.Latency)
	parts, unsure := f.parts(s)
	sum.NTPOTParts = parts
	sum.Load.ArrivalTest = stats
	sum.Tokens.OutputRate = s.rate(s.output.Sum(p.end), p, len(sent))
	sum.Verdict = verdict.Judge(f.evidence(s, e, &sum, findings), verdict.Default())
	sum.Warnings = s.warnings(&sum, grounds{short: short, findings: findings, parts: unsure})
	return sum, nil
}

func (s *step) traffic(p plan, sent int) Traffic {
	l := Traffic{
		Ledger:       s.ledger(p),
		Errors:       map[string]int64{},
		EmptyAnswers: s.empty,
		Window: Window{
			From: float64(s.from-s.offset) / nsPerSecond,
			To:   float64(p.end-s.offset) / nsPerSecond,
		},
	}
	for _, c := range ipc.FailureClasses() {
		l.Errors[c.String()] = s.errors[c]
	}
	if s.load.Open() {
		l.RequestedRate = new(s.spec.Rate.Float64())
	}
	s.ends.Sort()
	l.AchievedRate = s.rate(float64(sent), p, sent)
	l.DeliveredRate = s.rate(float64(s.ends.AtMost(p.end)-s.ends.AtMost(s.from-1)), p, sent)
	return l
}

// judgeSends runs the arrival self-test on the sends of the steady window.
func (s *step) judgeSends(due, sent []int64) (*ArrivalTest, []arrival.Finding) {
	if !s.load.Open() {
		return nil, nil
	}
	t := s.spec.Measure(slices.Sorted(slices.Values(sent)))
	return &ArrivalTest{
		CV: t.CV, ACF1: t.ACF1, IDC10ms: t.IDC10ms, IDC50ms: t.IDC50ms, IDC200ms: t.IDC200ms, KSD: t.KSD,
	}, s.spec.Judge(due, sent)
}

// isJitter tells whether a finding is no more than sends of a constant rate
// that are off by a little each. Their schedule is kept: a send that comes late
// is judged by its lag, and drift by a finding of its own.
func (s *step) isJitter(x arrival.Finding) bool {
	return s.spec.Law == arrival.Constant && x.Figure == "ks_d"
}

func (s *step) attainment(p plan, sent int) SLO {
	if s.settings.SLO == (ipc.SLO{}) {
		return SLO{}
	}
	slo := SLO{Goodput: s.rate(float64(s.good), p, sent)}
	if p.inWindow > 0 {
		slo.Attained = new(float64(s.good) / float64(p.inWindow))
	}
	return slo
}

// evidence gathers what the verdict rests on.
func (f *file) evidence(s *step, e ending, sum *Summary, findings []arrival.Finding) verdict.Evidence {
	l := &sum.Load
	ev := verdict.Evidence{
		Planned: l.Planned, Sent: l.Sent, OK: l.OK, Dropped: l.Dropped, Lost: l.Lost,
		SendLag: sum.Latency.SendLag.P99, ClientLag: sum.Latency.ClientLag.P99,
		Latency: sum.Latency.TTFT.Wire.P99, Measure: "TTFT",
		UserStamps: sum.Client.Stamps != nil && *sum.Client.Stamps == userStamps,
		Unended:    f.run.End == nil,
		SharedCPUs: s.sharedCPUs(sum.Client, f.run.Manifest.Host.AllowedCPUs),
	}
	if ev.Latency == nil {
		ev.Latency, ev.Measure = sum.Latency.E2E.Wire.P99, "E2E"
	}
	for _, fault := range f.run.Faults {
		ev.Faults = append(ev.Faults, fmt.Sprintf("worker %d: %s", fault.Worker, fault.Text))
	}
	if f.run.End != nil {
		ev.Throttled = f.run.End.Throttled
	}
	for _, x := range findings {
		if !s.isJitter(x) {
			ev.Arrivals = append(ev.Arrivals, x.Text)
		}
	}
	for _, row := range sum.Client.Workers {
		ev.Workers = append(ev.Workers, s.workerEvidence(row, e))
	}
	return ev
}

func (s *step) workerEvidence(row Worker, e ending) verdict.Worker {
	w := s.worker(row.ID)
	v := verdict.Worker{ID: row.ID, Rho: row.Rho, Dead: e.over && w.done == nil}
	v.ClockStep = float64(w.last.Usage.ClockStep) / 1e3
	if length := w.last.At - s.offset; length > 0 {
		v.GCShare = float64(w.last.Usage.GCPause) / float64(length)
	}
	return v
}

// sortedIDs returns the keys of m in order.
func sortedIDs[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }
