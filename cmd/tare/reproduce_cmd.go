package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"tare/analysis/experiment"
	"tare/analysis/report"
	"tare/ipc"
	"tare/supervisor"
)

// reproduceCmd is tare reproduce.
type reproduceCmd struct {
	Name   []string `arg:"" optional:"" help:"Experiments to run, or all; a name with .yaml is a file of your own." placeholder:"NAME"`
	List   bool     `help:"List the experiments and how long they take."`
	Size   string   `help:"host: minutes on two CPUs; paper: longer and with more repeats." default:"host"`
	URL    string   `help:"Run against this server in place of the simulator. Nothing is known of it but what a client sees: claims that need more are undecided." placeholder:"URL"`
	Model  string   `help:"Model name, with --url. Default: the first that the server lists."`
	Out    string   `help:"Directory for all results. Default: runs/TIME-reproduce." placeholder:"DIR"`
	Format string   `help:"table, or json: an object a line for each experiment." default:"table"`
	Strict bool     `help:"Exit with code 3 if a claim fails."`
	Quiet  bool     `help:"No progress on stderr."`
}

// Help is shown below the flags.
func (reproduceCmd) Help() string {
	return `Experiments after Chandrasekar and Kramberger, "Identifying and Mitigating Systemic Measurement Bias in
Production LLM Inference Benchmarks", arXiv 2605.24217 (CC BY 4.0), and what it leaves open. Each runs this program
against its own simulator, cell by cell, and judges every claim. Nothing else should run on the machine meanwhile.

Examples:
  tare reproduce --list
  tare reproduce mg1 bias --out results
  tare reproduce fidelity --url http://127.0.0.1:8000
      the same clients against a server of yours, which is asked for full answers (ignore_eos)
Exit code: 0 done, whichever way the claims fell; 2 a cell failed; 3 a claim failed, with --strict; 130 interrupted.`
}

//go:embed experiments/*.yaml
var experimentFiles embed.FS

// experimentOrder is that of the list and of all.
var experimentOrder = []string{"fidelity", "inflation", "sharding", "mg1", "bias", "profile", "ntpot", "peers"}

// readExperiment reads one that comes with the program, or a file.
func readExperiment(name string) (e *experiment.Experiment, text []byte, err error) {
	if strings.HasSuffix(name, ".yaml") {
		text, err = os.ReadFile(name)
	} else if text, err = experimentFiles.ReadFile("experiments/" + name + ".yaml"); err != nil {
		err = fmt.Errorf("there is no experiment %q; choose from %s", name, strings.Join(experimentOrder, ", "))
	}
	if err == nil {
		e, err = experiment.Parse(text)
	}
	return e, text, err
}

func (c *reproduceCmd) run(_ context.Context, env env) error {
	if c.List {
		return c.list(env)
	}
	names, host, err := c.check()
	if err != nil {
		return err
	}
	dir, err := newRunDir(c.Out, "reproduce", time.Now())
	if err != nil {
		return err
	}
	r := &reproduction{dir: dir, size: c.Size, host: host, target: c.target(), env: env, quiet: c.Quiet}
	done, err := r.experiments(names, func(r reproduced) error { return c.show(env, r) })
	if len(done) > 0 {
		err = errors.Join(err, writeReproduceReport(dir, done))
	}
	if c.Format == "table" {
		fmt.Fprintf(env.stdout, "results: %s\n", dir)
	}
	return errors.Join(err, c.verdict(done))
}

// check reads the command line and returns what to run.
func (c *reproduceCmd) check() (names []string, host ipc.Host, err error) {
	var f faults
	f.choice("format", c.Format, "table", "json")
	f.choice("size", c.Size, experiment.SizeHost, experiment.SizePaper)
	f.check(c.Model != "" && c.URL == "", "--model goes with --url")
	f.check(len(c.Name) == 0, "say which experiment to run, or all; tare reproduce --list shows them")
	f.out(c.Out)
	names = c.Name
	if slices.Equal(names, []string{"all"}) {
		names = experimentOrder
	}
	seen := map[string]bool{}
	for _, name := range names {
		e, _, err := readExperiment(name)
		if f.check(err != nil, "%v", err); err == nil {
			f.check(seen[e.Name], "experiment %s is named twice", e.Name)
			f.check(c.URL != "" && e.Laws, "experiment %s needs the laws of the simulator and says nothing of the server at --url", e.Name)
			seen[e.Name] = true
		}
	}
	allowed, err := supervisor.Allowed()
	return names, supervisor.HostInfo(allowed), errors.Join(err, errors.Join(f...))
}

// target are the flags that lead cells to a server of the user's; nil without.
func (c *reproduceCmd) target() experiment.Flags {
	if c.URL == "" {
		return nil
	}
	t := experiment.Flags{"url": c.URL}
	if c.Model != "" {
		t["model"] = c.Model
	}
	return t
}

// list prints the experiments with what this host can run of them.
func (c *reproduceCmd) list(env env) error {
	allowed, err := supervisor.Allowed()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "EXPERIMENT\tRUNS\tMINUTES\tTITLE")
	for _, name := range experimentOrder {
		e, _, err := readExperiment(name)
		if err != nil {
			return err
		}
		cells := possible(e.Cells(c.Size), allowed)
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%s\n", name, len(cells), length(cells).Minutes(), e.Title)
	}
	return w.Flush()
}

func length(cells []experiment.Cell) (sum time.Duration) {
	for _, c := range cells {
		sum += c.Length()
	}
	return sum
}

// show prints the result of one experiment.
func (c *reproduceCmd) show(env env, r reproduced) error {
	if c.Format == "json" {
		return json.NewEncoder(env.stdout).Encode(r)
	}
	return r.table(env.stdout)
}

// verdict maps what failed to an exit code.
func (c *reproduceCmd) verdict(done []reproduced) error {
	failed, broken := 0, 0
	for _, r := range done {
		failed += r.count(fails)
		broken += r.Broken
	}
	switch {
	case broken > 0:
		return exit{exitPartial, fmt.Sprintf("%d runs failed; see the warnings", broken)}
	case c.Strict && failed > 0:
		return exit{exitNotValid, fmt.Sprintf("%d claims fail", failed)}
	}
	return nil
}

// reproduced is an experiment and what it came to; its JSON form is a line of
// --format json and DIR/NAME/result.json.
type reproduced struct {
	experiment.Result
	Size   string   `json:"size"`
	Server string   `json:"url"` // of the user's; "": the simulator
	Broken int      `json:"failed_runs"`
	Host   ipc.Host `json:"host"`

	source   *experiment.Experiment
	commands []string
}

// write leaves the result in its directory.
func (r reproduced) write(dir string) error {
	f, err := os.Create(filepath.Join(dir, "result.json"))
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return errors.Join(report.JSON(f, r), f.Close())
}

// What became of a claim.
const (
	holds     = "holds"
	fails     = "FAILS"
	undecided = "undecided"
)

func outcome(j experiment.Judged) string {
	switch {
	case j.Holds == nil:
		return undecided
	case *j.Holds:
		return holds
	}
	return fails
}

// count counts the claims that came out in one way.
func (r reproduced) count(as string) (n int) {
	for _, j := range r.Claims {
		if outcome(j) == as {
			n++
		}
	}
	return n
}
