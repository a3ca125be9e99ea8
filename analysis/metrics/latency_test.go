package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tare/ipc"
)

// means are the means of four columns in ms.
type means struct{ wire, observed, scheduled, bias float64 }

func meansOf(c Columns) means {
	return means{*c.Wire.Mean, *c.Observed.Mean, *c.Scheduled.Mean, *c.Bias.Mean}
}

// round hides the last digits of binary fractions.
var round = cmp.Transformer("ns", func(x float64) int64 { return int64(x*1e6 + 0.5) })

func latencyOf(records ...*ipc.Record) Latency {
	c := &LatencyCollector{}
	for _, r := range records {
		c.Add(0, NewRequest(r, false))
	}
	return c.Latency()
}

// lagging is answer with the i-th event handled i·1 ms after its stamp.
func lagging(ats ...float64) *ipc.Record {
	r := answer(ats...)
	for i := range r.Output {
		r.Output[i].Handled = r.Output[i].Arrival + int64(i+1)*1e6
	}
	return r
}

// One request, scheduled at 1 ms, sent at 2 ms; events at 12, 14, 20 ms,
// handled 1, 2, 3 ms later. Its four columns by hand, in ms.
func TestColumnsByHand(t *testing.T) {
	l := latencyOf(lagging(12, 14, 20))
	tests := []struct {
		what string
		got  Columns
		want means
	}{
		{"TTFT: 12−2, 13−2, 12−1, 1", l.TTFT, means{10, 11, 11, 1}},
		{"all of it is text", l.TTFTContent, means{10, 11, 11, 1}},
		{"E2E: 20−2, 23−2, 20−1, 3", l.E2E, means{18, 21, 19, 3}},
		{"TPOT: (20−12)/2, (23−13)/2; no start, so scheduled is wire", l.TPOT.Columns, means{4, 5, 4, 1}},
		{"ITL: gaps 2, 6 and 3, 7", l.ITL, means{4, 5, 4, 1}},
		{"NTPOT: a third of E2E", l.NTPOT.Columns, means{6, 7, 19.0 / 3, 1}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, meansOf(tt.got), cmp.AllowUnexported(means{}), round); diff != "" {
			t.Errorf("%s: %s", tt.what, diff)
		}
	}
	if got := *l.SendLag.Mean; got != 1 {
		t.Errorf("send lag: got %v, want 2−1", got)
	}
	if got := *l.ClientLag.Mean; got != 0.001 || l.ClientLag.N != 3 {
		t.Errorf("client lag: got %v of %d, want 0.001 of 3", got, l.ClientLag.N)
	}
	if l.TPOTN1 != nil || l.ITLToken != nil {
		t.Errorf("events of one token need no second view: got %v, %v", l.TPOTN1, l.ITLToken)
	}
	if l.Connect.N != 0 {
		t.Errorf("a warm connection is no sample of connect, got %d", l.Connect.N)
	}
}

