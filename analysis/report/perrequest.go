package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tare/analysis"
	"tare/analysis/metrics"
	"tare/ipc"
)

// request is one line of PerRequest. Times are in ms after the run epoch, or
// between two instants by kernel stamps; what is undefined is null.
type request struct {
	Index        int64   `json:"index"`
	Worker       int     `json:"worker"`
	Step         int64   `json:"step"`
	OK           bool    `json:"ok"`
	ErrorClass   *string `json:"error_class"` // "dropped" for one that was never sent
	ErrorReason  *string `json:"error_reason"`
	Error        *string `json:"error"`
	Status       *int64  `json:"status"`
	Text         *string `json:"text"` // with --save-text, as is reasoning
	Reasoning    *string `json:"reasoning"`
	FinishReason *string `json:"finish_reason"`

	OutputTokens *int64              `json:"output_tokens"` // usage
	InputTokens  *int64              `json:"input_tokens"`  // usage
	TokensUsed   int64               `json:"tokens_used"`   // N
	TokenSource  metrics.TokenSource `json:"token_source"`

	ContentEvents     int64  `json:"content_events"`
	FirstContentEvent *int64 `json:"first_content_event"` // number among the events with data, from 0
	FirstTextEvent    *int64 `json:"first_text_event"`

	Scheduled   float64   `json:"scheduled_ms"`
	Sent        *float64  `json:"sent_ms"`
	FirstChoice *float64  `json:"first_choice_ms"` // sent to the first event with choices, output or not
	TTFT        *float64  `json:"ttft_ms"`
	E2E         *float64  `json:"e2e_ms"`
	ITL         []float64 `json:"itl_ms"`
}

// PerRequest writes one JSON object a line for each record of the run directory
// dir, in the order of the file, which is that of completion within a worker.
// Times of a failed request are of what arrived before it failed.
func PerRequest(w io.Writer, dir string) error {
	out := bufio.NewWriterSize(w, 1<<16)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	err := analysis.Records(dir, func(m ipc.Manifest) analysis.Visit {
		return func(worker int, r *ipc.Record) error { return e.Encode(line(worker, r, m.Settings)) }
	})
	if err := errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("write requests: %w", err)
	}
	return nil
}

func line(worker int, r *ipc.Record, settings ipc.Settings) request {
	q := metrics.NewRequest(r, !settings.Target.Stream)
	l := request{
		Index: r.Index, Worker: worker, Step: r.Step, OK: r.Class == ipc.OK,
		Status: nonzero(r.Status), FinishReason: some(r.FinishReason),
		OutputTokens: known(r.OutputTokens), InputTokens: known(r.InputTokens),
		TokensUsed: q.Tokens, TokenSource: q.Source, ContentEvents: r.ContentEvents,
		FirstContentEvent: known(r.FirstContent), FirstTextEvent: known(r.FirstText),
		Scheduled: ms(r.Scheduled), ITL: []float64{},
	}
	if !l.OK {
		l.ErrorClass = new(r.Class.String())
		l.ErrorReason, l.Error = some(r.Sub), some(r.Message)
	}
	if settings.SaveText {
		l.Text, l.Reasoning = &r.Text, &r.Reasoning
	}
	if r.Class != ipc.Dropped {
		l.times(q)
	}
	return l
}

// times fills in what is by kernel stamps.
func (l *request) times(q metrics.Request) {
	if q.Sent >= 0 {
		l.Sent = new(ms(q.Sent))
	}
	if q.Sent >= 0 && q.Choice >= 0 {
		l.FirstChoice = new(ms(q.Choice - q.Sent))
	}
	if t, ok := q.WireTTFT(); ok {
		l.TTFT = new(ms(t))
	}
	if t, ok := q.WireE2E(); ok {
		l.E2E = new(ms(t))
	}
	for _, gap := range q.WireGaps(nil) {
		l.ITL = append(l.ITL, ms(gap))
	}
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }

// known is nil for ipc.Unknown.
func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

// nonzero is nil for 0.
func nonzero(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// some is nil for the empty string.
func some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
