package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"tare/analysis/experiment"
	"tare/ipc"
)

// sizes are those of every experiment.
var sizes = []string{experiment.SizeHost, experiment.SizePaper}

func TestExperimentsAreListed(t *testing.T) {
	files, err := experimentFiles.ReadDir("experiments")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(experimentOrder) {
		t.Errorf("%d files, %d experiments listed", len(files), len(experimentOrder))
	}
	for _, name := range experimentOrder {
		e, _, err := readExperiment(name)
		if err != nil {
			t.Error(err)
		} else if e.Name != name {
			t.Errorf("file %s.yaml holds experiment %s", name, e.Name)
		}
	}
}

// Every experiment asks something, tells what the paper says, how it goes about
// it, and what speaks against it, claims something, and concludes from it.
func TestExperimentsAreComplete(t *testing.T) {
	for _, name := range experimentOrder {
		e, _, err := readExperiment(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Question == "" || e.Paper == "" || e.Method == "" || len(e.Threats) == 0 || len(e.Claims) == 0 || len(e.Charts) == 0 {
			t.Errorf("%s lacks question, paper, method, threats, claims or charts", name)
		}
		for _, c := range e.Claims {
			if c.Holds == "" {
				t.Errorf("%s: nothing is concluded from the claim %q", name, c.Text)
			}
		}
	}
}

// Every cell is a command line that its verb takes.
func TestCellsAreCommandLines(t *testing.T) {
	for _, name := range experimentOrder {
		e, _, err := readExperiment(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range sizes {
			for _, c := range e.Cells(size) {
				if err := checkCell(c.Words(experiment.Place{Dir: "DIR"})); err != nil {
					t.Errorf("%s: %s: %v", name, c.Command("tare", experiment.Place{Dir: "DIR"}), err)
				}
			}
		}
	}
}

// checkCell checks the flags of a verb as far as that goes without a run.
func checkCell(words []string) error {
	var c struct {
		Run     runCmd     `cmd:""`
		Profile profileCmd `cmd:""`
		Audit   auditCmd   `cmd:""`
	}
	parser, err := kong.New(&c)
	if err != nil {
		return err
	}
	if _, err := parser.Parse(words); err != nil {
		return err
	}
	nothing := env{getenv: func(string) string { return "" }}
	switch words[0] {
	case experiment.VerbProfile:
		_, err = c.Profile.check(nothing)
	case experiment.VerbAudit:
		_, err = c.Audit.check()
	default:
		_, err = c.Run.check(nothing)
	}
	return err
}

func TestCheckCellRefuses(t *testing.T) {
	for _, words := range [][]string{{"run", "--rate=many"}, {"profile", "--from=many"}, {"audit"}} {
		if err := checkCell(words); err == nil {
			t.Errorf("%q is taken", words)
		}
	}
}

// The host size of an experiment is for a coffee, not for a night.
func TestHostSizeIsShort(t *testing.T) {
	for _, name := range experimentOrder {
		e, _, err := readExperiment(name)
		if err != nil {
			t.Fatal(err)
		}
		if d := length(e.Cells(experiment.SizeHost)); d.Minutes() > 25 {
			t.Errorf("%s takes %v", name, d)
		}
	}
}

// The paper's own questions are answered within half an hour on two CPUs.
func TestPaperTakesHalfAnHour(t *testing.T) {
	var sum time.Duration
	for _, name := range []string{"fidelity", "inflation", "sharding", "mg1", "ntpot"} {
		e, _, err := readExperiment(name)
		if err != nil {
			t.Fatal(err)
		}
		sum += length(possible(e.Cells(experiment.SizeHost), []int{0, 1}))
	}
	if sum > 28*time.Minute {
		t.Errorf("%v, which leaves too little for what goes wrong", sum)
	}
}

// canned is an experiment of two cells whose results are made up.
func canned(t *testing.T) reproduced {
	t.Helper()
	text, err := os.ReadFile("testdata/experiment.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiment.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []experiment.Outcome
	for _, c := range e.Cells(experiment.SizeHost) {
		if c.CPUs <= 2 {
			outcomes = append(outcomes, experiment.Outcome{Cell: c, Document: map[string]any{
				"latency": map[string]any{"ttft": map[string]any{"wire": map[string]any{"p50_ms": 5.25 + float64(c.Repeat)/4}}},
			}})
		}
	}
	return reproduced{Result: e.Judge(experiment.SizeHost, outcomes, 2), Size: experiment.SizeHost, Host: ipc.Host{CPUModel: "<a CPU>"}, source: e}
}

func TestReproduceTable(t *testing.T) {
	var b strings.Builder
	if err := canned(t).table(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"small: TTFT of the simulator",
		"   ttft 5  2    5.625      0.625       5\n",
		"holds      TTFT of 5 ms: predicted 5 (design), measured 5.625 (5.5 to 5.75)\n",
		"FAILS      TTFT of 10 ms: predicted 10 (design), measured 5.625 (5.5 to 5.75)\n",
		"undecided  1 claims: not decidable here: needs 4096 CPUs, this host allows 2\n",
		"warning    not decidable here: needs 4096 CPUs, this host allows 2 (ttft 15)\n",
		"  The simulator does not do as it is told. (fails in 1 of 2 cells, measured 5.625; 1 undecided: not decidable here: needs 4096 CPUs, this host allows 2)\n",
		"of 3 claims 1 hold, 1 fail, 1 are undecided on this host.",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// The page opens offline: it names no resource but two links to read.
func TestReproduceReport(t *testing.T) {
	dir := t.TempDir()
	if err := writeReproduceReport(dir, []reproduced{canned(t)}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(dir + "/report.html")
	if err != nil {
		t.Fatal(err)
	}
	html := string(b)
	for _, want := range []string{
		"Chandrasekar and Kramberger, arXiv 2605.24217, CC BY 4.0", "&lt;a CPU&gt;", "Does it do as it is told?",
		`<td class="FAILS">FAILS</td>`, `<li class="FAILS">small: TTFT of 10 ms: predicted`, `<li class="FAILS">The simulator does not`,
		"<td>± 30 %</td>", "Figure 1.1. ", "Figure 1.2. ", "1 claims: not decidable here", "Threats to validity", "<svg",
		"TTFT &lt;measured&gt; &amp; set", "&lt;measured&gt; &amp; so",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in the report", want)
		}
	}
	for _, never := range []string{"<script", "src=", "<?xml", "@import", "<link", "url("} {
		if strings.Contains(html, never) {
			t.Errorf("%q in a page that should need nothing", never)
		}
	}
}

func TestReproduceRefuses(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{nil, "say which experiment"},
		{[]string{"mg2"}, `no experiment "mg2"`},
		{[]string{"mg1", "mg1"}, "named twice"},
		{[]string{"mg1", "--size", "huge"}, "--size"},
		{[]string{"mg1", "--out", "testdata"}, "is not empty"},
		{[]string{"mg1", "--url", "http://127.0.0.1:1"}, "needs the laws of the simulator"},
		{[]string{"fidelity", "--model", "m"}, "--model goes with --url"},
	}
	for _, tt := range tests {
		err := run(context.Background(), env{stdout: io.Discard, stderr: io.Discard}, append([]string{"reproduce"}, tt.args...))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want one with %q", tt.args, err, tt.want)
		}
	}
}
