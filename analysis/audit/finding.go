package audit

import "fmt"

// Severity is what a finding means for those who read the tool's figures.
type Severity string

// The severities. Each gives the verdict if it is the worst of the findings.
const (
	Note       Severity = "note"       // good to know; the figures stand
	Suspect    Severity = "suspect"    // the figures may lead to a wrong conclusion
	Misleading Severity = "misleading" // they do
)

// Kind names a finding; kinds are stable.
type Kind string

// The kinds of findings.
const (
	RateShort      Kind = "rate_short"             // less was delivered than asked for
	RateOver       Kind = "rate_over"              // more was
	RateClaimed    Kind = "rate_claimed"           // the tool says that it completed more than it did
	ServerLate     Kind = "server_saturated"       // the simulator was its own limit
	Omission       Kind = "coordinated_omission"   // arrivals waited for answers
	ClosedLoop     Kind = "closed_loop"            // they nearly always did
	Drift          Kind = "drifting_schedule"      // each gap is longer than asked for by an overhead
	LateSends      Kind = "late_sends"             // a constant schedule was kept late
	CatchUp        Kind = "burst_catch_up"         // pauses are followed by bursts
	SharedSeed     Kind = "shared_seed"            // runs of equal gaps
	Correlated     Kind = "correlated_arrivals"    // gaps depend on one another
	WrongLaw       Kind = "wrong_law"              // arrivals follow another law
	LawOff         Kind = "arrival_law"            // they follow none closely
	Conditioned    Kind = "conditioned_count"      // counts too near their mean to be chance
	ConnEach       Kind = "connection_per_request" // connections are not used again
	Retries        Kind = "silent_retries"         // failed requests come again, unreported
	HiddenFailures Kind = "unreported_failures"    // the server failed more requests than the tool says
	TTFTOpening    Kind = "ttft_at_opening"        // TTFT ends at an event without a token
	TTFTConnect    Kind = "connect_in_ttft"        // TTFT begins before the connection
	E2ETrailer     Kind = "trailer_in_e2e"         // E2E ends at the end of the stream
	Other          Kind = "convention"             // another metric is computed another way
	ClientBias     Kind = "client_bias"            // the client adds to a latency
	BelowTruth     Kind = "below_truth"            // the tool reports less than the server took
	ClientFailed   Kind = "client_failed"          // it ended with an error, or was ended
)

// Finding is one thing that is wrong, or worth knowing. Value is the figure
// that shows it and Limit the bound that it crossed, in the same unit, which
// Text names; null where no single figure does.
type Finding struct {
	Kind     Kind     `json:"kind"`
	Severity Severity `json:"severity"`
	Metric   Metric   `json:"metric,omitempty"` // of a latency
	Text     string   `json:"text"`
	Value    *float64 `json:"value"`
	Limit    *float64 `json:"limit"`
}

// Status is the verdict in one word.
type Status string

// The verdicts.
const (
	StatusFaithful   Status = "faithful"   // no finding above a note
	StatusSuspect    Status = "suspect"    // the worst is suspect
	StatusMisleading Status = "misleading" // the worst is misleading
)

// Verdict says what the tool's figures are worth.
type Verdict struct {
	Status  Status   `json:"status"`
	Reasons []string `json:"reasons"` // texts of the findings that make it
}

func verdictOf(findings []Finding) Verdict {
	v := Verdict{Status: StatusFaithful, Reasons: []string{}}
	for _, f := range findings {
		switch {
		case f.Severity == Misleading && v.Status != StatusMisleading:
			v.Status, v.Reasons = StatusMisleading, []string{f.Text}
		case f.Severity == Suspect && v.Status == StatusFaithful:
			v.Status, v.Reasons = StatusSuspect, []string{f.Text}
		case f.Severity != Note && Status(f.Severity) == v.Status:
			v.Reasons = append(v.Reasons, f.Text)
		}
	}
	return v
}

// findings looks for all kinds, the traffic first.
func (a *audit) findings() []Finding {
	found := []Finding{}
	for _, look := range []func() []Finding{
		a.findServer, a.findRate, a.findWaiting, a.findDrift, a.findLate, a.findCatchUp, a.findLaw, a.findConditioned,
		a.findConnections, a.findFailures, a.findConventions, a.findBias, a.findClient,
	} {
		found = append(found, look()...)
	}
	return found
}

// finding is a list of one.
func finding(k Kind, s Severity, value, limit float64, format string, args ...any) []Finding {
	return []Finding{{Kind: k, Severity: s, Text: fmt.Sprintf(format, args...), Value: &value, Limit: &limit}}
}

func (a *audit) findServer() []Finding {
	if !a.saturated() {
		return nil
	}
	return finding(ServerLate, Suspect, *a.server.sum(), serverLagMS,
		"the server itself was %.3g ms late on average: what is found here may be the server's", *a.server.sum())
}

func (a *audit) findClient() []Finding {
	switch c := a.Client; {
	case c.TimedOut:
		return []Finding{{Kind: ClientFailed, Severity: Suspect, Text: "the tool did not end in time and was ended"}}
	case c.Exit != nil && *c.Exit != 0:
		return finding(ClientFailed, Suspect, float64(*c.Exit), 0, "the tool ended with status %d", *c.Exit)
	}
	return nil
}

// findConnections looks for a tool that does not use a connection again. With
// nearly as many requests in flight as there are in all, nobody could.
func (a *audit) findConnections() []Finding {
	c, n := a.Traffic.Connections, a.Traffic.Requests
	if n < connRequests || float64(c.Opened) < connShare*float64(n) || 2*int64(a.Traffic.InFlight.Max) > n {
		return nil
	}
	return finding(ConnEach, Suspect, *c.Requests, 1/connShare,
		"%d connections for %d requests, with at most %d in flight: each request pays for a connection, and its latency may hold it",
		c.Opened, n, a.Traffic.InFlight.Max)
}
