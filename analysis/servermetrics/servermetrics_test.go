package servermetrics

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// near forgives rounding.
var near = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) })

func TestParse(t *testing.T) {
	tests := []struct {
		why, text string
		want      Samples
	}{
		{"a plain sample", "up 1\n", Samples{"up": 1}},
		{"comments, blanks and CRLF", "# HELP up x\r\n\r\n# TYPE up gauge\r\nup 2\r\n", Samples{"up": 2}},
		{"colons are underscores", "vllm:x_sum{a=\"b\"} 1.5e2", Samples{"vllm_x_sum": 150}},
		{"label sets are summed", "x{engine=\"0\"} 1\nx{engine=\"1\"} 2\n", Samples{"x": 3}},
		{"braces and quotes in a label", `x{m="a}\"b{",n="\\"} 4`, Samples{"x": 4}},
		{"a timestamp", "x 5 1712345678901", Samples{"x": 5}},
		{"an exemplar", `x_bucket{le="1"} 6 # {trace="y"} 0.3`, Samples{"x_bucket": 6}},
		{"no figure", "x NaN\ny +Inf\nz -Inf\nw 1\n", Samples{"w": 1}},
		{"blanks before the value", "x{a=\"b\"}   7\nw\t8", Samples{"x": 7, "w": 8}},
		{"nothing", "", Samples{}},
	}
	for _, tt := range tests {
		got, err := Parse(strings.NewReader(tt.text))
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", tt.why, err, diff)
		}
	}
}

func TestParseSaysWhere(t *testing.T) {
	for _, bad := range []string{"<html>", "x", "x{a=\"b\" 1", "{a=\"b\"} 1", "x{} ", "x one", "x{a=\"b} 1"} {
		_, err := Parse(strings.NewReader("up 1\n" + bad + "\n"))
		if err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: got error %v, want one with the line", bad, err)
		}
	}
	if _, err := Parse(strings.NewReader(strings.Repeat("x", maxLine+1))); err == nil {
		t.Error("an endless line: no error")
	}
}

// Two pages of a vLLM with two engines, 40 requests apart. By hand: queue
// (0.5+1.5)/(10+30) s = 50 ms, prefill 4/40 s = 100 ms and 4/4000 s a token =
// 1 ms, decode 8/40 s = 200 ms and 8/(440−40) s a token = 20 ms, E2E 14/40 s =
// 350 ms.
const (
	vllmBefore = `# TYPE vllm:request_queue_time_seconds histogram
vllm:request_queue_time_seconds_sum{engine="0"} 10
vllm:request_queue_time_seconds_count{engine="0"} 5
vllm:request_prefill_time_seconds_sum{engine="0"} 1
vllm:request_prefill_time_seconds_count{engine="0"} 5
vllm:request_decode_time_seconds_sum{engine="0"} 2
vllm:request_decode_time_seconds_count{engine="0"} 5
vllm:e2e_request_latency_seconds_sum{engine="0"} 13
vllm:e2e_request_latency_seconds_count{engine="0"} 5
vllm:prompt_tokens_total{engine="0"} 100
vllm:generation_tokens_total{engine="0"} 50
`
	vllmAfter = `vllm:request_queue_time_seconds_sum{engine="0"} 10.5
vllm:request_queue_time_seconds_sum{engine="1"} 1.5
vllm:request_queue_time_seconds_count{engine="0"} 15
vllm:request_queue_time_seconds_count{engine="1"} 30
vllm:request_prefill_time_seconds_sum{engine="0"} 5
vllm:request_prefill_time_seconds_count{engine="0"} 45
vllm:request_decode_time_seconds_sum{engine="0"} 10
vllm:request_decode_time_seconds_count{engine="0"} 45
vllm:e2e_request_latency_seconds_sum{engine="0"} 27
vllm:e2e_request_latency_seconds_count{engine="0"} 45
vllm:prompt_tokens_total{engine="0"} 4100
vllm:generation_tokens_total{engine="0"} 490
`
)

