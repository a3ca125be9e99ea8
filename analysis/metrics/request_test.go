package metrics

import (
	"testing"
	"time"

	"tare/ipc"
)

// answer is a request scheduled at 1 ms, sent at 2 ms, with events at the given
// ms after the epoch, read 1 and handled 3 µs after their stamps.
func answer(ats ...float64) *ipc.Record {
	r := &ipc.Record{Scheduled: 1e6, Sent: 2e6, InputTokens: 7, OutputTokens: ipc.Unknown, AskedInput: 9, AskedOutput: 20, Connect: ipc.Unknown}
	for _, at := range ats {
		k := int64(at * 1e6)
		r.Output = append(r.Output, ipc.Event{Arrival: k, Read: k + 1e3, Handled: k + 3e3, Tokens: 1, Kind: ipc.KindText, Alone: true})
	}
	r.Done = int64(50e6)
	return r
}

func with(r *ipc.Record, change func(*ipc.Record)) *ipc.Record {
	change(r)
	return r
}

func TestTokensComeFromTheFirstSourceThatIsThere(t *testing.T) {
	usage := func(n int64) func(*ipc.Record) { return func(r *ipc.Record) { r.OutputTokens = n } }
	tests := []struct {
		why    string
		record *ipc.Record
		unary  bool
		tokens int64
		source TokenSource
	}{
		{"the server's count", with(answer(3, 4), usage(8)), false, 8, FromUsage},
		{"a server's count of 0 is a count", with(answer(), usage(0)), false, 0, FromUsage},
		{"no usage: the events", answer(3, 4, 5), false, 3, FromEvents},
		{"events of several tokens", with(answer(3, 4), func(r *ipc.Record) { r.Output[1].Tokens = 4 }), false, 5, FromEvents},
		{"an answer that ended early has what came, not what was asked", answer(), false, 0, FromEvents},
		{"an answer that was not streamed has no events to count", answer(3), true, 20, FromRequest},
	}
	for _, tt := range tests {
		q := NewRequest(tt.record, tt.unary)
		if q.Tokens != tt.tokens || q.Source != tt.source {
			t.Errorf("%s: got %d by %s, want %d by %s", tt.why, q.Tokens, q.Source, tt.tokens, tt.source)
		}
	}
}

func TestInputTokens(t *testing.T) {
	if got := NewRequest(answer(3), false).InputTokens(); got != 7 {
		t.Errorf("usage says 7, got %d", got)
	}
	r := with(answer(3), func(r *ipc.Record) { r.InputTokens = ipc.Unknown })
	if got := NewRequest(r, false).InputTokens(); got != 9 {
		t.Errorf("without usage 9 were asked for, got %d", got)
	}
}

func TestWireTimes(t *testing.T) {
	unknown := int64(-1)
	of := func(ns int64, ok bool) int64 {
		if !ok {
			return unknown
		}
		return ns
	}
	tests := []struct {
		why       string
		record    *ipc.Record
		unary     bool
		ttft, e2e int64
	}{
		{"from sent to the first and to the last event", answer(5, 9, 30), false, 3e6, 28e6},
		{"one event ends both", answer(5), false, 3e6, 3e6},
		{"no event, no latency: not 0", answer(), false, unknown, unknown},
		{"never sent", with(answer(5), func(r *ipc.Record) { r.Sent = ipc.Unknown }), false, unknown, unknown},
		{"not streamed: the end of the body is all there is", answer(5), true, unknown, 3e6},
		{"not streamed and without text: the last byte", answer(), true, unknown, 48e6},
	}
	for _, tt := range tests {
		q := NewRequest(tt.record, tt.unary)
		if got := of(q.WireTTFT()); got != tt.ttft {
			t.Errorf("%s: TTFT %d, want %d", tt.why, got, tt.ttft)
		}
		if got := of(q.WireE2E()); got != tt.e2e {
			t.Errorf("%s: E2E %d, want %d", tt.why, got, tt.e2e)
		}
	}
}

func TestMeets(t *testing.T) {
	ms := func(x float64) time.Duration { return time.Duration(x * 1e6) }
	few := answer(5, 6, 16) // from scheduled: TTFT 4, E2E 15 ms; TPOT 11/2 ms, NTPOT 15/3 ms, gaps 1 and 10 ms
	tests := []struct {
		why    string
		record *ipc.Record
		limits ipc.SLO
		want   bool
	}{
		{"no limits", few, ipc.SLO{}, true},
		{"TTFT counts from the schedule: 4 ms, not 3", few, ipc.SLO{TTFT: ms(3.5)}, false},
		{"a limit may be used up", few, ipc.SLO{TTFT: ms(4), E2E: ms(15), TPOT: ms(5.5), NTPOT: ms(5), ITL: ms(10)}, true},
		{"E2E", few, ipc.SLO{E2E: ms(14.9)}, false},
		{"TPOT", few, ipc.SLO{TPOT: ms(5.4)}, false},
		{"NTPOT", few, ipc.SLO{NTPOT: ms(4.9)}, false},
		{"ITL is the longest gap", few, ipc.SLO{ITL: ms(9.9)}, false},
		{"one limit missed is enough", few, ipc.SLO{TTFT: ms(100), ITL: ms(1)}, false},
		{"one event has no gap to be slow in", answer(5), ipc.SLO{TPOT: ms(1), ITL: ms(1)}, true},
		{"no event has not come in time", answer(), ipc.SLO{TTFT: ms(1000)}, false},
		{"nor are its tokens good", answer(), ipc.SLO{NTPOT: ms(1000)}, false},
	}
	for _, tt := range tests {
		if got := NewRequest(tt.record, false).Meets(tt.limits); got != tt.want {
			t.Errorf("%s: %+v: got %v", tt.why, tt.limits, got)
		}
	}
}
