package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tare/ipc"
)

// Two events of 1 and 3 tokens, due at 0, sent at 1 ms, handled 0.5 ms after
// they arrived at 3 and 9 ms.
func TestValues(t *testing.T) {
	const ms = 1_000_000
	r := ipc.Record{Sent: ms, OutputTokens: 4, Output: []ipc.Event{
		{Arrival: 3 * ms, Handled: 3*ms + ms/2, Tokens: 1}, {Arrival: 9 * ms, Handled: 9*ms + ms/2, Tokens: 3},
	}}
	for _, c := range []struct {
		metric, column string
		want           []float64
	}{
		{"ttft", "wire", []float64{2}},
		{"ttft", "observed", []float64{2.5}},
		{"ttft", "scheduled", []float64{3}},
		{"ttft", "bias", []float64{0.5}},
		{"e2e", "wire", []float64{8}},
		{"ntpot", "wire", []float64{2}}, // 8 ms over 4 tokens
		{"tpot", "wire", []float64{2}},  // 6 ms over the 3 tokens after the first event
		{"itl", "wire", []float64{6}},   // one gap
		{"itl", "bias", []float64{0}},   // both were handled equally late
		{"send_lag", "wire", nil},       // not a metric of columns
	} {
		if diff := cmp.Diff(c.want, NewRequest(&r, false).Values(nil, c.metric, c.column)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.metric, c.column, diff)
		}
	}
}

// Values come in the order of their instants, those of one instant as added.
func TestSeriesOrder(t *testing.T) {
	var s Series
	s.Add(5, 50, 51)
	s.Add(1, 10)
	s.Add(5, 52)
	if diff := cmp.Diff([]float64{10, 50, 51, 52}, s.Values()); diff != "" {
		t.Error(diff)
	}
}
