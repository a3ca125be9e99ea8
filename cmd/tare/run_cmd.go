package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"tare/analysis"
	"tare/analysis/report"
	"tare/ipc"
	"tare/supervisor"
)

// runCmd is tare run.
type runCmd struct {
	targetFlags
	loadFlags
	shapeFlags
	shardingFlags
	outputFlags
	witnessFlags
	Sim simFlags `embed:"" prefix:"sim-" group:"simulator, without --url"`
}

// Help is shown below the flags.
func (runCmd) Help() string {
	return `Examples:
  tare run
      1,000 requests/s for 10 s against the bundled simulator
  tare run --url http://127.0.0.1:8000 --rate 50 --duration 60s --output-tokens 128 --slo ttft=200ms,tpot=50ms
      an open loop against a real server
  tare run --url http://127.0.0.1:8000 --concurrency 64 --requests 2000 --format json | jq .latency.ttft.wire

DIST is a law by mean and squared coefficient of variation: 128, 200us, uniform(64,256), normal(MEAN,SD),
exp(MEAN), gamma(MEAN,SCV), lognormal(MEAN,SCV), hyperexp(MEAN,SCV), file:PATH.
Exit code: 0 fine, 1 wrong usage, 2 partial or nothing succeeded, 3 not valid with --strict, 130 interrupted.`
}

// job is a checked command line.
type job struct {
	settings ipc.Settings
	headers  []string
	apiKey   string
	plan     supervisor.Plan
	allowed  []int
	host     ipc.Host
	baseline *analysis.Baseline
}

func (c *runCmd) run(ctx context.Context, env env) error {
	j, err := c.check(env)
	if err != nil {
		return err
	}
	dir, err := newRunDir(c.Out, c.Name, time.Now())
	if err != nil {
		return err
	}
	if err := c.load(ctx, env, j, dir); err != nil {
		return errors.Join(err, removeUnused(dir))
	}
	return c.conclude(env, dir)
}

// load starts what the run needs, drives the load, and ends all that it has
// started. It leaves records and manifest in dir.
func (c *runCmd) load(ctx context.Context, env env, j job, dir string) error {
	interrupts, release := env.signals()
	defer release()
	if err := supervisor.Retreat(j.plan.Rest); err != nil {
		return err
	}
	if c.URL == "" {
		s, err := startSimulator(c.Sim, j.plan.Rest, dir)
		if err != nil {
			return err
		}
		defer s.stop()
		j.settings.Target.URL = s.url
	}
	if err := c.meet(ctx, interrupts, &j); err != nil {
		return err
	}
	if err := c.witnessFlags.begin(ctx, dir, j); err != nil {
		return err
	}
	if err := c.drive(env, interrupts, j, dir); err != nil {
		return err
	}
	if err := c.witnessFlags.end(ctx, dir, j); err != nil {
		fmt.Fprintf(env.stderr, "tare: %v\n", err) // the run itself is well
	}
	return nil
}

// check reads every flag and returns all that is wrong at once, before
// anything has been started.
func (c *runCmd) check(env env) (job, error) {
	var f faults
	var j job
	allowed, err := supervisor.Allowed()
	if err != nil {
		return j, err
	}
	j.allowed = allowed
	j.settings.Target, j.headers = c.targetFlags.settings(&f)
	j.settings.Load = c.loadFlags.settings(&f, c.URL == "")
	j.settings.Shape = c.shapeFlags.settings(&f)
	j.settings.SaveText = c.SaveText
	j.plan = c.shardingFlags.plan(&f, allowed)
	j.settings.Sharding = ipc.Sharding{Mode: c.Sharding, Workers: processors(j.plan), CPUs: cpusOf(j.plan)}
	c.checkOutput(&f, &j)
	j.baseline = c.witnessFlags.check(&f)
	if c.URL == "" {
		c.Sim.config(&f, "sim-")
	}
	j.apiKey = cmp.Or(c.APIKey, env.getenv("OPENAI_API_KEY"))
	j.host = supervisor.HostInfo(allowed)
	checkLimits(&f, j)
	return j, errors.Join(f...)
}

func (c *runCmd) checkOutput(f *faults, j *job) {
	f.choice("format", c.Format, "table", "json")
	if c.SLO != "" {
		slo, err := parseSLO(c.SLO)
		f.check(err != nil, "--slo: %v", err)
		j.settings.SLO = slo
	}
	f.check(strings.ContainsAny(c.Name, "/\x00"), "--name %q: a name, not a path", c.Name)
	if entries, err := os.ReadDir(c.Out); c.Out != "" && err == nil && len(entries) > 0 {
		f.add("--out %s is not empty; name a new directory, results are never overwritten", c.Out)
	}
}

