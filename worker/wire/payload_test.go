package wire

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// stream wraps events, each given as its data, into a close-delimited answer.
func stream(events ...string) []byte {
	raw := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	for _, e := range events {
		raw += "data: " + e + "\n\n"
	}
	return []byte(raw)
}

// TestPayload reads single events. scanned tells that the fast path must take
// the event, which is a promise on cost, not on the answer.
func TestPayload(t *testing.T) {
	type want struct {
		Kind            Kind
		Choices         bool
		Text, Reasoning string
		Finish          string
		In, Out         int
		Failed          string // message of the error
	}
	none := want{In: -1, Out: -1}
	with := func(f func(*want)) want {
		w := none
		w.Choices = true
		f(&w)
		return w
	}
	text := func(s string) want { return with(func(w *want) { w.Kind, w.Text = Text, s }) }
	tool := with(func(w *want) { w.Kind = ToolCall })
	empty := with(func(*want) {})
	failed := func(s string) want { w := none; w.Failed = s; return w }
	tests := []struct {
		why     string
		api     API
		data    string
		scanned bool
		want    want
	}{
		{"completions text", Completions, `{"choices":[{"index":0,"text":" a"}]}`, true, text(" a")},
		{"chat text", Chat, `{"choices":[{"index":0,"delta":{"content":"a"}}]}`, true, text("a")},
		{"escapes are decoded", Chat, `{"choices":[{"delta":{"content":"\ud83d\ude00\n\"\/"}}]}`, true, text("😀\n\"/")},
		{"index may come last and be null", Chat, `{"choices":[{"delta":{"content":"a"},"index":null}]}`, true, text("a")},
		{"names are case-sensitive", Chat, `{"Choices":[{"text":"b"}],"choices":[{"Index":1,"delta":{"content":"a","CONTENT":"c"}}]}`, true, text("a")},
		{"a name may be escaped", Chat, `{"choices":[{"delta":{"cont\u0065nt":"a"}}]}`, false, text("a")},
		{"of equal names the last holds", Chat, `{"choices":[{"delta":{"content":"b","content":"a"}}]}`, false, text("a")},
		{"other choices are not ours", Chat, `{"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]}`, false, text("a")},
		{"only another choice", Chat, `{"choices":[{"index":1,"delta":{"content":"b"}}]}`, false, empty},
		{"choices without index count by place", Completions, `{"choices":[{"text":"a"},{"text":"b"}]}`, false, text("a")},
		{"choice 0 in two parts", Completions, `{"choices":[{"index":0,"text":"a"},{"index":0,"text":"b"}]}`, false, text("ab")},
		{"choices null", Chat, `{"choices":null}`, true, none},
		{"choices empty", Chat, `{"choices":[ ]}`, true, none},
		{"no choices", Chat, `{}`, true, none},
		{"a null choice", Chat, `{"choices":[null]}`, false, empty},
		{"a choice without delta", Chat, `{"choices":[{"index":0,"finish_reason":null}]}`, true, empty},
		{"delta null", Chat, `{"choices":[{"delta":null}]}`, true, empty},
		{"role only", Chat, `{"choices":[{"delta":{"role":"assistant","content":null}}]}`, true, empty},
		{"refusal is visible text", Chat, `{"choices":[{"delta":{"content":null,"refusal":"no"}}]}`, true, text("no")},
		{"content in parts", Chat, `{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}`, false, text("ab")},
		{"reasoning in parts", Chat, `{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]}]}}]}`, false,
			with(func(w *want) { w.Kind, w.Reasoning = Reasoning, "t" })},
		{"reasoning", Chat, `{"choices":[{"delta":{"reasoning":"r"}}]}`, true, with(func(w *want) { w.Kind, w.Reasoning = Reasoning, "r" })},
		{"of two names for reasoning one", Chat, `{"choices":[{"delta":{"reasoning":"r","reasoning_content":"r"}}]}`, true,
			with(func(w *want) { w.Kind, w.Reasoning = Reasoning, "r" })},
		{"of two names the one that is set", Chat, `{"choices":[{"delta":{"reasoning_content":"","reasoning":"r","content":""}}]}`, true,
			with(func(w *want) { w.Kind, w.Reasoning = Reasoning, "r" })},
		{"text goes before reasoning", Chat, `{"choices":[{"delta":{"reasoning":"r","content":"a"}}]}`, true,
			with(func(w *want) { w.Kind, w.Reasoning, w.Text = Text, "r", "a" })},
		{"tool call's name", Chat, `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]}}]}`, true, tool},
		{"tool call's arguments", Chat, `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}]}`, true, tool},
		{"tool call's arguments as object", Chat, `{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"a":1}}}]}}]}`, false, tool},
		{"custom tool", Chat, `{"choices":[{"delta":{"tool_calls":[{"custom":{"input":"x"}}]}}]}`, false, tool},
		{"older form", Chat, `{"choices":[{"delta":{"function_call":{"arguments":"{"}}}]}`, false, tool},
		{"empty tool call", Chat, `{"choices":[{"delta":{"tool_calls":[{"function":{"name":null,"arguments":""}}],"content":""}}]}`, true, empty},
		{"no tool calls", Chat, `{"choices":[{"delta":{"tool_calls":[]}}]}`, true, empty},
		{"tool calls null", Chat, `{"choices":[{"delta":{"tool_calls":null,"function_call":null}}]}`, true, empty},
		{"usage", Chat, `{"usage":{"prompt_tokens":7,"completion_tokens":3,"completion_tokens_details":{"reasoning_tokens":0}}}`, true, want{In: 7, Out: 3}},
		{"usage in part", Chat, `{"usage":{"prompt_tokens":7,"completion_tokens":null}}`, true, want{In: 7, Out: -1}},
		{"usage as floats", Chat, `{"usage":{"prompt_tokens":7.0,"completion_tokens":3e0}}`, false, want{In: 7, Out: 3}},
		{"usage unusable", Chat, `{"usage":{"prompt_tokens":-1,"completion_tokens":"3"}}`, false, none},
		{"usage in the choice (Moonshot)", Chat, `{"choices":[{"delta":{},"usage":{"prompt_tokens":7,"completion_tokens":3}}]}`, false,
			with(func(w *want) { w.In, w.Out = 7, 3 })},
		{"usage in x_groq", Chat, `{"choices":[],"x_groq":{"usage":{"prompt_tokens":7,"completion_tokens":3}}}`, false, want{In: 7, Out: 3}},
		{"finish reason", Chat, `{"choices":[{"delta":{},"finish_reason":"length"}]}`, true, with(func(w *want) { w.Finish = "length" })},
		{"finish reason of our choice", Chat, `{"choices":[{"index":1,"finish_reason":"stop"}]}`, false, empty},
		{"error null", Chat, `{"choices":[{"delta":{"content":"a"}}],"error":null}`, true, text("a")},
		{"error empty", Chat, `{"choices":[{"delta":{"content":"a"}}],"error":""}`, false, text("a")},
		{"error object", Chat, `{"error":{"message":"lost","code":500}}`, false, failed("lost")},
		{"error string", Chat, `{"error":"lost"}`, false, failed("lost")},
		{"error object of old vLLM", Chat, `{"object":"error","message":"lost","type":"x"}`, false, failed("lost")},
		{"error in the choice", Chat, `{"choices":[{"delta":{},"error":{"message":"lost"}}]}`, false, with(func(w *want) { w.Failed = "lost" })},
		{"error beside text", Chat, `{"choices":[{"delta":{"content":"a"}}],"error":{"msg":"lost"}}`, false,
			with(func(w *want) { w.Kind, w.Text, w.Failed = Text, "a", "lost" })},
		{"no object", Chat, `[1]`, false, none},
		{"text delta", Messages, `{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}`, true, text("a")},
		{"thinking delta", Messages, `{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"r"}}`, true,
			with(func(w *want) { w.Kind, w.Reasoning = Reasoning, "r" })},
		{"signature is no output", Messages, `{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"x"}}`, true, empty},
		{"tool use begins", Messages, `{"type":"content_block_start","content_block":{"type":"tool_use","name":"f","input":{}}}`, true, tool},
		{"tool input", Messages, `{"type":"content_block_delta","delta":{"partial_json":"{"}}`, true, tool},
		{"input tokens come first", Messages, `{"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}`, true,
			with(func(w *want) { w.In = 7 })},
		{"output tokens come last", Messages, `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}`, true,
			want{In: -1, Out: 3, Finish: "tool_use"}},
		{"ping", Messages, `{"type":"ping"}`, true, none},
		{"error event", Messages, `{"type":"error","error":{"type":"overloaded_error","message":"lost"}}`, false, failed("lost")},
		{"error without detail", Messages, `{"type":"error"}`, true, failed(`{"type":"error"}`)},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			var r Reader
			res, rec := read(&r, Options{API: tt.api, Stream: true, SaveText: true}, stream(tt.data), nil, io.EOF)
			got := want{
				Text: res.Text, Reasoning: res.Reasoning, Finish: res.FinishReason,
				In: res.InputTokens, Out: res.OutputTokens,
			}
			if res.Class == StreamError {
				got.Failed = res.Message
			}
			if len(rec.events) != 1 {
				t.Fatalf("%d events", len(rec.events))
			}
			got.Kind, got.Choices = rec.events[0].kind, rec.events[0].choices
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := scans(tt.api, tt.data); got != tt.scanned {
				t.Errorf("scan takes it: %v", got)
			}
		})
	}
}

