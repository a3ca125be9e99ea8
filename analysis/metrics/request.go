package metrics

import "tare/ipc"

// TokenSource says where a request's number of output tokens comes from.
type TokenSource string

// The sources of a token count, the first that is there.
const (
	FromUsage   TokenSource = "usage"     // the server's own count
	FromEvents  TokenSource = "events"    // tokens of the output events that came
	FromRequest TokenSource = "requested" // the length that was asked for
)

// A Request is a record read by the definitions of this package. It is valid
// as long as the record is.
type Request struct {
	*ipc.Record
	Unary  bool        // the answer was not streamed: only its end has an instant
	Tokens int64       // N, output tokens
	Source TokenSource // of Tokens
}

// NewRequest reads a record. N is the server's count; without one, the tokens
// of the output events; of an answer that was not streamed, the length asked
// for. A streamed answer without events has 0 tokens.
func NewRequest(r *ipc.Record, unary bool) Request {
	q := Request{Record: r, Unary: unary}
	switch {
	case r.OutputTokens >= 0:
		q.Tokens, q.Source = r.OutputTokens, FromUsage
	case !unary:
		q.Tokens, q.Source = q.Counted(), FromEvents
	default:
		q.Tokens, q.Source = r.AskedOutput, FromRequest
	}
	return q
}

// Counted is Σ n_j, the tokens of the output events.
func (q Request) Counted() int64 {
	n := int64(0)
	for i := range q.Output {
		n += q.Output[i].Tokens
	}
	return n
}

// InputTokens is I: the server's count, else the length asked for.
func (q Request) InputTokens() int64 {
	if q.Record.InputTokens >= 0 {
		return q.Record.InputTokens
	}
	return q.AskedInput
}

// First returns the output event that ends TTFT; false without one.
func (q Request) First() (ipc.Event, bool) {
	if q.Unary || len(q.Output) == 0 {
		return ipc.Event{}, false
	}
	return q.Output[0], true
}

// FirstText returns the event with the first visible text; false without one.
func (q Request) FirstText() (ipc.Event, bool) {
	if q.Unary {
		return ipc.Event{}, false
	}
	for i := range q.Output {
		if q.Output[i].Kind == ipc.KindText {
			return q.Output[i], true
		}
	}
	return ipc.Event{}, false
}

// Last returns the output event that ends E2E; false without one. An answer
// that was not streamed ends where its body does.
func (q Request) Last() (ipc.Event, bool) {
	if n := len(q.Output); n > 0 {
		return q.Output[n-1], true
	}
	return ipc.Event{Arrival: q.Done, Read: q.Done, Handled: q.Done}, q.Unary && q.Done >= 0
}

// decoding returns the first and the last output event and the number of
// tokens that came after the first: TPOT is the time between the two over that
// number. It is false with fewer than two events or no token left to divide by.
func (q Request) decoding() (first, last ipc.Event, tokens int64, ok bool) {
	if q.Unary || len(q.Output) < 2 {
		return first, last, 0, false
	}
	first, last = q.Output[0], q.Output[len(q.Output)-1]
	tokens = q.Tokens - first.Tokens
	return first, last, tokens, tokens > 0
}

// WireTTFT is t₁ − s by kernel stamps in ns; false where it is undefined.
func (q Request) WireTTFT() (int64, bool) {
	first, ok := q.First()
	return first.Arrival - q.Sent, ok && q.Sent >= 0
}

// WireE2E is t_last − s by kernel stamps in ns; false where it is undefined.
func (q Request) WireE2E() (int64, bool) {
	last, ok := q.Last()
	return last.Arrival - q.Sent, ok && q.Sent >= 0
}

// WireGaps appends the gaps between successive output events by kernel stamps,
// in ns, shared reads or not.
func (q Request) WireGaps(gaps []int64) []int64 {
	for i := 1; i < len(q.Output) && !q.Unary; i++ {
		gaps = append(gaps, q.Output[i].Arrival-q.Output[i-1].Arrival)
	}
	return gaps
}
