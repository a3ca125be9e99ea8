package wire

import (
	"fmt"
	"testing"
)

// nowhere is a Sink that keeps nothing.
type nowhere struct{}

func (nowhere) Header(int)            {}
func (nowhere) Event(Kind, bool, int) {}

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"

// typical are token events as vLLM sends them. The third spells a name with an
// escape, which sends it to the decoder: the price of the other path.
var typical = []struct {
	name string
	api  API
	data string
}{
	{"chat", Chat, `{"id":"chatcmpl-8f1c2d7e5a3b4c6d9e0f1a2b3c4d5e6f","object":"chat.completion.chunk","created":1700000000,"model":"meta-llama/Llama-3.1-8B-Instruct","choices":[{"index":0,"delta":{"content":" the"},"logprobs":null,"finish_reason":null}]}`},
	{"completions", Completions, `{"id":"cmpl-8f1c2d7e5a3b4c6d9e0f1a2b3c4d5e6f","object":"text_completion","created":1700000000,"model":"meta-llama/Llama-3.1-8B-Instruct","choices":[{"index":0,"text":" the","logprobs":null,"finish_reason":null,"stop_reason":null}],"usage":null}`},
	{"messages", Messages, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" the"}}`},
	{"chat-decoder", Chat, `{"id":"chatcmpl-8f1c2d7e5a3b4c6d9e0f1a2b3c4d5e6f","\u006fbject":"chat.completion.chunk","created":1700000000,"model":"meta-llama/Llama-3.1-8B-Instruct","choices":[{"index":0,"delta":{"content":" the"},"logprobs":null,"finish_reason":null}]}`},
}

func chunkOf(data string) []byte {
	event := "data: " + data + "\n\n"
	return fmt.Appendf(nil, "%x\r\n%s\r\n", len(event), event)
}

// BenchmarkEvent gives the cost of one token event, chunk framing and stream
// lines included, one event a push.
func BenchmarkEvent(b *testing.B) {
	for _, e := range typical {
		b.Run(e.name, func(b *testing.B) {
			var r Reader
			r.Reset(Options{API: e.api, Stream: true}, nowhere{})
			r.Push([]byte(streamHead))
			chunk := chunkOf(e.data)
			b.SetBytes(int64(len(chunk)))
			b.ReportAllocs()
			for b.Loop() {
				r.Push(chunk)
			}
			if res := r.Result(); res.ContentEvents < b.N {
				b.Fatalf("%d output events of %d: %+v", res.ContentEvents, b.N, res)
			}
		})
	}
}

// BenchmarkRequest gives the cost of a whole answer of 10 token events, header,
// usage and end mark included.
func BenchmarkRequest(b *testing.B) {
	raw := typicalAnswer()
	var r Reader
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(Options{API: Chat, Stream: true}, nowhere{})
		if s := r.Push(raw); !s.Complete || r.Result().Class != OK {
			b.Fatalf("%+v %+v", s, r.Result())
		}
	}
}

func typicalAnswer() []byte {
	raw := []byte(streamHead)
	for range 10 {
		raw = append(raw, chunkOf(typical[0].data)...)
	}
	raw = append(raw, chunkOf(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)...)
	raw = append(raw, chunkOf(`{"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":10}}`)...)
	raw = append(raw, chunkOf("[DONE]")...)
	return append(raw, "0\r\n\r\n"...)
}

// TestNoAllocations holds the fast path to its promise: nothing is allocated
// for an event, nor for a whole answer once the buffers have grown.
func TestNoAllocations(t *testing.T) {
	var r Reader
	for _, e := range typical[:3] {
		r.Reset(Options{API: e.api, Stream: true}, nowhere{})
		r.Push([]byte(streamHead))
		chunk := chunkOf(e.data)
		if n := testing.AllocsPerRun(100, func() { r.Push(chunk) }); n != 0 {
			t.Errorf("%s: %v allocations an event", e.name, n)
		}
	}
	raw := typicalAnswer()
	for _, cut := range []int{len(raw), 1000, 100, 7} {
		answer := func() {
			r.Reset(Options{API: Chat, Stream: true}, nowhere{})
			for rest := raw; len(rest) > 0; {
				n := min(cut, len(rest))
				r.Push(rest[:n])
				rest = rest[n:]
			}
			r.Result()
		}
		if n := testing.AllocsPerRun(100, answer); n != 0 {
			t.Errorf("pieces of %d: %v allocations an answer", cut, n)
		}
	}
}