func scans(api API, data string) bool {
	var c chunk
	var e messagesEvent
	if c.reset(); api != Messages {
		return c.scanOpenAI([]byte(data), new(knownHead))
	}
	e.reset()
	return e.scan([]byte(data))
}

// TestUnreadable lists events that fail a request: what is not JSON, and JSON
// whose shape hides output.
func TestUnreadable(t *testing.T) {
	for _, data := range []string{
		`{"choices":[{"text":" bro`,
		`{"choices":[]} x`,
		`{"choices":[],}`,
		`{'choices':[]}`,
		`{"choices":[{"text":"a` + "\x01" + `"}]}`,
		`{"choices":[{"text":"\x"}]}`,
		`{"choices":[],"n":01}`,
		`{"choices":[],"n":1.}`,
		`{"choices":[],"n":.5}`,
		`{"choices":[],"n":+1}`,
		`{"choices":[],"n":NaN}`,
		`{"choices":"text"}`,
		`{"choices":["text"]}`,
		`{"choices":[{"text":5}]}`,
		`{"choices":[{"delta":"text"}]}`,
		`{"choices":[{"delta":{"content":{"text":"a"}}}]}`,
		`ping`,
		`data: {"choices":[]}`,
		`[DONE`,
	} {
		var r Reader
		res, rec := read(&r, Options{API: Chat, Stream: true}, stream(data, "[DONE]"), nil, io.EOF)
		if res.Class != Parse || res.Sub != "event" || len(rec.events) != 1 {
			t.Errorf("%s: class %q (%s, %s), %d events", data, res.Class, res.Sub, res.Message, len(rec.events))
		}
	}
}

