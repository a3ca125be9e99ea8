package wire

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// wireCase is one recorded response and its right reading; the field meanings
// stand in the meta of expected.json.
type wireCase struct {
	name string
	raw  []byte

	API          string     `json:"api"`
	After        string     `json:"after_last_byte"`
	Success      bool       `json:"success"`
	Class        ErrorClass `json:"error_class"`
	Status       int        `json:"http_status"`
	Text         *string    `json:"text"`
	TextChars    int        `json:"text_chars"`
	Reasoning    string     `json:"reasoning"`
	Content      int        `json:"content_chunks"`
	FirstContent *int       `json:"first_content_event"`
	FirstText    *int       `json:"first_text_event"`
	FirstChoices *int       `json:"vllm_bench_ttft_event"`
	Output       *int       `json:"output_tokens"`
	Input        *int       `json:"input_tokens"`
	Finish       string     `json:"finish_reason"`
	Offsets      []int      `json:"event_offsets"`
}

func loadCases(tb testing.TB) []wireCase {
	tb.Helper()
	const dir = "testdata/wire-cases"
	raw, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var file struct{ Cases map[string]wireCase }
	if err := json.Unmarshal(raw, &file); err != nil {
		tb.Fatal(err)
	}
	var cases []wireCase
	for name, c := range file.Cases {
		if c.raw, err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			tb.Fatal(err)
		}
		c.name = name
		cases = append(cases, c)
	}
	if len(cases) < 53 {
		tb.Fatalf("%d wire cases, want 53 or more", len(cases))
	}
	return cases
}

func (c *wireCase) options() Options {
	o := Options{Stream: true, SaveText: true}
	switch c.API {
	case "chat":
		o.API = Chat
	case "anthropic":
		o.API = Messages
	}
	return o
}

// end is what the connection says after the last byte.
func (c *wireCase) end() error {
	switch c.After {
	case "rst":
		return syscall.ECONNRESET
	case "hang":
		return os.ErrDeadlineExceeded
	}
	return io.EOF
}

// want is the Result that the case asks for.
func (c *wireCase) want() Result {
	orMinus := func(n *int) int {
		if n == nil {
			return -1
		}
		return *n
	}
	return Result{
		Class: c.Class, Status: c.Status, FinishReason: c.Finish,
		InputTokens: orMinus(c.Input), OutputTokens: orMinus(c.Output),
		Reasoning: c.Reasoning, Events: len(c.Offsets), ContentEvents: c.Content,
		FirstContentEvent: orMinus(c.FirstContent), FirstTextEvent: orMinus(c.FirstText),
		FirstChoicesEvent: orMinus(c.FirstChoices),
	}
}

// seenEvent is one call of Event, and the offset behind the byte that caused it.
type seenEvent struct {
	offset  int
	kind    Kind
	choices bool
	tokens  int
}

// recorder is a Sink that keeps everything; offset is set by its user.
type recorder struct {
	offset  int
	headers []int
	events  []seenEvent
}

func (r *recorder) Header(status int) { r.headers = append(r.headers, status) }

func (r *recorder) Event(k Kind, choices bool, tokens int) {
	r.events = append(r.events, seenEvent{r.offset, k, choices, tokens})
}

// read pushes raw in pieces that end at the cuts, and then the end.
func read(r *Reader, o Options, raw []byte, cuts []int, end error) (Result, *recorder) {
	rec := &recorder{}
	r.Reset(o, rec)
	last := 0
	for _, cut := range append(cuts, len(raw)) {
		rec.offset = cut
		r.Push(raw[last:cut])
		last = cut
	}
	r.Close(end)
	return r.Result(), rec
}

// everyByte cuts behind each byte.
func everyByte(n int) []int {
	cuts := make([]int, max(0, n-1))
	for i := range cuts {
		cuts[i] = i + 1
	}
	return cuts
}
