package experiment

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// small is an experiment with two services and two loads, and a series that
// needs eight CPUs.
const small = `
name: small
title: A small one
sizes:
  host: {repeats: 2, flags: {duration: 10s, warmup: 1s}}
  paper: {repeats: 5, flags: {duration: 60s}}
series:
  - name: queue
    flags: {workers: 1}
    exit: [2]
    axes:
      - name: service
        values:
          - {label: constant, flags: {service-time: 200us}}
          - {label: exponential, flags: {service-time: exp(200us)}}
      - name: rho
        values:
          - {label: "0.5", flags: {rate: 2500}}
          - {label: "0.9", flags: {rate: 4500, workers: 2}, repeats: 1}
  - name: many
    verb: profile
    cpus: 8
    flags: {workers: 6}
figures:
  - {name: wait_us, head: W µs, path: client.workers.0.wait}
  - {name: twice, head: "2", ratio: [wait_us, 0.5]}
  - {name: squared, head: W² µs², product: [wait_us, wait_us]}
  - {name: beyond, head: more, difference: [wait_us, axis.rho]}
  - {name: shared, head: events/read, path: client.shared}
void:
  - {figure: shared, above: 1.02, why: stamps are shared}
claims:
  - text: "{service} at {rho}"
    source: theory
    figure: wait_us
    where: {series: [queue], rho: ["0.5"]}
    predicted: 100
    tolerance: {relative: 0.1}
    holds: It waits.
    fails: It does not.
charts:
  - {title: Wait, x: axis.rho, by: [service], lines: [{figure: wait_us, lo: twice, hi: twice, style: marks}]}
`