// TestTokens checks the tokens of each event.
func TestTokens(t *testing.T) {
	text := func(usage string) string { return `{"choices":[{"text":"a"}],"usage":` + usage + `}` }
	none := func(usage string) string { return `{"choices":[{"text":""}],"usage":` + usage + `}` }
	total := func(n string) string { return `{"completion_tokens":` + n + `}` }
	tests := []struct {
		why    string
		events []string
		want   []int
	}{
		{"no usage: one each", []string{text("null"), text("null")}, []int{1, 1}},
		{"running totals: the rises", []string{none(total("0")), text(total("1")), text(total("4")), text(total("6"))}, []int{0, 1, 3, 2}},
		{"tokens without text go to the next output", []string{text(total("1")), none(total("2")), text(total("3"))}, []int{1, 0, 2}},
		{"an output event has a token, if only a part", []string{text(total("2")), text(total("2")), text(total("3"))}, []int{2, 1, 1}},
		{"a count in the last event is no running total", []string{text("null"), text(total("9"))}, []int{1, 1}},
		{"zeros are no running total", []string{text(total("0")), text(total("0")), none(total("9"))}, []int{1, 1, 0}},
		{"a total that falls ends the belief in it", []string{text(total("5")), text(total("2")), text(total("9"))}, []int{5, 1, 1}},
		{"a whole answer in one event", []string{text(total("9"))}, []int{9}},
	}
	for _, tt := range tests {
		var r Reader
		_, rec := read(&r, Options{Stream: true}, stream(tt.events...), nil, io.EOF)
		var got []int
		for _, e := range rec.events {
			got = append(got, e.tokens)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.why, diff)
		}
	}
}