func processors(p supervisor.Plan) int {
	n := 0
	for _, c := range p.Children {
		n += c.Procs
	}
	return n
}

func cpusOf(p supervisor.Plan) [][]int {
	var cpus [][]int
	for _, c := range p.Children {
		cpus = append(cpus, c.CPUs)
	}
	return cpus
}

// drive runs the load and leaves records and manifest in dir.
func (c *runCmd) drive(env env, interrupts <-chan os.Signal, j job, dir string) error {
	var live func(supervisor.Live)
	if !c.Quiet {
		live = newProgress(env.stderr).show
	}
	s, err := supervisor.Open(supervisor.Config{
		Dir: dir, Manifest: c.manifest(j), APIKey: j.apiKey, Headers: j.headers,
		Children: j.plan.Children, Interrupt: interrupts, Live: live,
	})
	if err != nil {
		return err
	}
	stepErr := s.Step(0, j.settings.Load)
	m, err := s.Close()
	if err := errors.Join(stepErr, err); err != nil {
		fmt.Fprintf(env.stderr, "tare: %v\n", err) // what is on file is still worth a report
	}
	return writeManifest(dir, m)
}

func (c *runCmd) manifest(j job) ipc.Manifest {
	return ipc.Manifest{
		Version: version(), Protocol: ipc.Protocol, Name: c.Name, Started: time.Now().UTC(),
		Command: maskedArgs(os.Args), Settings: j.settings, Host: j.host, Notes: notes(j),
	}
}

// notes are what a reader of the results must know.
func notes(j job) []string {
	n := []string{"HTTP/1.1 with keep-alive, one stream a connection, by choice"}
	if j.settings.Target.Insecure {
		n = append(n, "the server's certificate was not checked (--insecure)")
	}
	if t := j.settings.Shape.ServiceTime; t != "" {
		n = append(n, fmt.Sprintf("EMULATION of a slow client: %s (%s) is added to each output event", t, j.settings.Shape.ServiceMode))
	}
	if j.settings.Target.ExtraBody != "" {
		n = append(n, "requests hold the members of --extra-body")
	}
	return append(n, j.plan.Shared...)
}

// maskedArgs hides what --api-key and secret headers held.
func maskedArgs(args []string) []string {
	masked := append([]string(nil), args...)
	for i, a := range masked {
		name, value, joined := strings.Cut(a, "=")
		switch {
		case name == "--api-key" && joined:
			masked[i] = "--api-key=***"
		case a == "--api-key" && i+1 < len(masked):
			masked[i+1] = "***"
		case name == "--header" && joined:
			h, v, _ := strings.Cut(value, "=")
			masked[i] = "--header=" + h + "=" + mask(h, v)
		case a == "--header" && i+1 < len(masked):
			h, v, _ := strings.Cut(masked[i+1], "=")
			masked[i+1] = h + "=" + mask(h, v)
		}
	}
	return masked
}

// conclude makes the report from what is on file and picks the exit code.
func (c *runCmd) conclude(env env, dir string) error {
	s, err := analysis.Summarize(dir)
	if err != nil {
		return fmt.Errorf("analyze %s: %w", dir, err)
	}
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	if m.End != nil {
		m.End.Ledger = s.Load.Ledger
	}
	if err := errors.Join(writeManifest(dir, m), writeSummary(dir, s)); err != nil {
		return err
	}
	if err := show(env, c.Format, dir, s); err != nil {
		return err
	}
	return verdictExit(m, s, c.Strict)
}

// show prints a summary.
func show(env env, format, dir string, s analysis.Summary) error {
	if format == "json" {
		return report.JSON(env.stdout, s)
	}
	if err := report.Table(env.stdout, s); err != nil {
		return err
	}
	_, err := fmt.Fprintf(env.stdout, "\nresults: %s\n", dir)
	return err
}

// verdictExit maps how a run ended to an exit code.
func verdictExit(m ipc.Manifest, s analysis.Summary, strict bool) error {
	status := "partial"
	if m.End != nil {
		status = m.End.Status
	}
	switch {
	case status == "interrupted":
		return exit{code: exitInterrupted}
	case status == "partial" || s.Load.Lost > 0:
		return exit{exitPartial, fmt.Sprintf("partial: %d of %d requests were lost with their worker", s.Load.Lost, s.Load.Planned)}
	case s.Load.OK == 0:
		return exit{exitPartial, "no request succeeded"}
	case strict && s.Verdict.Status != "valid":
		return exit{exitNotValid, "the measurement is " + string(s.Verdict.Status)}
	}
	return nil
}
