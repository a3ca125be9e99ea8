package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"tare/analysis/internal/golden"
)

// asked is what the golden recipes are asked for: 30 s at 2 requests/s.
var asked = Params{
	URL: "http://127.0.0.1:8000", Model: "sim", Rate: 2, Requests: 60, InputTokens: 4, OutputTokens: 10,
	Dir: "/dir", Seed: 7,
}

// The golden file is each tool's command line for each law, with the files that
// it needs beforehand, and the variants: told how many workers, of an old
// version, with a tokenizer of the user's.
func TestRecipesAreGolden(t *testing.T) {
	var b strings.Builder
	show := func(name string, tool Tool, p Params) Recipe {
		r, err := tool.Recipe(p)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "# %s\n%s\n-> %s\n", name, r, r.Result)
		return r
	}
	for _, tool := range known {
		var r Recipe
		for _, law := range tool.Arrivals {
			p := asked
			p.Arrival = law
			r = show(fmt.Sprintf("%s %s", tool.Name, law), tool, p)
		}
		writeFiles(&b, r.Files)
		if tool.Workers {
			p := asked
			p.Workers = 3
			writeFiles(&b, show(tool.Name+" with 3 workers", tool, p).Files)
		}
	}
	old := asked
	old.Version = "0.2.0"
	show("aiperf 0.2.0", aiperf, old)
	own := asked
	own.Tokenizer = "/models/own tokenizer"
	show("vllm with a tokenizer", vllm, own)
	golden.Compare(t, "testdata/recipes.golden", b.String())
}

// writeFiles writes all files but our tokenizer, and of one with many lines
// the first.
func writeFiles(b *strings.Builder, files map[string][]byte) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Dir(name) == tokenizerDir {
			fmt.Fprintf(b, "   needs %s\n", name)
			continue
		}
		text := string(files[name])
		if n := strings.Count(text, "\n"); path.Ext(name) == ".jsonl" {
			line, _, _ := strings.Cut(text, "\n")
			text = fmt.Sprintf("%s\n(%d lines)\n", line, n)
		}
		fmt.Fprintf(b, "   needs %s\n%s", name, text)
	}
}

func TestRecipeFaultsComeAtOnce(t *testing.T) {
	_, err := k6.Recipe(Params{URL: "localhost:80", Model: "a\"b", Dir: "here", Rate: math.NaN(), Workers: 2, InFlight: -1, Arrival: Poisson})
	for _, want := range []string{
		"recipe for k6", `URL "localhost:80"`, "model", `folder "here"`, "rate NaN", "requests 0", "input tokens 0",
		"output tokens 0", "requests in flight -1", "poisson arrivals: it only has constant", "one process",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error has no %q:\n%v", want, err)
		}
	}
}

func TestRecipeDetails(t *testing.T) {
	for _, test := range []struct {
		tool Tool
		with func(*Params)
		want string // in the shell line or a file
		why  string
	}{
		{vllm, func(p *Params) { p.Arrival = "" }, "--burstiness 1.0", "the first law of the tool"},
		{vegeta, func(p *Params) { p.Rate = 2.5 }, "-rate 25/10s -duration 24s", "whole numbers of a rate with a fraction"},
		{vegeta, func(p *Params) { p.Rate = 1.0 / 3 }, "-rate 333/1000s", "a thousandth at the finest"},
		{wrk2, func(p *Params) { p.Rate = 7 }, "--duration 9s", "60/7 = 8.6 s, in whole seconds"},
		{wrk2, func(p *Params) { p.Rate = 5000; p.Requests = 5000 }, "--threads 10 --connections 1000", "a fifth of a second at 5,000/s, 100 connections a thread"},
		{wrk2, func(p *Params) { p.InFlight = 3; p.Workers = 8 }, "--connections 8", "no fewer than threads"},
		{inferencePerf, func(p *Params) { p.Workers = 8; p.InFlight = 100 }, `"worker_max_concurrency":13`, "100/8, rounded up"},
		{aiperf, func(p *Params) { p.Version = "0.13.0" }, "--arrival-pattern", "13 is after 5"},
		{aiperf, func(p *Params) { p.Version = "?" }, "--arrival-pattern", "a version that cannot be read is taken for new"},
		{tare, func(p *Params) { p.Model = "a b" }, "--model 'a b'", "a word of the shell"},
		{tare, func(p *Params) { p.URL += "/" }, "--url http://127.0.0.1:8000/", "the address as it was given"},
		{vegeta, func(p *Params) { p.URL += "/" }, `"url":"http://127.0.0.1:8000/v1/completions"`, "no doubled slash"},
	} {
		p := asked
		test.with(&p)
		r, err := test.tool.Recipe(p)
		text := r.String()
		for _, data := range r.Files {
			text += string(data)
		}
		if err != nil || !strings.Contains(text, test.want) {
			t.Errorf("%s: %s: no %q in %s, %v", test.tool.Name, test.why, test.want, r, err)
		}
	}
}

// Files of JSON are JSON, and a prompt of n tokens has n words of the
// tokenizer's.
func TestRecipeFilesAreSound(t *testing.T) {
	var model struct {
		Model struct {
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	files := tokenizerFiles()
	if err := json.Unmarshal(files["tokenizer/tokenizer.json"], &model); err != nil || len(model.Model.Vocab) != vocabulary {
		t.Errorf("a vocabulary of %d, %v", len(model.Model.Vocab), err)
	}
	for _, w := range strings.Fields(prompt(300)) {
		if _, ok := model.Model.Vocab[w]; !ok {
			t.Fatalf("%q is not in the vocabulary", w)
		}
	}
	ids := slices.Sorted(maps.Values(model.Model.Vocab))
	if ids[0] != 0 || ids[len(ids)-1] != vocabulary-1 || len(slices.Compact(ids)) != vocabulary {
		t.Error("token numbers have gaps")
	}
	if n := len(strings.Fields(prompt(300))); n != 300 {
		t.Errorf("a prompt of %d words, want 300", n)
	}
	if p := asked; len(tokenizerUsed(p)) == 0 {
		t.Error("our tokenizer is not written")
	}
	own := asked
	own.Tokenizer = "/own"
	if n := len(tokenizerUsed(own)); n != 0 {
		t.Errorf("%d files beside a tokenizer of the user's", n)
	}
}

func tokenizerUsed(p Params) map[string][]byte {
	var r Recipe
	p.withTokenizer(&r)
	return r.Files
}