func parse(t *testing.T, text string) *Experiment {
	t.Helper()
	e, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestCells(t *testing.T) {
	cells := parse(t, small).Cells(SizeHost)
	var got []string
	for _, c := range cells {
		got = append(got, c.Name())
	}
	want := []string{ // repeats outermost, later axes innermost
		"cell-queue-service-constant-rho-0.5-r1", "cell-queue-service-constant-rho-0.9-r1",
		"cell-queue-service-exponential-rho-0.5-r1", "cell-queue-service-exponential-rho-0.9-r1", "cell-many-r1",
		"cell-queue-service-constant-rho-0.5-r2", "cell-queue-service-exponential-rho-0.5-r2", "cell-many-r2", // 0.9 has one repeat
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got, want := cells[0].Length(), 11*time.Second; got != want {
		t.Errorf("length %v, want the duration and a second: %v", got, want)
	}
}

func TestFlagsOfCells(t *testing.T) {
	cells := parse(t, small).Cells(SizeHost)
	got := cells[1].Command("tare", Place{Dir: "DIR"})
	// The axis wins over the series, which wins over the size; the seed is
	// the repeat.
	want := "tare run --duration=10s --rate=4500 --seed=1 --service-time=200us --sim-seed=1 --warmup=1s --workers=2 --out=DIR"
	if got != want {
		t.Errorf("\n%s, want\n%s", got, want)
	}
	if got := cells[2].Command("tare", Place{Dir: "it's"}); !strings.Contains(got, `'--service-time=exp(200us)'`) || !strings.HasSuffix(got, `'--out=it'\''s'`) {
		t.Errorf("words are not quoted for the shell: %s", got)
	}
	if cells[0].Flags["rate"] != "2500" || cells[4].Flags["rate"] != "" {
		t.Error("cells share flags")
	}
}

// A real server has no seed of the simulator.
func TestSeedOfServer(t *testing.T) {
	e := parse(t, strings.Replace(small, "flags: {workers: 6}", "flags: {url: http://127.0.0.1:8000}", 1))
	c := e.Cells(SizeHost)[4]
	if _, there := c.Flags["sim-seed"]; there || c.Flags["seed"] != "1" {
		t.Errorf("flags %v", c.Flags)
	}
}

// A cell may name files beside its results, a CPU of the host, and a text that
// all prompts share. What comes after the flags is passed on.
func TestWordsOfCell(t *testing.T) {
	p := Place{Dir: "D", CPU: 3}
	tests := []struct {
		name string
		cell Cell
		want []string
	}{
		{"a run", Cell{Verb: VerbRun, Flags: Flags{"sim-truth": "{dir}/truth.jsonl", "cpus": "{cpu}"}},
			[]string{"run", "--cpus=3", "--sim-truth=D/truth.jsonl", "--out=D", "--quiet"}},
		{"a shared text", Cell{Verb: VerbProfile, Flags: Flags{"extra-body": `{"system":"{words:3}"}`}},
			[]string{"profile", `--extra-body={"system":"same same same"}`, "--out=D", "--quiet"}},
		{"another load generator", Cell{Verb: VerbAudit, Flags: Flags{"rate": "10"}, Args: []string{"vegeta", "--out={dir}/v", "{url}"}},
			[]string{"audit", "--rate=10", "--out=D", "--quiet", "--", "vegeta", "--out=D/v", "{url}"}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, tt.cell.Words(p, "--quiet")); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func TestResultFile(t *testing.T) {
	for verb, want := range map[string]string{VerbRun: "summary.json", VerbProfile: "profile.json", VerbAudit: "audit.json"} {
		if got := (Cell{Verb: verb}).ResultFile(); got != want {
			t.Errorf("%s: %s, want %s", verb, got, want)
		}
	}
}

// Of a server of the user's only what a client asks for is known. An audit
// measures a client and brings the server.
func TestOnAnotherServer(t *testing.T) {
	c := Cell{Verb: VerbRun, Flags: Flags{"rate": "10", "sim-ttft": "1ms", "sim-truth": "x"}}
	target := Flags{"url": "http://127.0.0.1:8000"}
	if d := cmp.Diff(Flags{"rate": "10", "ignore-eos": "true", "url": "http://127.0.0.1:8000"}, c.On(target).Flags); d != "" {
		t.Error(d)
	}
	if len(c.Flags) != 3 {
		t.Errorf("the cell itself is changed: %v", c.Flags)
	}
	c.Verb = VerbAudit
	if d := cmp.Diff(c.Flags, c.On(target).Flags); d != "" {
		t.Error(d)
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"a key that means nothing", "title:", "titel:", "titel"},
		{"no title", "title: A small one", "title: ''", "title is missing"},
		{"a size without repeats", "paper: {repeats: 5,", "paper: {", "size paper"},
		{"a figure that is not there", "figure: wait_us", "figure: weight", `no figure "weight"`},
		{"a void condition on nothing", "figure: shared", "figure: sharing", `no figure "sharing"`},
		{"an operand that means nothing", "[wait_us, 0.5]", "[weight, 0.5]", `"weight" is no number`},
		{"a figure by two ways", "path: client.shared", "path: client.shared, ratio: [1, 2]", "give one of"},
		{"half a ratio", "[wait_us, 0.5]", "[wait_us]", "two operands"},
		{"a figure twice", "name: twice", "name: wait_us", "there twice"},
		{"a label that no cell has", `rho: ["0.5"]`, `rho: ["0.6"]`, `no cell has rho "0.6"`},
		{"a claim about no cell", `series: [queue], rho`, `series: [many], rho`, "about no cell"},
		{"a partner that is not there", "predicted: 100", "against: {service: lognormal}\n    predicted: 100", `no cell has service "lognormal"`},
		{"a partner on an axis that is not there", "predicted: 100", "against: {servise: constant}\n    predicted: 100", `no cell has servise`},
		{"a partner of another series", "predicted: 100", "against: {series: many}\n    predicted: 100", "no cell to compare"},
		{"no prediction", "predicted: 100", "predicted: much", "no number and no figure"},
		{"a source unheard of", "source: theory", "source: hearsay", "source"},
		{"two tolerances", "{relative: 0.1}", "{relative: 0.1, at: most}", "one tolerance"},
		{"no tolerance", "{relative: 0.1}", "{}", "one tolerance"},
		{"another way to gather", "source: theory", "source: theory\n    by: mode", "by is"},
		{"half a conclusion", "    fails: It does not.\n", "", "holds and fails"},
		{"a condition on nothing", "predicted: 100", "highest: [{figure: weight}]\n    predicted: 100", `no figure "weight"`},
		{"the highest of a comparison", "predicted: 100", "highest: [{figure: shared}]\n    predicted: twice", "highest goes with a number"},
		{"a verb of two words", "verb: profile", "verb: pro file", "one word"},
		{"a length that is none", "repeats: 5,", "repeats: 5, lasts: long,", "invalid duration"},
		{"a chart of nothing", "figure: wait_us, lo", "figure: weight, lo", `no figure "weight"`},
		{"a chart over nothing", "x: axis.rho", "x: rho", `no figure "rho"`},
		{"a chart by nothing", "by: [service]", "by: [weight]", `no axis "weight"`},
		{"a chart in other logarithms", "x: axis.rho", "log: z, x: axis.rho", "log is"},
		{"a chart without lines", "lines: [{figure: wait_us, lo: twice, hi: twice, style: marks}]", "lines: []", "a title and lines"},
		{"half an interval", ", hi: twice", "", "lo and hi go together"},
		{"a line of feathers", "style: marks", "style: feathers", "must be marks or line"},
		{"cells of one name", "label: exponential", "label: constant", "there twice"},
	}
	for _, tt := range tests {
		text := strings.Replace(small, tt.old, tt.new, 1)
		if text == small {
			t.Fatalf("%s: the text has no %q", tt.name, tt.old)
		}
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

// FuzzParse: no text brings the reader down, and what it takes can be judged.
func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("name: x\nseries: [{axes: [{}]}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if e, err := Parse(text); err == nil && e.Sizes[SizeHost].Repeats < 10 {
			e.Judge(SizeHost, nil, 2)
		}
	})
}
