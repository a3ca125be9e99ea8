package audit

import (
	"fmt"
)

// Cause is why less was delivered than asked for.
type Cause string

// The causes.
const (
	CauseNone    Cause = "none"          // nothing fell short
	CauseServer  Cause = "server"        // the simulator itself was late
	CauseWaiting Cause = "waiting"       // arrivals waited for answers
	CausePacing  Cause = "pacing"        // the client lost its schedule with CPU to spare
	CauseCost    Cause = "cost"          // the client had no CPU left, or none for handling events
	CauseUnknown Cause = "not decidable" // between these
)

// Shortfall tells pacing from cost.
type Shortfall struct {
	Cause Cause    `json:"cause"`
	Text  string   `json:"text"`
	CPU   *float64 `json:"client_cpu"`    // share of its CPU that the client took, see Client
	Late  *float64 `json:"server_lag_ms"` // mean time by which the server was late
}

// lateness is how late the simulator was: to read requests, and to write first
// tokens that were due. Means, in ms.
type lateness struct{ read, write *float64 }

func latenessOf(log []Request) lateness {
	var read, write []float64
	for i := range log {
		r := &log[i]
		if r.Read > 0 {
			read = append(read, float64(r.Read-r.Arrival)/1e6)
		}
		if r.First > 0 && r.Scheduled > 0 {
			write = append(write, float64(r.First-r.Scheduled)/1e6)
		}
	}
	return lateness{distOf(read).Mean, distOf(write).Mean}
}

// sum is the whole lateness; nil if nothing is known of it. A token that was
// due before the request was read counts once.
func (l lateness) sum() *float64 {
	switch {
	case l.read == nil:
		return l.write
	case l.write == nil:
		return l.read
	}
	return new(max(*l.read, *l.write))
}

// saturated tells if the server was its own limit.
func (a *audit) saturated() bool {
	late := a.server.sum()
	if late == nil {
		return false
	}
	ttft := 0.0
	if mean := a.Truth[TTFT].Mean; mean != nil {
		ttft = *mean
	}
	return *late > max(serverLagMS, serverLagShare*ttft)
}

// shortfall finds the cause. What falls short with CPU to spare against a server
// that answers at once is lost by pacing, whatever the events cost besides.
// Without CPU nothing else matters; and a client that waits for answers falls
// short for that.
func (a *audit) shortfall() Shortfall {
	s := Shortfall{Cause: CauseNone, CPU: a.Client.load(), Late: a.server.sum()}
	if !a.Traffic.short() {
		s.Text = "nothing fell short"
		return s
	}
	busy := s.CPU != nil && *s.CPU >= busyCPU
	spare := s.CPU != nil && *s.CPU < spareCPU
	switch {
	case a.saturated():
		s.Cause, s.Text = CauseServer, fmt.Sprintf("the server itself was %.3g ms late on average: repeat it with a server that has more CPU", *s.Late)
	case a.paceless():
		a.byLight(&s)
		if busy {
			s.Text += fmt.Sprintf("; with all events it had no CPU left as well (%.0f %%)", 100**s.CPU)
		}
	case busy:
		s.Cause, s.Text = CauseCost, fmt.Sprintf("the client took %.0f %% of its CPU: it cannot send and handle more", 100**s.CPU)
	case a.Waiting.Waits:
		s.Cause, s.Text = CauseWaiting, "arrivals waited for answers"
	case a.light != nil && a.light.Share != nil:
		a.byLight(&s)
	case spare:
		s.Cause, s.Text = CausePacing, fmt.Sprintf("the client took %.0f %% of its CPU and did not wait for answers: its pacing lost the schedule", 100**s.CPU)
	default:
		s.Cause, s.Text = CauseUnknown, "the client's CPU is neither spare nor used up, or not known: a second run against a server that answers at once would tell"
	}
	return s
}

// paceless tells if the second run fell short with CPU to spare.
func (a *audit) paceless() bool {
	if a.light == nil || !a.light.short() || a.Waiting.Waits {
		return false
	}
	cpu := a.Light.Client.load()
	return cpu != nil && *cpu < spareCPU
}

// byLight decides by the second run.
func (a *audit) byLight(s *Shortfall) {
	cpu := a.Light.Client.load()
	switch share := 100 * *a.light.Share; {
	case !a.light.short():
		s.Cause, s.Text = CauseCost, fmt.Sprintf("%.1f %% was delivered where each answer was one token at once: the rest went for handling events", share)
	case cpu != nil && *cpu >= busyCPU:
		s.Cause, s.Text = CauseCost, fmt.Sprintf("%.1f %% was delivered even where each answer was one token at once, with %.0f %% of the CPU taken", share, 100**cpu)
	default:
		s.Cause, s.Text = CausePacing, fmt.Sprintf("%.1f %% was delivered even where each answer was one token at once: its pacing lost the schedule", share)
	}
}
