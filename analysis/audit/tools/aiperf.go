package tools

import (
	"io/fs"

	"tare/analysis/audit"
)

var aiperf = Tool{
	Name: "aiperf", Executable: "aiperf", Arrivals: []Arrival{Poisson, Constant}, Workers: true,
	Install:  "pip install aiperf",
	commands: []string{"aiperf profile"},
	Conventions: Conventions{
		Version:    "0.13.0",
		Start:      "before the request is sent, in a worker process",
		FirstToken: "first message with text, at the read that brought it",
		End:        "last message with text, at the read that brought it; before version 0.3 the usage",
		TPOT:       "it calls (E2E − TTFT)/(N − 1) its inter-token latency",
		ITL:        "it calls the gap of each message its inter-chunk latency; messages of one read share a stamp",
		Tokens:     "its tokenizer on the text, or the usage where it is told to use it",
		Pacing: "absolute, one issuer of credits hands them to worker processes; more than 10 ms behind it goes on from " +
			"the present, and what was not sent never is",
	},
	recipe: func(p Params) Recipe {
		// With HF_HUB_OFFLINE it takes the folder of a tokenizer for a name and fails.
		r := Recipe{Result: "aiperf/profile_export_aiperf.json", Unset: []string{"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}}
		r.Args = []string{
			"aiperf", "profile", "-m", p.Model, "--tokenizer", p.withTokenizer(&r),
			"--endpoint-type", "completions", "--streaming", "-u", p.URL,
			"--request-rate", number(p.Rate), "--request-count", count(p.Requests),
			"--isl", count(p.InputTokens), "--osl", count(p.OutputTokens),
			"--extra-inputs", "ignore_eos:true", "--extra-inputs", "min_tokens:" + count(p.OutputTokens),
			"--random-seed", number(float64(p.Seed)), "--output-artifact-dir", p.file("aiperf"),
		}
		if p.Workers > 0 {
			r.Args = append(r.Args, "--workers-max", count(p.Workers))
		}
		if older(p.Version, 0, 5) {
			r.Args = append(r.Args, "--request-rate-mode", string(p.Arrival), "--ui-type", "none")
			return r
		}
		r.Args = append(r.Args, "--arrival-pattern", string(p.Arrival), "--ui", "none",
			"--use-server-token-count", "--no-gpu-telemetry", "--no-server-metrics")
		return r
	},
	read: readAIPerf,
}

// readAIPerf reads profile_export_aiperf.json. Failures are what its summary of
// errors counts; an empty summary says that there were none.
func readAIPerf(fsys fs.FS, name string) (audit.Reported, error) {
	o, err := open(fsys, name)
	if err != nil {
		return audit.Reported{}, err
	}
	var r reported
	r.Version = o.text("aiperf_version")
	r.OK = o.object("request_count").count("avg")
	r.Failed = errorCount(o)
	r.Asked = o.object("input_config").first("phases").number("rate", 1)
	r.Rate = o.object("request_throughput").number("avg", 1)
	r.Duration = o.object("benchmark_duration").number("avg", 1)
	for _, m := range []struct {
		metric audit.Metric
		name   string
	}{
		{audit.TTFT, "time_to_first_token"}, {audit.TPOT, "inter_token_latency"},
		{audit.ITL, "inter_chunk_latency"}, {audit.E2E, "request_latency"},
	} {
		v, some := o.object(m.name).summary(ms, [5]string{"avg", "p50", "p90", "p95", "p99"})
		r.add(m.metric, m.name, v, some)
	}
	if err := o.err(name); err != nil {
		return audit.Reported{}, err
	}
	return need(r, name, "request_count.avg")
}

func errorCount(o object) *int64 {
	var errs []struct {
		Count int64 `json:"count"`
	}
	if !o.get("error_summary", "an array of objects with a count", &errs) {
		return nil
	}
	var n int64
	for _, e := range errs {
		n += e.Count
	}
	return &n
}
