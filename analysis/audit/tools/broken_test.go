package tools

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestBrokenReportsSayWhatAndWhere(t *testing.T) {
	for _, test := range []struct {
		tool, report, why string
		want              []string // in the error
	}{
		{"vllm", ``, "the tool died at its start", []string{"report.json", "empty"}},
		{"vllm", `{"completed": 40, "dura`, "the tool died while it wrote", []string{"report.json", "cut off after 23 bytes"}},
		{"vllm", `Namespace(host=None)`, "its log in place of its report", []string{"not JSON from byte 1"}},
		{"vllm", `[{"completed": 40}]`, "an array", []string{"JSON array", "want an object"}},
		{"vllm", `null`, "nothing", []string{"null", "want a JSON object"}},
		{"vllm", `{"completed": 40, "mean_ttft_ms": "20", "p99_tpot_ms": [5], "duration": true}`, "all wrong types at once",
			[]string{`mean_ttft_ms: want a number, got "20"`, "p99_tpot_ms: want a number, got [5]", "duration: want a number, got true"}},
		{"vllm", `{"completed": 39.5}`, "half a request", []string{"completed: want a count, got 39.5"}},
		{"vllm", `{"completed": -1}`, "fewer than none", []string{"completed: want a count, got -1"}},
		{"vllm", `{"summary": {}}`, "another tool's report", []string{"no completed", "of this tool"}},
		{"sglang", "{\"completed\": 40}\n{\"completed\": 4", "the last of two runs is cut off", []string{"its last line", "cut off"}},
		{"inference-perf", `{"successes": {"count": 1, "latency": {"request_latency": 3}}}`, "a number for an object",
			[]string{"successes.latency.request_latency: want an object, got 3"}},
		{"inference-perf", `{"failures": {"count": 3}}`, "no successes", []string{"no successes.count"}},
		{"guidellm", `{"benchmarks": []}`, "no benchmark was done", []string{"no benchmarks.0.metrics.request_totals.successful"}},
		{"guidellm", `{"benchmarks": {"config": 1}}`, "an object for an array", []string{"benchmarks: want an array of objects"}},
		{"aiperf", `{"request_count": {"avg": 1}, "error_summary": {}}`, "an object for an array", []string{"error_summary: want an array"}},
		{"k6", `{"metrics": {"http_reqs": {"count": 40}}}`, "successes cannot be told without failures", []string{"http_req_failed"}},
		{"vegeta", `{"requests": 4}`, "no share of successes", []string{"requests and success"}},
		{"wrk2", "Running 5s test\nunable to connect", "it could not connect", []string{"Requests/sec", "stopped"}},
		{"tare", `{"load": {"ok": null}}`, "no successes counted", []string{"no load.ok"}},
	} {
		tool, _ := Find(test.tool)
		_, err := tool.Read(fstest.MapFS{"report.json": {Data: []byte(test.report)}}, "report.json")
		if err == nil {
			t.Errorf("%s: %s: no error", test.tool, test.why)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: error %q has no %q", test.tool, test.why, err, want)
			}
		}
	}
}

// What a tool leaves out, and what Python could not compute, is absent.
func TestWhatIsNotSaidIsAbsent(t *testing.T) {
	for _, test := range []struct{ tool, report, why string }{
		{"vllm", `{"completed": 0, "request_rate": "inf", "mean_ttft_ms": null}`, "no rate was asked for, null"},
		{"vllm", `{"completed": 0, "burstiness": Infinity, "mean_ttft_ms": NaN, "duration": -Infinity}`, "Python's numbers"},
		{"sglang", `{"completed": 0, "request_rate": "inf"}`, "no rate was asked for"},
		{"inference-perf", `{"successes": {"count": 0, "latency": null}}`, "nothing succeeded"},
		{"guidellm", `{"benchmarks": [{"metrics": {"request_totals": {"successful": 0},
			"time_to_first_token_ms": {"successful": {"count": 0, "mean": 0, "percentiles": {"p50": 0}}}}}]}`, "zeros of no request"},
		{"aiperf", `{"request_count": {"avg": 0.0}}`, "no summary of errors"},
		{"vegeta", `{"requests": 0, "success": 0, "latencies": {"mean": 0, "99th": 0}}`, "zeros of no request"},
		{"tare", `{"load": {"ok": 0}, "latency": {"ttft": null}}`, "no latency"},
	} {
		tool, _ := Find(test.tool)
		r, err := tool.Read(fstest.MapFS{"r": {Data: []byte(test.report)}}, "r")
		if err != nil || r.Latency != nil || r.Asked != nil || r.Duration != nil || *r.OK != 0 {
			t.Errorf("%s: %s: got %+v, %v", test.tool, test.why, r, err)
		}
	}
}

func TestNaNInsideOfStringsIsKept(t *testing.T) {
	tool, _ := Find("guidellm")
	report := `{"metadata": {"guidellm_version": "NaN \" Infinity"}, "x": NaN,
		"benchmarks": [{"metrics": {"request_totals": {"successful": 1}}}]}`
	r, err := tool.Read(fstest.MapFS{"r": {Data: []byte(report)}}, "r")
	if err != nil || r.Version != `NaN " Infinity` {
		t.Errorf("got version %q, %v", r.Version, err)
	}
}

// A folder of inference-perf's with several stages has no one rate; one without
// a stage's report has none either.
func TestInferencePerfFolders(t *testing.T) {
	summary := &fstest.MapFile{Data: []byte(`{"successes": {"count": 2}}`)}
	stage := &fstest.MapFile{Data: []byte(`{"load_summary": {"requested_rate": 7}, "successes": {"count": 1}}`)}
	tool, _ := Find("inference-perf")
	for _, test := range []struct {
		fsys fstest.MapFS
		want bool
		why  string
	}{
		{fstest.MapFS{"d/summary_lifecycle_metrics.json": summary, "d/stage_0_lifecycle_metrics.json": stage}, true, "one stage"},
		{fstest.MapFS{"d/summary_lifecycle_metrics.json": summary}, false, "none"},
		{fstest.MapFS{"d/summary_lifecycle_metrics.json": summary, "d/stage_0_lifecycle_metrics.json": stage,
			"d/stage_1_lifecycle_metrics.json": stage}, false, "two"},
	} {
		r, err := tool.Read(test.fsys, "d")
		if err != nil || (r.Asked != nil) != test.want || *r.OK != 2 {
			t.Errorf("%s: got %+v, %v", test.why, r, err)
		}
	}
	if _, err := tool.Read(fstest.MapFS{"d/x": stage}, "d"); err == nil || !strings.Contains(err.Error(), "summary_lifecycle_metrics.json") {
		t.Errorf("a folder without a summary: %v", err)
	}
}

// No report makes a reader panic or lets through a figure that is not finite.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"vllm.json", "guidellm.json", "aiperf.json", "vegeta.json", "wrk2.txt", "wrk2-errors.txt", "sglang.jsonl"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"completed": NaN, "benchmarks": [null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, tool := range known {
			if r, err := tool.Read(fstest.MapFS{"r": {Data: data}}, "r"); err == nil && *r.OK < 0 {
				t.Errorf("%s: %d successes", tool.Name, *r.OK)
			}
		}
	})
}
