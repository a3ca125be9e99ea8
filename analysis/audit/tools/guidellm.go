package tools

import (
	"bytes"
	"fmt"
	"io/fs"

	"tare/analysis/audit"
)

var guidellm = Tool{
	Name: "guidellm", Executable: "guidellm", Arrivals: []Arrival{Poisson, Constant}, Workers: true,
	Install:  "pip install guidellm",
	commands: []string{"guidellm run", "guidellm benchmark"},
	Conventions: Conventions{
		Version:    "0.8.1",
		Start:      "before the request is sent, on the wall clock",
		FirstToken: "first line with text or reasoning, before it was parsed",
		End:        "end of the stream", Trailer: true,
		TPOT:   "(last token − start)/N: with the time to the first token, what others call NTPOT",
		ITL:    "(last token − first)/(N − 1): a mean for each request, what others call TPOT; weighted by tokens",
		Tokens: "usage, else the number of messages",
		Pacing: "absolute, slots shared by worker processes; behind schedule it sends at once",
		Note: "its Poisson gaps repeat: every worker process draws them from the same seed (PROCESSES equal gaps " +
			"in a row); its request_scheduled_latency starts at the instant that was due, its other latencies do not",
	},
	recipe: func(p Params) Recipe {
		r := Recipe{Result: "guidellm.json", Files: map[string][]byte{"prompts.jsonl": guidellmPrompts(p)}}
		r.Env = offline
		if p.Workers > 0 {
			r.Env = append([]string{"GUIDELLM__MAX_WORKER_PROCESSES=" + count(p.Workers)}, offline...)
		}
		r.Args = []string{
			"guidellm", "run",
			"--backend", fmt.Sprintf("kind=openai_http,target=%s,model=%s,request_format=/v1/completions,http2=false", p.URL, p.Model),
			"--profile", fmt.Sprintf("kind=%s,rate=%s", p.Arrival, number(p.Rate)),
			"--constraint", "kind=max_requests,count=" + count(p.Requests),
			"--data", "kind=json_file,path=" + p.file("prompts.jsonl"),
			"--seed", fmt.Sprintf("kind=static,value=%d", p.Seed),
			"--metrics", "kind=generative,sample_size=0",
			"--output", "kind=json,path=" + p.file(r.Result),
			"--disable-console-interactive",
		}
		return r
	},
	read: readGuidellm,
}

// guidellmPrompts are rows that carry the length of their answer, by which it
// asks for ignore_eos: one for each request, since it ends with its dataset.
func guidellmPrompts(p Params) []byte {
	row := encode(map[string]any{"prompt": prompt(p.InputTokens), "output_tokens_count": p.OutputTokens})
	return bytes.Repeat(row, p.Requests)
}

// readGuidellm reads the first benchmark of a report, of its requests that
// succeeded. Its figures of time per token go by what they are here.
func readGuidellm(fsys fs.FS, name string) (audit.Reported, error) {
	o, err := open(fsys, name)
	if err != nil {
		return audit.Reported{}, err
	}
	b := o.first("benchmarks")
	metrics := b.object("metrics")
	var r reported
	r.Version = o.object("metadata").text("guidellm_version")
	totals := metrics.object("request_totals")
	r.OK, r.Failed = totals.count("successful"), totals.count("errored")
	r.Asked = b.object("config", "strategy").number("rate", 1)
	r.Rate = metrics.object("requests_per_second", "successful").number("mean", 1)
	r.Duration = b.number("duration", 1)
	for _, m := range []struct {
		metric audit.Metric
		name   string
		unit   float64
	}{
		{audit.TTFT, "time_to_first_token_ms", ms}, {audit.NTPOT, "time_per_output_token_ms", ms},
		{audit.TPOT, "inter_token_latency_ms", ms}, {audit.E2E, "request_latency", s},
	} {
		d := metrics.object(m.name, "successful")
		if n := d.count("count"); n != nil && *n == 0 {
			continue // its figures of nothing are zeros
		}
		v, some := d.object("percentiles").summary(m.unit, [5]string{"", "p50", "p90", "p95", "p99"})
		v.Mean = d.number("mean", m.unit)
		r.add(m.metric, m.name, v, some || v.Mean != nil)
	}
	if err := o.err(name); err != nil {
		return audit.Reported{}, err
	}
	return need(r, name, "benchmarks.0.metrics.request_totals.successful")
}
