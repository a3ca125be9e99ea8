package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tare/analysis"
	"tare/analysis/arrival"
	"tare/analysis/internal/golden"
	"tare/analysis/internal/synth"
	"tare/analysis/layout"
	"tare/analysis/ntpot"
	"tare/analysis/servermetrics"
	"tare/ipc"
)

// queueRows are the rows of 10 s of a worker with 250 events each, 50 of them
// busy for 40 µs.
func queueRows() []ipc.QueueRow {
	var rows []ipc.QueueRow
	for i := range int64(40) {
		busy := uint64(40e3 + 100*i)
		rows = append(rows, ipc.QueueRow{
			Interval: i,
			Busy:     ipc.Moments{N: 50, Sum: 50 * busy, SqLo: 75 * busy * busy},
			Idle:     ipc.Moments{N: 200, Sum: 200 * 70e3, SqLo: 250 * 70e3 * 70e3},
			Wait:     ipc.Moments{N: 250, Sum: 250 * 2e3, SqLo: 250 * 9e6},
			Gap:      ipc.Moments{N: 250, Sum: 250 * 1e6, SqLo: 500 * 1e12},
			Batches:  200, BatchSq: 400,
		})
	}
	return rows
}

// run writes 10 s of 500 requests/s on two workers: most are answered with five
// events, every 50th fails, worker 1 dies at 9 s.
func run(t *testing.T) string {
	t.Helper()
	load := ipc.Load{Arrival: "constant", Rate: "500", Duration: 10 * time.Second, Warmup: time.Second, MaxInFlight: 100, Seed: 1}
	settings := ipc.Settings{
		Target: ipc.Target{Stream: true}, Load: load,
		Sharding: ipc.Sharding{Mode: "process", Workers: 2},
		SLO:      ipc.SLO{TTFT: 25 * time.Millisecond},
	}
	w := synth.New(t, settings, 2)
	w.Step(0, 0, load)
	spec, err := arrival.FromLoad(load)
	if err != nil {
		t.Fatal(err)
	}
	c := spec.Slice(0, 1)
	for a, ok := c.Next(); ok; a, ok = c.Next() {
		slow := a.Index * 7919 % 1000 * 1e4 // up to 10 ms, spread evenly
		r := synth.OK(a.Index, a.At, 3e4+slow/500, 2e7+slow, 3e7+slow, 4e7+slow, 5e7+slow, 6e7+slow)
		if a.Index%50 == 7 {
			r = synth.Failed(a.Index, a.At, ipc.FailureClasses()[a.Index/50%3])
		}
		if a.Index%100 == 3 {
			r.Output[0].Tokens, r.OutputTokens, r.Connect = 2, 6, 2e5
		}
		if worker := spec.Owner(a.Index, 2); worker == 0 || a.At < 9e9 {
			w.Record(worker, r)
		}
	}
	last := ipc.Progress{At: 10e9, Sent: 2500, Queue: queueRows(), Usage: ipc.Usage{User: 12e8, System: 3e8}}
	w.Done(0, ipc.Done{Last: last, Ended: 10e9})
	last.Sent, last.Queue = 2250, last.Queue[:36]
	w.Progress(1, last)
	return w.End(ipc.End{At: 11e9, Dead: []int{1}})
}

func TestTable(t *testing.T) {
	s, err := analysis.Summarize(run(t))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Table(&b, s); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/table.txt", b.String())
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(line) - 1; n > layout.LineLen {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// NTPOT in parts, against a baseline and beside the server's own figures, of an
// emulated client under goroutine sharding.
func TestTableOfParts(t *testing.T) {
	part := func(mean float64) (a, b, c *float64) { return new(mean), new(mean * 0.9), new(mean * 1.2) }
	p := &analysis.NTPOTParts{
		Baseline: &analysis.Idle{Dir: "runs/idle"},
		Server:   &servermetrics.Server{Engine: "vllm", Queue: new(16.0), Prefill: new(7.5)},
	}
	p.NTPOT = new(6.0)
	p.QueueFixed, p.QueueFixedLo, p.QueueFixedHi = part(22)
	p.Queue, p.QueueLo, p.QueueHi = part(16)
	p.Fixed, p.FixedLo, p.FixedHi = part(6)
	p.PrefillToken, p.PrefillTokenLo, p.PrefillTokenHi = part(0.08)
	p.DecodeToken, p.DecodeTokenLo, p.DecodeTokenHi = part(3)
	p.Prefill, p.Decode = new(8.0), new(33.0)
	p.Of = ntpot.Shares{TTFT: new(3.1), QueueFixed: new(2.3), Queue: new(1.7), Fixed: new(0.6), Prefill: new(0.8), Decode: new(2.9), Residual: new(-0.0001)}
	s := analysis.Summary{NTPOTParts: p, Client: analysis.Client{
		Sharding: "goroutine", Emulation: &analysis.Emulation{ServiceTime: "exp(180us)", Mode: "busy"},
		Workers: []analysis.Worker{{ID: 0, CPUs: []int{1, 2}}},
	}}
	var b bytes.Buffer
	if err := Table(&b, s); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/parts.txt", b.String())
}

// A run in which nothing was answered still has a table, without a number in
// the place of an layout.Undefined figure.
func TestTableOfNothing(t *testing.T) {
	w := synth.New(t, ipc.Settings{Target: ipc.Target{Stream: true}, Load: ipc.Load{Concurrency: 1, Requests: 1}}, 1)
	w.Step(0, 0, ipc.Load{Concurrency: 1, Requests: 1})
	w.Record(0, synth.Failed(0, 1e6, ipc.Connection))
	w.Done(0, ipc.Done{Ended: 2e6})
	s, err := analysis.Summarize(w.End(ipc.End{At: 3e6}))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Table(&b, s); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/nothing.txt", b.String())
}

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorsAreSaid(t *testing.T) {
	dir := run(t)
	s, err := analysis.Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"table": Table(broken{}, s), "JSON": JSON(broken{}, s), "requests": PerRequest(broken{}, dir),
	} {
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: got error %v", what, err)
		}
	}
}

