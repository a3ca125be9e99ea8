package metrics

import (
	"cmp"
	"slices"

	"tare/ipc"
)

// A Row is what is needed of one request to look at it in the order of time.
// Instants are ns after the run epoch.
type Row struct {
	Index     int64
	Scheduled int64
	Sent      int64
	First     Stamps // of the first output event; zero if there is none
	Last      Stamps // of the last; zero if there is none

	Input       int64 // I
	Tokens      int64 // N
	FirstTokens int64 // n₁; 0 if there is no first event

	Begun   bool // First is defined
	Ended   bool // Last is defined
	Decoded bool // TPOT is defined
}

// Stamps are the two ends of one event: k, when the kernel had it, and v, when
// the client had handled it.
type Stamps struct{ Arrival, Handled int64 }

func stampsOf(e ipc.Event) Stamps { return Stamps{e.Arrival, e.Handled} }

// NewRow reads a request that was sent.
func NewRow(q Request) Row {
	r := Row{Index: q.Index, Scheduled: q.Scheduled, Sent: q.Sent, Input: q.InputTokens(), Tokens: q.Tokens}
	if e, ok := q.First(); ok {
		r.First, r.FirstTokens, r.Begun = stampsOf(e), e.Tokens, true
	}
	if e, ok := q.Last(); ok {
		r.Last, r.Ended = stampsOf(e), true
	}
	_, _, _, r.Decoded = q.decoding()
	return r
}

// four is a latency in its columns, in ns.
type four [4]float64

// The places of the columns.
const (
	inWire = iota
	inObserved
	inScheduled
	inBias
)

// places finds a column by its key in the summary.
var places = map[string]int{"wire": inWire, "observed": inObserved, "scheduled": inScheduled, "bias": inBias}

// until is the way from the starts of a row to an event, over n.
func (r *Row) until(e Stamps, n int64) four {
	over := float64(n)
	return four{
		float64(e.Arrival-r.Sent) / over, float64(e.Handled-r.Sent) / over,
		float64(e.Arrival-r.Scheduled) / over, float64(e.Handled-e.Arrival) / over,
	}
}

func (r *Row) ttft() (four, bool) { return r.until(r.First, 1), r.Begun }

func (r *Row) e2e() (four, bool) { return r.until(r.Last, 1), r.Ended }

func (r *Row) ntpot() (four, bool) {
	return r.until(r.Last, max(r.Tokens, 1)), r.Ended && r.Tokens > 0
}

func (r *Row) tpot() (four, bool) {
	if !r.Decoded {
		return four{}, false
	}
	return span(r.First, r.Last, r.Tokens-r.FirstTokens), true
}

// span is the time between two events over n; it has no start of its own, so
// that scheduled is wire.
func span(from, to Stamps, n int64) four {
	k := float64(to.Arrival-from.Arrival) / float64(n)
	v := float64(to.Handled-from.Handled) / float64(n)
	return four{k, v, k, v - k}
}

// Latency returns a latency of the row in ms by its keys in the summary: ttft,
// e2e, tpot or ntpot, and wire, observed, scheduled or bias. It is false where
// the latency is undefined, and for other keys.
func (r *Row) Latency(key, column string) (ms float64, ok bool) {
	of := map[string]func(*Row) (four, bool){"ttft": (*Row).ttft, "e2e": (*Row).e2e, "tpot": (*Row).tpot, "ntpot": (*Row).ntpot}[key]
	place, known := places[column]
	if of == nil || !known {
		return 0, false
	}
	v, ok := of(r)
	return v[place] / nsPerMs, ok
}

// A gap is the time between two output events of one request.
type gap struct {
	at     int64 // arrival of the second event
	single bool  // both came in reads of their own: wire and bias are defined
	four   four
}

func (g gap) column(k int) (float64, bool) { return g.four[k], g.single || k == inObserved }

// Rows returns the rows in the order of their scheduled instants: all of them,
// or of many a sample that is the same in every reading of the file.
func (c *LatencyCollector) Rows() []Row {
	rows := make([]Row, len(c.rows.items))
	for i, h := range c.rows.items {
		rows[i] = h.item
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Scheduled, b.Scheduled), cmp.Compare(a.Index, b.Index))
	})
	return rows
}

// sortedGaps returns gaps, or a sample of them, in the order of arrival.
func (c *LatencyCollector) sortedGaps() []hashed[gap] {
	slices.SortFunc(c.sample.items, func(a, b hashed[gap]) int {
		return cmp.Or(cmp.Compare(a.item.at, b.item.at), cmp.Compare(a.hash, b.hash))
	})
	return c.sample.items
}
