package servermetrics

import (
	"errors"
	"fmt"
	"math"
)

// Server is what a server measured over a run. Times are means a request, in
// milliseconds; nil where the server does not tell.
type Server struct {
	Engine       string   `json:"engine"` // vllm, sglang, tgi or llamacpp
	Requests     *float64 `json:"requests"`
	Queue        *float64 `json:"queue_ms"`
	Prefill      *float64 `json:"prefill_ms"`
	Decode       *float64 `json:"decode_ms"`
	TTFT         *float64 `json:"ttft_ms"`
	E2E          *float64 `json:"e2e_ms"`
	PrefillToken *float64 `json:"prefill_ms_per_token"` // an input token
	DecodeToken  *float64 `json:"decode_ms_per_token"`  // an output token after the first
}

// engine lists the names of one server's metrics: of histograms without _sum
// and _count, of counters in full; "" where it has none.
type engine struct {
	name                              string
	queue, prefill, decode, ttft, e2e string // histograms, seconds a request
	inputs, outputs                   string // counters, tokens
	prefillSeconds, decodeSeconds     string // counters
}

// engines are the servers that are known, by their metrics as of 2026.
var engines = []engine{
	{
		name:  "vllm",
		queue: "vllm_request_queue_time_seconds", prefill: "vllm_request_prefill_time_seconds", decode: "vllm_request_decode_time_seconds",
		ttft: "vllm_time_to_first_token_seconds", e2e: "vllm_e2e_request_latency_seconds",
		inputs: "vllm_prompt_tokens_total", outputs: "vllm_generation_tokens_total",
	},
	{
		name:  "sglang",
		queue: "sglang_queue_time_seconds", ttft: "sglang_time_to_first_token_seconds", e2e: "sglang_e2e_request_latency_seconds",
		inputs: "sglang_prompt_tokens_total", outputs: "sglang_generation_tokens_total",
	},
	{
		name:  "tgi",
		queue: "tgi_request_queue_duration", e2e: "tgi_request_duration",
	},
	{
		name:   "llamacpp",
		inputs: "llamacpp_prompt_tokens_total", outputs: "llamacpp_tokens_predicted_total",
		prefillSeconds: "llamacpp_prompt_seconds_total", decodeSeconds: "llamacpp_tokens_predicted_seconds_total",
	},
}

// ErrRestarted says that a cumulative figure went back between two pages.
var ErrRestarted = errors.New("a counter went back: the server was restarted during the run, or two answer at one address")

// Between returns what a server did between two pages. It is an error if the
// server is not known or was restarted.
func Between(before, after Samples) (Server, error) {
	for _, e := range engines {
		if d := (delta{before: before, after: after}); d.knows(e) {
			s := d.server(e)
			return s, d.err
		}
	}
	return Server{}, errors.New("the page has no metrics of vLLM, SGLang, TGI or llama.cpp")
}

// delta is the way from one page to another.
type delta struct {
	before, after Samples
	err           error
}

func (d *delta) knows(e engine) bool {
	for _, name := range []string{e.queue + "_sum", e.e2e + "_sum", e.decodeSeconds} {
		if _, ok := d.after[name]; ok {
			return true
		}
	}
	return false
}

// grown is how much a cumulative figure grew; nil if the page has none. What
// the first page lacks began at 0.
func (d *delta) grown(name string) *float64 {
	after, ok := d.after[name]
	if !ok {
		return nil
	}
	x := after - d.before[name]
	if !(x >= 0 && x <= math.MaxFloat64) {
		d.err = fmt.Errorf("%s: %w", name, ErrRestarted)
		return nil
	}
	return &x
}

// mean is that of a histogram of seconds, in ms.
func (d *delta) mean(name string) *float64 {
	return over(d.grown(name+"_sum"), d.grown(name+"_count"))
}

func (d *delta) server(e engine) Server {
	s := Server{
		Engine: e.name, Queue: d.mean(e.queue), Prefill: d.mean(e.prefill), Decode: d.mean(e.decode),
		TTFT: d.mean(e.ttft), E2E: d.mean(e.e2e), Requests: d.grown(e.e2e + "_count"),
	}
	inputs, outputs := d.grown(e.inputs), d.grown(e.outputs)
	if e.prefillSeconds != "" {
		s.PrefillToken, s.DecodeToken = over(d.grown(e.prefillSeconds), inputs), over(d.grown(e.decodeSeconds), outputs)
		return s
	}
	s.PrefillToken = over(d.grown(e.prefill+"_sum"), inputs)
	if n := d.grown(e.decode + "_count"); n != nil && outputs != nil {
		s.DecodeToken = over(d.grown(e.decode+"_sum"), new(*outputs-*n))
	}
	return s
}

// over is seconds over a count in ms, nil where either is missing, the count is
// not above 0, or the quotient no finite number.
func over(seconds, count *float64) *float64 {
	if seconds == nil || count == nil || *count <= 0 {
		return nil
	}
	if ms := *seconds / *count * 1e3; ms <= math.MaxFloat64 {
		return &ms
	}
	return nil
}
