package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"tare/analysis"
	"tare/analysis/report"
	"tare/ipc"
	"tare/supervisor"
)

// runCmd is tare run.
type runCmd struct {
	loadFlags
	untilFlags
	driveFlags
	witnessFlags
}

// Help is shown below the flags.
func (runCmd) Help() string {
	return `Examples:
  tare run
      1,000 requests/s for 10 s against the bundled simulator
  tare run --url http://127.0.0.1:8000 --rate 50 --duration 60s --output-tokens 128 --slo ttft=200ms,tpot=50ms
      an open loop against a real server
  tare run --url http://127.0.0.1:8000 --concurrency 64 --requests 2000 --format json | jq .latency.ttft.wire
  tare run --url http://127.0.0.1:8000 --rate 50 --until 'ttft.p99±5%' --max-duration 30m
      until the p99 of TTFT is known to 5 % at 95 % confidence

DIST is a law by mean and squared coefficient of variation: 128, 200us, uniform(64,256), normal(MEAN,SD),
exp(MEAN), gamma(MEAN,SCV), lognormal(MEAN,SCV), hyperexp(MEAN,SCV), file:PATH.
Exit code: 0 fine, 1 wrong usage, 2 partial or nothing succeeded, 3 not valid with --strict, 130 interrupted.`
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
	err = c.launch(ctx, env, j, dir, func(interrupts <-chan os.Signal, j job) error {
		return c.load(ctx, env, interrupts, j, dir)
	})
	if err != nil {
		return errors.Join(err, removeUnused(dir))
	}
	return c.conclude(env, dir)
}

// check reads every flag and returns all that is wrong at once, before
// anything has been started.
func (c *runCmd) check(env env) (job, error) {
	var f faults
	j, err := c.driveFlags.check(&f, env, func(s *ipc.Settings) {
		s.Load = c.loadFlags.settings(&f, c.URL == "")
		c.untilFlags.settings(&f, c.loadFlags, &s.Load)
	})
	if err != nil {
		return j, err
	}
	j.baseline = c.witnessFlags.check(&f)
	return j, errors.Join(f...)
}

// load drives the load, with the server's own figures before and after it.
func (c *runCmd) load(ctx context.Context, env env, interrupts <-chan os.Signal, j job, dir string) error {
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

// drive runs the load and leaves records and manifest in dir.
func (c *runCmd) drive(env env, interrupts <-chan os.Signal, j job, dir string) error {
	cfg := supervisor.Config{
		Dir: dir, Manifest: c.manifest(j), APIKey: j.apiKey, Headers: j.headers,
		Children: j.plan.Children, Interrupt: interrupts,
	}
	if !c.Quiet {
		cfg.Live = newProgress(env.stderr).show
	}
	s, err := c.open(cfg)
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

// open opens a session, which with --until halts itself once the goal is
// reached.
func (c *runCmd) open(cfg supervisor.Config) (*supervisor.Session, error) {
	g, err := newGauge(cfg.Manifest.Settings)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return supervisor.Open(cfg)
	}
	var s *supervisor.Session
	show := cfg.Live
	cfg.Record = g.record
	cfg.Live = func(l supervisor.Live) {
		if show != nil {
			show(l)
		}
		if g.enough() {
			s.Halt()
		}
	}
	s, err = supervisor.Open(cfg)
	return s, err
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
	return showResult(env, format, dir, s, func(w io.Writer) error { return report.Table(w, s) })
}

// showResult prints a result as JSON, or as table writes it and where it lies.
func showResult(env env, format, dir string, result any, table func(io.Writer) error) error {
	if format == "json" {
		return report.JSON(env.stdout, result)
	}
	if err := table(env.stdout); err != nil {
		return err
	}
	_, err := fmt.Fprintf(env.stdout, "\nresults: %s\n", dir)
	return err
}

// verdictExit maps how a run ended to an exit code.
func verdictExit(m ipc.Manifest, s analysis.Summary, strict bool) error {
	if err := endExit(m, s.Load.Ledger); err != nil {
		return err
	}
	switch {
	case s.Load.OK == 0:
		return exit{exitPartial, "no request succeeded"}
	case strict && s.Verdict.Status != "valid":
		return exit{exitNotValid, "the measurement is " + string(s.Verdict.Status)}
	}
	return nil
}

// endExit is the exit code of a session that did not come to its own end, or
// lost something on the way; nil for any other.
func endExit(m ipc.Manifest, l ipc.Ledger) error {
	switch {
	case m.End != nil && m.End.Status == "interrupted":
		return exit{code: exitInterrupted}
	case m.End == nil || m.End.Status == "partial" || l.Lost > 0:
		return exit{exitPartial, fmt.Sprintf("partial: %d of %d requests were lost with their worker", l.Lost, l.Planned)}
	}
	return nil
}