func TestBetween(t *testing.T) {
	tests := []struct {
		why, before, after string
		want               Server
	}{
		{"vLLM", vllmBefore, vllmAfter, Server{
			Engine: "vllm", Requests: new(40.0), Queue: new(50.0), Prefill: new(100.0), Decode: new(200.0), E2E: new(350.0),
			PrefillToken: new(1.0), DecodeToken: new(20.0),
		}},
		{"SGLang, which had no request before",
			"sglang:num_running_reqs 0\n",
			"sglang:queue_time_seconds_sum 2\nsglang:queue_time_seconds_count 10\nsglang:e2e_request_latency_seconds_sum 5\nsglang:e2e_request_latency_seconds_count 10\n",
			Server{Engine: "sglang", Requests: new(10.0), Queue: new(200.0), E2E: new(500.0)}},
		{"TGI", "", "tgi_request_queue_duration_sum 1\ntgi_request_queue_duration_count 4\n", Server{Engine: "tgi", Queue: new(250.0)}},
		{"llama.cpp counts tokens, not requests",
			"llamacpp:prompt_tokens_total 100\nllamacpp:prompt_seconds_total 1\nllamacpp:tokens_predicted_total 10\nllamacpp:tokens_predicted_seconds_total 1\n",
			"llamacpp:prompt_tokens_total 1100\nllamacpp:prompt_seconds_total 3\nllamacpp:tokens_predicted_total 110\nllamacpp:tokens_predicted_seconds_total 2\n",
			Server{Engine: "llamacpp", PrefillToken: new(2.0), DecodeToken: new(10.0)}},
		{"no request between the pages", vllmAfter, vllmAfter, Server{Engine: "vllm", Requests: new(0.0)}},
	}
	for _, tt := range tests {
		got, err := Between(parsed(t, tt.before), parsed(t, tt.after))
		if diff := cmp.Diff(tt.want, got, near); err != nil || diff != "" {
			t.Errorf("%s: %v %s", tt.why, err, diff)
		}
	}
}

func parsed(t *testing.T, text string) Samples {
	t.Helper()
	s, err := Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBetweenSaysWhatIsWrong(t *testing.T) {
	if _, err := Between(parsed(t, vllmAfter), parsed(t, vllmBefore)); !errors.Is(err, ErrRestarted) {
		t.Errorf("counters that went back: got error %v", err)
	}
	if _, err := Between(Samples{}, Samples{"go_goroutines": 3}); err == nil {
		t.Error("an unknown server: no error")
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	if s, err := Read(dir); s != nil || err != nil {
		t.Errorf("nothing was asked for: %v, %v", s, err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(BeforeFileName, vllmBefore)
	if _, err := Read(dir); err == nil {
		t.Error("the second page is missing: no error")
	}
	write(AfterFileName, vllmAfter)
	if s, err := Read(dir); err != nil || *s.Queue < 49 || *s.Queue > 51 {
		t.Errorf("got %+v, %v", s, err)
	}
	write(AfterFileName, "<html>")
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), AfterFileName) {
		t.Errorf("a page that is none: got error %v", err)
	}
}

// No page breaks the parser, and what it reads are finite numbers.
func FuzzParse(f *testing.F) {
	for _, s := range []string{vllmBefore, `x{a="}"} 1 2`, "x{", "x{\"\\", "\x00 1", "x 1e999", "x -1"} {
		f.Add(s, vllmAfter)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		b, err := Parse(strings.NewReader(before))
		if err != nil {
			return
		}
		for name, v := range b {
			if name == "" || math.IsNaN(v) {
				t.Errorf("%q: %v", name, v)
			}
		}
		a, err := Parse(strings.NewReader(after))
		if err != nil {
			return
		}
		s, err := Between(b, a)
		for _, x := range []*float64{s.Queue, s.Prefill, s.Decode, s.TTFT, s.E2E, s.PrefillToken, s.DecodeToken} {
			if err == nil && x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0)) {
				t.Errorf("%v", *x)
			}
		}
	})
}
