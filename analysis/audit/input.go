package audit

import (
	"errors"
	"fmt"
	"slices"

	"tare/analysis/arrival"
)

// Law is the process that arrivals were asked to follow.
type Law string

// The laws that a load generator can be asked for.
const (
	Poisson  Law = "poisson"
	Constant Law = "constant"
	Gamma    Law = "gamma"
	Closed   Law = "closed" // no rate: a number of clients, each waiting for its answer
)

// Asked is what the load generator was told to do.
type Asked struct {
	Law         Law     `json:"law"`
	Rate        float64 `json:"rate,omitzero"`        // requests/s; 0 with Closed
	Burstiness  float64 `json:"burstiness,omitzero"`  // shape of the gamma law; 0 or 1 for others
	Concurrency int     `json:"concurrency,omitzero"` // of Closed
	Requests    int64   `json:"requests,omitzero"`    // 0: not by number
	Duration    float64 `json:"duration_s,omitzero"`  // 0: not by time
	// Warmup is how many requests the tool is known to send first, which are
	// left out. Nil: they are looked for (see Window).
	Warmup *int64 `json:"warmup,omitempty"`
	// Server are the laws of the emulated server, as flags name them. They
	// are shown, not judged by.
	Server map[string]string `json:"server,omitempty"`
}

// scv is the squared coefficient of variation of the gaps asked for.
func (a Asked) scv() float64 {
	switch {
	case a.Law == Constant:
		return 0
	case a.Law == Gamma && a.Burstiness > 0:
		return 1 / a.Burstiness
	}
	return 1
}

// spec is the law as a schedule of the given rate; false for a closed loop.
func (a Asked) spec(rate float64) (arrival.Spec, bool) {
	s := arrival.Spec{}
	if err := s.Law.UnmarshalText([]byte(a.Law)); a.Law == Closed || err != nil {
		return s, false
	}
	s.Rate, _ = arrival.RateOf(rate)
	if a.Law == Gamma {
		s.Burstiness = max(a.Burstiness, arrival.MinBurstiness)
	}
	return s, !s.Rate.IsZero()
}

func (a Asked) validate() error {
	laws := []Law{Poisson, Constant, Gamma, Closed}
	switch {
	case !slices.Contains(laws, a.Law):
		return fmt.Errorf("the law is %q; it must be one of %q", a.Law, laws)
	case a.Law != Closed && !(a.Rate >= arrival.MinRate && a.Rate <= arrival.MaxRate):
		return fmt.Errorf("the rate is %g requests/s; it must be from %g to %g", a.Rate, arrival.MinRate, arrival.MaxRate)
	case a.Law == Closed && a.Rate != 0:
		return errors.New("a closed loop has no rate")
	case a.Warmup != nil && *a.Warmup < 0:
		return errors.New("the number of warm-up requests is negative")
	}
	return nil
}

// Client is what the load generator's process tree cost. Nil is unknown.
type Client struct {
	CPU      *float64 `json:"cpu_s"`          // user and system time, s
	Wall     *float64 `json:"wall_s"`         // s, from start to exit
	Busiest  *float64 `json:"busiest_thread"` // share of a CPU that its busiest thread took while it sent, 0 to 1
	CPUs     int      `json:"cpus"`           // that it was allowed; 0: unknown
	Exit     *int     `json:"exit"`           // status; nil: killed by a signal, or unknown
	TimedOut bool     `json:"timed_out"`      // it was ended by us
}

// load is the share of its CPU that the client took, the busiest thread's or
// that of all CPUs, whichever is greater; nil if neither is known.
func (c Client) load() *float64 {
	share := c.Busiest
	if c.CPU != nil && c.Wall != nil && *c.Wall > 0 && c.CPUs > 0 {
		all := *c.CPU / (*c.Wall * float64(c.CPUs))
		if share == nil || all > *share {
			share = &all
		}
	}
	return share
}

// Input is all that an audit looks at.
type Input struct {
	Log      []Request // in any order
	Asked    Asked
	Client   Client
	Reported *Reported // nil: the tool's own figures are not known
	// Light is the log of a second run of the same command against a server
	// that answers with one token at once; nil: there was none.
	Light       []Request
	LightClient Client
	// Totals are the counts of further runs of the same tool, for what one
	// run cannot show; the runs of this Input need not be among them.
	Totals []arrival.Total
}