// TestUnary reads answers that were not asked for as a stream.
func TestUnary(t *testing.T) {
	tests := []struct {
		why  string
		api  API
		body string
		want Result
	}{
		{"chat", Chat, `{"choices":[{"message":{"content":"hi","reasoning":"hm"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`,
			Result{Text: "hi", Reasoning: "hm", FinishReason: "stop", InputTokens: 3, OutputTokens: 2, Events: 1, ContentEvents: 1}},
		{"completions, with white space round it", Completions, "\n" + `{"choices":[{"text":"hi"}]}` + "\r\n",
			Result{Text: "hi", InputTokens: -1, OutputTokens: -1, Events: 1, ContentEvents: 1}},
		{"messages", Messages, `{"type":"message","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}`,
			Result{Text: "hi", Reasoning: "hm", FinishReason: "end_turn", InputTokens: 3, OutputTokens: 2, Events: 1, ContentEvents: 1}},
		{"no output", Chat, `{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`,
			Result{FinishReason: "stop", InputTokens: -1, OutputTokens: -1, Events: 1, FirstContentEvent: -1, FirstTextEvent: -1}},
		{"error", Chat, `{"error":{"message":"lost","type":"t"}}`,
			Result{Class: StreamError, Sub: "t", Message: "lost", InputTokens: -1, OutputTokens: -1, Events: 1, FirstContentEvent: -1, FirstTextEvent: -1, FirstChoicesEvent: -1}},
		{"aborted", Chat, `{"choices":[{"message":{"content":"h"},"finish_reason":"abort"}]}`,
			Result{Class: StreamError, Sub: "abort", Text: "h", FinishReason: "abort", InputTokens: -1, OutputTokens: -1, Events: 1, ContentEvents: 1}},
		{"no JSON", Chat, `<html>`,
			Result{Class: Parse, Sub: "body", InputTokens: -1, OutputTokens: -1, FirstContentEvent: -1, FirstTextEvent: -1, FirstChoicesEvent: -1}},
		{"no choice", Chat, `{"detail":"hm"}`,
			Result{Class: Empty, Sub: "no choices", InputTokens: -1, OutputTokens: -1, Events: 1, FirstContentEvent: -1, FirstTextEvent: -1, FirstChoicesEvent: -1}},
		{"nothing", Chat, "\n",
			Result{Class: Empty, Sub: "no body", InputTokens: -1, OutputTokens: -1, FirstContentEvent: -1, FirstTextEvent: -1, FirstChoicesEvent: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			var r Reader
			raw := "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + tt.body
			for _, cuts := range [][]int{nil, everyByte(len(raw))} {
				got, _ := read(&r, Options{API: tt.api, SaveText: true}, []byte(raw), cuts, io.EOF)
				tt.want.Status = 200
				ignore := cmpopts.IgnoreFields(Result{}, "BodyPrefix")
				if tt.want.Message == "" {
					got.Message = ""
				}
				if diff := cmp.Diff(tt.want, got, ignore); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}
