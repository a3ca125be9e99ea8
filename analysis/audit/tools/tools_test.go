package tools

import (
	"slices"
	"strings"
	"testing"
)

func TestGuess(t *testing.T) {
	for _, test := range []struct{ line, want, why string }{
		{"vllm bench serve --model m", "vllm", "as it is called"},
		{"taskset -c 0 /venv/bin/vllm bench serve", "vllm", "a path, with a command before it"},
		{"vllm serve m", "", "a server is no load generator"},
		{"python3 -m sglang.bench_serving --backend sglang", "sglang", "a module, by its old name"},
		{"python -m sglang.benchmark.serving", "sglang", "and by its new one"},
		{"python utils/bench_serving/benchmark_serving.py --backend vllm", "inferencex", "a script of a repository"},
		{"sglang-bench --backend sglang-oai", "sglang", "a wrapper of make peers"},
		{"inference-perf --config_file c.yaml", "inference-perf", "as it is called"},
		{"guidellm benchmark run --target x", "guidellm", "the verb before version 0.8"},
		{"guidellm mock-server", "", "another verb"},
		{"HF_HUB_OFFLINE=1 aiperf profile -m m", "aiperf", "a variable before it"},
		{"k6 run script.js", "k6", "as it is called"},
		{"vegeta attack -rate 5", "vegeta", "as it is called"},
		{"./wrk2 -R 5 u", "wrk2", "in this folder"},
		{"tare run --rate 5", "tare", "this program"},
		{"mytare run", "", "the end of a word is no word"},
		{"curl http://127.0.0.1/", "", "not known"},
		{"", "", "nothing"},
	} {
		got, ok := Guess(strings.Fields(test.line))
		if got.Name != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q is %q, want %q", test.why, test.line, got.Name, test.want)
		}
	}
}

// Each tool is found by its name, guessed from its own recipe, and described.
func TestToolsAreWhole(t *testing.T) {
	for _, name := range Names() {
		tool, ok := Find(name)
		if !ok || tool.Name != name {
			t.Fatalf("%s is not found", name)
		}
		r, err := tool.Recipe(asked)
		if err != nil {
			t.Fatal(err)
		}
		if r.Args[0] != tool.Executable {
			t.Errorf("%s: its recipe starts %s, not %s", name, r.Args[0], tool.Executable)
		}
		if got, _ := Guess(r.Args); got.Name != name {
			t.Errorf("%s: its own recipe is taken for one of %q", name, got.Name)
		}
		c := tool.Conventions
		if slices.Contains([]string{tool.Install, c.Version, c.Start, c.End, c.Pacing, r.Result}, "") {
			t.Errorf("%s: something is not said: %+v", name, c)
		}
		if tokens := c.FirstToken != ""; tokens != (c.TPOT != "") || tokens != (c.ITL != "") || tokens != (c.Tokens != "") {
			t.Errorf("%s: either all that concerns tokens is said or nothing: %+v", name, c)
		}
	}
	if _, ok := Find("wrk3"); ok {
		t.Error("wrk3 is found")
	}
}
