package tools

import (
	"bytes"
	"fmt"
	"io/fs"

	"tare/analysis/audit"
)

var sglang = Tool{
	Name: "sglang", Executable: "sglang-bench", Arrivals: []Arrival{Poisson},
	Install: "pip install sglang, and put a script sglang-bench in PATH that runs " +
		"python -m sglang.benchmark.serving \"$@\"; make peers does both",
	commands: []string{"sglang-bench", "-m sglang.bench_serving", "-m sglang.benchmark.serving", "sglang/bench_serving.py"},
	Conventions: Conventions{
		Version: "0.5.23",
		Start:   "in the request's coroutine, before the connect of a session of its own", Connect: true,
		FirstToken: "first message with text, after it was parsed",
		End:        "last line read, that of [DONE]", Trailer: true,
		TPOT:   "(E2E − TTFT)/(N − 1): with what follows the last token",
		ITL:    "gap of each message with text",
		Tokens: "usage in the message of a token, else the length that was asked for",
		Pacing: "relative sleeps on one asyncio loop", Slides: true,
		Note: "sends one request before it starts, which its report leaves out; a connection a request, " +
			"so that above some 470 requests/s for a minute it runs out of ports to one address",
	},
	recipe: func(p Params) Recipe {
		r := Recipe{Result: "sglang.jsonl", Env: offline}
		r.Args = []string{
			"sglang-bench", "--backend", "sglang-oai", "--base-url", p.URL, "--model", p.Model,
			"--tokenizer", p.withTokenizer(&r),
			// random-ids: the dataset called random downloads one.
			"--dataset-name", "random-ids", "--random-range-ratio", "1.0",
			"--random-input-len", count(p.InputTokens), "--random-output-len", count(p.OutputTokens),
			"--num-prompts", count(p.Requests), "--request-rate", number(p.Rate), "--seed", number(float64(p.Seed)),
			"--warmup-requests", "1", "--ready-check-timeout-sec", "0",
			"--output-file", p.file(r.Result), "--disable-tqdm",
		}
		return r
	},
	read: readSGLang,
}

// readSGLang reads the last line of what --output-file appends to: one object
// a run.
func readSGLang(fsys fs.FS, name string) (audit.Reported, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return audit.Reported{}, fmt.Errorf("read report: %w", err)
	}
	data = bytes.TrimSpace(data)
	o, err := parse(data[bytes.LastIndexByte(data, '\n')+1:])
	if err != nil {
		return audit.Reported{}, fmt.Errorf("read report %s, its last line: %w", name, err)
	}
	var r reported
	r.OK = o.count("completed")
	return r.ofBench(o, name, "e2e_latency")
}
