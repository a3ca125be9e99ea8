package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"tare/analysis/audit"
)

var inferencePerf = Tool{
	Name: "inference-perf", Executable: "inference-perf", Arrivals: []Arrival{Poisson, Constant}, Workers: true,
	Install:  "pip install inference-perf",
	commands: []string{"inference-perf"},
	Conventions: Conventions{
		Version:    "0.7.0",
		Start:      "in the request's coroutine, before it is sent",
		FirstToken: "first message with text, before it is parsed, after the messages of the same read that stood before it",
		End:        "end of the stream", Trailer: true,
		TPOT:   "(last token − first)/(N − 1); NTPOT is E2E/N, with what follows the last token, and 0 for an empty answer",
		ITL:    "gap of each token by its tokenizer: 0 between those of a message",
		Tokens: "its tokenizer on the text, unless it is told to use the usage",
		Pacing: "absolute, a queue shared by worker processes of one asyncio loop each; with all slots of a worker " +
			"taken, requests wait and their latency starts late",
		Note: "its constant arrivals are exponential gaps, scaled to the duration; seeds do not reach the schedule; an answer " +
			"of one token has no TTFT",
	},
	recipe: func(p Params) Recipe {
		r := Recipe{Result: "inference-perf", Env: offline}
		tokenizer := p.withTokenizer(&r)
		if r.Files == nil {
			r.Files = map[string][]byte{}
		}
		// YAML reads JSON: so the file is safe for any value.
		r.Files["inference-perf.yaml"] = encode(inferencePerfConfig(p, tokenizer))
		r.Args = []string{"inference-perf", "--config_file", p.file("inference-perf.yaml")}
		return r
	},
	read: readInferencePerf,
}

func inferencePerfConfig(p Params, tokenizer string) map[string]any {
	type dict = map[string]any
	fixed := func(n int) dict {
		return dict{"min": n, "max": n, "mean": n, "std_dev": 0, "total_count": p.Requests + 1}
	}
	load := dict{
		"type": string(p.Arrival), "base_seed": p.Seed, "worker_max_concurrency": p.each(p.InFlight),
		"stages": []dict{{"rate": p.Rate, "duration": p.seconds()}},
	}
	if p.Workers > 0 {
		load["num_workers"] = p.Workers
	}
	return dict{
		"load":      load,
		"api":       dict{"type": "completion", "streaming": true},
		"server":    dict{"type": "vllm", "model_name": p.Model, "base_url": p.URL, "ignore_eos": true},
		"tokenizer": dict{"pretrained_model_name_or_path": tokenizer},
		"data": dict{
			"type": "random", "input_distribution": fixed(p.InputTokens), "output_distribution": fixed(p.OutputTokens),
		},
		"storage": dict{"local_storage": dict{"path": p.file("inference-perf")}},
	}
}

// readInferencePerf reads a report, or a folder of them: then the summary, and
// the rate that was asked for from the stage where there is just one.
func readInferencePerf(fsys fs.FS, name string) (audit.Reported, error) {
	summary := name
	if info, err := fs.Stat(fsys, name); err == nil && info.IsDir() {
		summary = path.Join(name, "summary_lifecycle_metrics.json")
	}
	r, err := readLifecycle(fsys, summary)
	if err != nil || summary == name || r.Asked != nil {
		return r, err
	}
	stage := path.Join(name, "stage_0_lifecycle_metrics.json")
	if _, err := fs.Stat(fsys, path.Join(name, "stage_1_lifecycle_metrics.json")); err == nil {
		return r, nil // several stages have several rates
	}
	first, err := readLifecycle(fsys, stage)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return audit.Reported{}, fmt.Errorf("read the rate that was asked for: %w", err)
	}
	r.Asked = first.Asked
	return r, nil
}

func readLifecycle(fsys fs.FS, name string) (audit.Reported, error) {
	o, err := open(fsys, name)
	if err != nil {
		return audit.Reported{}, err
	}
	ok := o.object("successes")
	var r reported
	r.OK, r.Failed = ok.count("count"), o.object("failures").count("count")
	r.Asked = o.object("load_summary").number("requested_rate", 1)
	r.Rate = ok.object("throughput").number("requests_per_sec", 1)
	r.Duration = o.number("benchmark_time_seconds", 1)
	for _, m := range []struct {
		metric audit.Metric
		name   string
	}{
		{audit.TTFT, "time_to_first_token"}, {audit.TPOT, "time_per_output_token"}, {audit.ITL, "inter_token_latency"},
		{audit.NTPOT, "normalized_time_per_output_token"}, {audit.E2E, "request_latency"},
	} {
		v, some := ok.object("latency", m.name).summary(s, [5]string{"mean", "median", "p90", "p95", "p99"})
		r.add(m.metric, m.name, v, some)
	}
	if err := o.err(name); err != nil {
		return audit.Reported{}, err
	}
	return need(r, name, "successes.count")
}