// The same request as a row, by the keys of the summary.
func TestRowByKeys(t *testing.T) {
	r := NewRow(NewRequest(lagging(12, 14, 20), false))
	for key, want := range map[string]means{"ttft": {10, 11, 11, 1}, "e2e": {18, 21, 19, 3}, "tpot": {4, 5, 4, 1}, "ntpot": {6, 7, 19.0 / 3, 1}} {
		got, parts := means{}, map[string]*float64{}
		parts["wire"], parts["observed"], parts["scheduled"], parts["bias"] = &got.wire, &got.observed, &got.scheduled, &got.bias
		for column, place := range parts {
			var ok bool
			if *place, ok = r.Latency(key, column); !ok {
				t.Errorf("%s %s is undefined", key, column)
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(means{}), round); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	none := NewRow(NewRequest(answer(), false))
	for _, keys := range [][2]string{{"ttft", "wire"}, {"e2e", "wire"}, {"tpot", "bias"}, {"ntpot", "wire"}} {
		if x, ok := none.Latency(keys[0], keys[1]); ok {
			t.Errorf("no event: %s is %v", keys[0], x)
		}
	}
	for _, keys := range [][2]string{{"itl", "wire"}, {"ttft", "wired"}} {
		if _, ok := r.Latency(keys[0], keys[1]); ok {
			t.Errorf("%v is known", keys)
		}
	}
}

// Bias per request is observed − wire; for TPOT and ITL it telescopes, and may
// be negative.
func TestBiasIsSigned(t *testing.T) {
	r := answer(12, 14)
	r.Output[0].Handled = r.Output[0].Arrival + 2e6 // held up before the first event only
	r.Output[1].Handled = r.Output[1].Arrival
	l := latencyOf(r)
	if got := meansOf(l.TPOT.Columns); got != (means{2, 0, 2, -2}) {
		t.Errorf("TPOT: got %v", got)
	}
	if got := meansOf(l.ITL); got != (means{2, 0, 2, -2}) {
		t.Errorf("ITL: got %v", got)
	}
}

func TestReasoningComesBeforeText(t *testing.T) {
	r := answer(12, 14, 20)
	r.Output[0].Kind, r.Output[1].Kind = ipc.KindReasoning, ipc.KindToolCall
	l := latencyOf(r)
	if *l.TTFT.Wire.Mean != 10 || *l.TTFTContent.Wire.Mean != 18 {
		t.Errorf("TTFT %v, to text %v, want 10 and 18", *l.TTFT.Wire.Mean, *l.TTFTContent.Wire.Mean)
	}
}

func TestUndefinedIsCountedAndLeftOut(t *testing.T) {
	l := latencyOf(
		answer(12, 14), // both defined
		answer(12),     // one event: no TPOT, NTPOT 10/1
		answer(),       // none: neither
		with(answer(12, 14), func(r *ipc.Record) { r.OutputTokens = 1 }), // N − n₁ = 0: no TPOT
		with(answer(12, 14), func(r *ipc.Record) { r.OutputTokens = 0 }), // N = 0: neither
	)
	if l.TPOT.Undefined != 4 || l.TPOT.Wire.N != 1 {
		t.Errorf("TPOT: %d undefined, %d defined, want 4 and 1", l.TPOT.Undefined, l.TPOT.Wire.N)
	}
	if l.NTPOT.Undefined != 2 || l.NTPOT.Wire.N != 3 {
		t.Errorf("NTPOT: %d undefined, %d defined, want 2 and 3", l.NTPOT.Undefined, l.NTPOT.Wire.N)
	}
	if l.TTFT.Wire.N != 4 {
		t.Errorf("TTFT of %d requests, want 4", l.TTFT.Wire.N)
	}
}

// Two events share a read: the stamp of the first is that of the second, so
// gaps from and to them are no wire figures.
func TestWireGapsNeedSingleReads(t *testing.T) {
	r := answer(12, 14, 14, 20, 23)
	r.Output[1].Alone, r.Output[2].Alone = false, false
	l := latencyOf(r)
	if l.ITL.Wire.N != 1 || *l.ITL.Wire.Mean != 3 {
		t.Errorf("wire: got %d gaps of %v, want the last one, 23−20", l.ITL.Wire.N, l.ITL.Wire.Mean)
	}
	if l.ITL.Observed.N != 4 || l.ITL.Bias.N != 1 {
		t.Errorf("observed %d, bias %d, want 4 and 1", l.ITL.Observed.N, l.ITL.Bias.N)
	}
}

// The first event carries 3 tokens, the second 1, the third 4. N = 8.
// TPOT = (20−12)/(8−3) = 1.6, over N − 1: 8/7. Gaps 2 and 6: per token once 2
// and four times 1.5; the first event's tokens have no gap.
func TestSeveralTokensAnEvent(t *testing.T) {
	r := answer(12, 14, 20)
	r.Output[0].Tokens, r.Output[2].Tokens = 3, 4
	l := latencyOf(r, answer(12, 14)) // the second: TPOT 2/1, gap 2
	if got := *l.TPOT.Wire.Mean; got != (1.6+2)/2 {
		t.Errorf("TPOT: got %v, want 1.8", got)
	}
	if l.TPOTN1 == nil || l.TPOTN1.Wire.N != 2 || round8(*l.TPOTN1.Wire.Mean) != round8((8.0/7+2)/2) {
		t.Errorf("TPOT over N−1: got %+v, want (8/7+2)/2 of 2", l.TPOTN1)
	}
	if got := *l.ITL.Wire.Mean; got != (2.0+6+2)/3 {
		t.Errorf("ITL per event: got %v", got)
	}
	k := l.ITLToken
	if k == nil || k.Wire.N != 6 || round8(*k.Wire.Mean) != round8((2+4*1.5+2)/6.0) || round8(*k.Wire.P50) != 1.5 || *k.Wire.Max != 2 {
		t.Errorf("ITL per token: got %+v, want 1.5 four times and 2 twice", k)
	}
}

func round8(x float64) float64 { return float64(int64(x*1e8+0.5)) / 1e8 }

// Counts of tokens that cannot be spread over must not hang or overflow.
func TestAbsurdTokenCounts(t *testing.T) {
	r := answer(12, 14, 20)
	r.Output[1].Tokens, r.Output[2].Tokens, r.OutputTokens = 0, 1<<60, 1<<62
	l := latencyOf(r)
	if l.ITL.Wire.N != 2 {
		t.Errorf("ITL: got %d gaps, want 2", l.ITL.Wire.N)
	}
	if l.ITLToken == nil || l.ITLToken.Wire.N != 0 {
		t.Errorf("ITL per token: got %+v, want none", l.ITLToken)
	}
	if got := *l.NTPOT.Wire.Max; got < 0 || got > 1e-9 {
		t.Errorf("NTPOT: got %v, want next to nothing", got)
	}
}
