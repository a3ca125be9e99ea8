package metrics

// Tokens are the token counts of the requests that succeeded, warm-up
// included, and the rate of output.
type Tokens struct {
	Input  int64        `json:"input"`
	Output int64        `json:"output"`
	Source SourceCounts `json:"source"`

	// OutputRate is in tokens/s: the tokens of output events whose kernel
	// stamp lies in the steady window, of whole requests or not. Nil for a
	// window of no length.
	OutputRate *float64 `json:"output_rate"`
}

// SourceCounts is the number of requests by the source of their output tokens.
type SourceCounts struct {
	Usage     int64 `json:"usage"`
	Events    int64 `json:"events"`
	Requested int64 `json:"requested"`
}

// Add counts one request that succeeded.
func (t *Tokens) Add(q Request) {
	t.Input += q.InputTokens()
	t.Output += q.Tokens
	switch q.Source {
	case FromUsage:
		t.Source.Usage++
	case FromEvents:
		t.Source.Events++
	default:
		t.Source.Requested++
	}
}

// MeterTokens books the tokens of each output event at its kernel stamp. Where
// a request that succeeded has more or fewer tokens than its events seemed to
// carry, each event gets its share N/Σn_j of the difference.
func MeterTokens(m *Meter, q Request) {
	scale := 1.0
	if counted := q.Counted(); counted > 0 && !q.Class.Failed() {
		scale = float64(q.Tokens) / float64(counted)
	}
	for i := range q.Output {
		m.Add(q.Output[i].Arrival, float64(q.Output[i].Tokens)*scale)
	}
}
