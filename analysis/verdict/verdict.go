package verdict

import (
	"fmt"
	"strings"
)

// Status is the verdict in a word.
type Status string

// The verdicts, from good to bad.
const (
	Valid   Status = "valid"
	Suspect Status = "suspect"
	Biased  Status = "biased"
)

// Verdict is a status with its reasons in words and figures, the worst first.
type Verdict struct {
	Status     Status     `json:"status"`
	Reasons    []string   `json:"reasons"`
	Summary    string     `json:"summary"` // the main figures that it rests on, whatever the status
	Thresholds Thresholds `json:"thresholds"`
}

// Evidence is what a verdict rests on. Percentiles are in milliseconds, nil
// where undefined.
type Evidence struct {
	Planned, Sent, OK, Dropped, Lost int64

	SendLag   *float64 // p99
	ClientLag *float64 // p99
	Latency   *float64 // p99 of wire TTFT; of wire E2E where there is no TTFT
	Measure   string   // which of the two

	Workers    []Worker
	UserStamps bool
	Unended    bool     // the record file has no end: the supervisor died
	Faults     []string // last words of workers
	SharedCPUs []string // CPUs with more than one process of the run on them, in words
	Arrivals   []string // findings of the arrival self-test
	Throttled  int64    // periods in which the CPU quota held the run up
}

// Worker is one worker's part of the evidence.
type Worker struct {
	ID        int
	Rho       *float64 // utilisation by work alone
	ClockStep float64  // µs
	GCShare   float64  // of the step's time
	Dead      bool
}

// Judge weighs the evidence.
func Judge(e Evidence, t Thresholds) Verdict {
	j := judge{evidence: e, limits: t}
	j.delivery()
	j.lag("send lag", e.SendLag)
	j.lag("client lag", e.ClientLag)
	j.workers()
	j.conditions()
	v := Verdict{Status: Valid, Reasons: append(j.biased, j.suspect...), Summary: e.summary(), Thresholds: t}
	switch {
	case len(j.biased) > 0:
		v.Status = Biased
	case len(j.suspect) > 0:
		v.Status = Suspect
	default:
		v.Reasons = []string{}
	}
	return v
}

// judge collects reasons.
type judge struct {
	evidence        Evidence
	limits          Thresholds
	biased, suspect []string
}

func (j *judge) bias(format string, args ...any) {
	j.biased = append(j.biased, fmt.Sprintf(format, args...))
}

func (j *judge) doubt(format string, args ...any) {
	j.suspect = append(j.suspect, fmt.Sprintf(format, args...))
}

// delivery asks whether the load that was planned is the load that was sent.
func (j *judge) delivery() {
	e := &j.evidence
	if e.OK == 0 {
		j.bias("nothing succeeded: of %d planned requests none is ok", e.Planned)
	}
	if e.Lost > 0 {
		j.bias("%d of %d planned requests are lost: they have no record", e.Lost, e.Planned)
	}
	if share := float64(e.Sent) / float64(e.Planned); e.Planned > 0 && share < j.limits.SentShare {
		j.bias("%d of %d planned requests were sent: %.2f %%, limit %.0f %%", e.Sent, e.Planned, 100*share, 100*j.limits.SentShare)
	}
	if e.Dropped > 0 {
		j.doubt("%d of %d planned requests were dropped: no slot was free at their due time (--max-in-flight)", e.Dropped, e.Planned)
	}
	if e.Unended {
		j.doubt("the record file has no end: the supervisor died, and the run is cut off at the newest instant on file")
	}
}

// lag compares a lag of the client with the latency that it is part of.
func (j *judge) lag(name string, p99 *float64) {
	if p99 == nil {
		return
	}
	base, t := 0.0, j.limits
	if j.evidence.Latency != nil {
		base = *j.evidence.Latency
	}
	say := j.doubt
	limit := max(t.SuspectLagShare*base, t.SuspectLag)
	if biased := max(t.BiasedLagShare*base, t.BiasedLag); *p99 > biased {
		say, limit = j.bias, biased
	}
	if *p99 > limit {
		say("p99 of %s is %s ms, limit %s ms (p99 of wire %s: %s ms)", name, figure(*p99), figure(limit), j.evidence.Measure, figure(base))
	}
}

// workers asks of each worker whether it kept up and could keep time.
func (j *judge) workers() {
	for _, w := range j.evidence.Workers {
		if w.Rho != nil && *w.Rho > j.limits.Rho {
			j.bias("worker %d is busy for %.0f %% of its time (ρ, work alone), limit %.0f %%", w.ID, 100**w.Rho, 100*j.limits.Rho)
		}
		if w.Dead {
			j.doubt("worker %d died", w.ID)
		}
		if w.ClockStep > j.limits.ClockStep {
			j.doubt("worker %d saw the wall clock step by %s µs, limit %s µs: kernel stamps are off by as much", w.ID, figure(w.ClockStep), figure(j.limits.ClockStep))
		}
		if w.GCShare > j.limits.GCShare {
			j.doubt("worker %d was stopped by the garbage collector for %.1f %% of the step, limit %.0f %%", w.ID, 100*w.GCShare, 100*j.limits.GCShare)
		}
	}
}

// conditions asks about the circumstances of the measurement.
func (j *judge) conditions() {
	e := &j.evidence
	for _, s := range e.SharedCPUs {
		j.doubt("CPUs are shared: %s", s)
	}
	if e.Throttled > j.limits.Throttled {
		j.doubt("the cgroup's CPU quota held the run up in %d of its periods, limit %d", e.Throttled, j.limits.Throttled)
	}
	if e.UserStamps {
		j.doubt("the kernel gave no receive stamps: wire figures are taken in user space and hide the client's own lag")
	}
	for _, f := range e.Faults {
		text, _, _ := strings.Cut(f, "\n")
		j.doubt("fault: %s", text)
	}
	for _, a := range e.Arrivals {
		j.doubt("sends left their schedule: %s", a)
	}
}

// summary puts the evidence into figures.
func (e *Evidence) summary() string {
	parts := []string{fmt.Sprintf("%d of %d planned requests sent", e.Sent, e.Planned)}
	if e.SendLag != nil {
		parts = append(parts, "p99 of send lag "+figure(*e.SendLag)+" ms")
	}
	if e.ClientLag != nil {
		parts = append(parts, "of client lag "+figure(*e.ClientLag)+" ms")
	}
	if e.Latency != nil {
		parts = append(parts, "of wire "+e.Measure+" "+figure(*e.Latency)+" ms")
	}
	highest := -1.0
	for _, w := range e.Workers {
		if w.Rho != nil {
			highest = max(highest, *w.Rho)
		}
	}
	if highest >= 0 {
		parts = append(parts, "ρ at most "+figure(highest))
	}
	return strings.Join(parts, ", ")
}

// figure writes a number with three significant digits, without an exponent
// in the range where times are read.
func figure(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