// The kinds of records that a line has to show.
func TestPerRequest(t *testing.T) {
	text := synth.OK(0, 1e6, 1e5, 5e6, 7e6, 10e6)
	text.Choice, text.Text, text.FinishReason = text.Sent+4e6, "a<b & 世界", "stop"
	text.Output[0].Kind, text.FirstContent, text.FirstText = ipc.KindReasoning, 1, 2
	text.Reasoning = "hm"
	counted := synth.OK(1, 2e6, 0, 5e6)
	counted.OutputTokens, counted.InputTokens = ipc.Unknown, ipc.Unknown
	counted.Output[0].Tokens = 3
	cut := synth.OK(2, 3e6, 0, 5e6, 6e6)
	cut.Class, cut.Sub, cut.Message, cut.OutputTokens, cut.FinishReason = ipc.Truncated, "chunk", "body ended inside a chunk", ipc.Unknown, ""
	load := ipc.Load{Arrival: "constant", Rate: "1000", Duration: 5 * time.Millisecond, MaxInFlight: 1}
	settings := ipc.Settings{Target: ipc.Target{Stream: true}, Load: load, SaveText: true}
	w := synth.New(t, settings, 1)
	w.Step(0, 0, load)
	for _, r := range []*ipc.Record{text, counted, cut, synth.Failed(3, 4e6, ipc.Connection), synth.Dropped(4, 5e6)} {
		w.Record(0, r)
	}
	var b bytes.Buffer
	if err := PerRequest(&b, w.Cut()); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/requests.jsonl", b.String())
	for line := range strings.Lines(b.String()) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Errorf("not an object a line: %v", err)
		}
		for _, key := range strings.Fields(perRequestKeys) {
			if _, ok := v[key]; !ok {
				t.Errorf("no key %s in %s", key, line)
			}
		}
	}
}

// perRequestKeys are the keys of a line that stay stable.
const perRequestKeys = `index worker ok error_class error status text reasoning finish_reason output_tokens
input_tokens tokens_used token_source content_events first_content_event first_text_event scheduled_ms sent_ms
ttft_ms e2e_ms itl_ms`

func TestNumber(t *testing.T) {
	tests := []struct {
		x    *float64
		want string
	}{
		{nil, "-"}, {new(0.0), "0.000"}, {new(0.12345), "0.123"}, {new(9.9994), "9.999"}, {new(12.345), "12.35"},
		{new(123.45), "123.5"}, {new(12345.6), "12346"}, {new(-0.5), "-0.500"}, {new(-20.0), "-20.00"},
		{new(-0.0004), "0.000"}, {new(-0.0006), "-0.001"},
	}
	for _, tt := range tests {
		if got := layout.Number(tt.x); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestPlusMinus(t *testing.T) {
	tests := []struct {
		why           string
		lo, value, hi *float64
		want          string
	}{
		{"the wider half", new(9.0), new(10.0), new(12.5), "±2.5"},
		{"small", new(0.1), new(0.2), new(0.25), "±0.10"},
		{"smaller", new(0.190), new(0.2), new(0.21), "±0.010"},
		{"large", new(100.0), new(200.0), new(250.0), "±100"},
		{"one bound is missing", new(1.0), new(2.0), nil, ""},
		{"no value", nil, nil, nil, ""},
	}
	for _, tt := range tests {
		if got := plusMinus(tt.lo, tt.value, tt.hi); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.why, got, tt.want)
		}
	}
}

func TestList(t *testing.T) {
	for want, cpus := range map[string][]int{"-": nil, "3": {3}, "0-3": {0, 1, 2, 3}, "0,2-3,7": {0, 2, 3, 7}} {
		if got := list(cpus); got != want {
			t.Errorf("%v: got %s, want %s", cpus, got, want)
		}
	}
}
