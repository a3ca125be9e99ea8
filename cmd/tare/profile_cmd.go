package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"tare/analysis/profile"
	"tare/analysis/report"
	"tare/analysis/verdict"
	"tare/ipc"
)

// profileCmd is tare profile.
type profileCmd struct {
	profileFlags
	driveFlags
}

// Help is shown below the flags.
func (profileCmd) Help() string {
	return `Examples:
  tare profile --url http://127.0.0.1:8000 --from 10 --to 2000
      search for the capacity: double until the server saturates, then close in from both sides
  tare profile --url http://127.0.0.1:8000 --from 10 --to 200 --scale geometric --steps 12 --slo mlperf:llama2-70b-interactive
      a ladder of steps, and the highest rate that keeps the limits
  tare profile --sim-slots 8 --sim-ttft 100ms --output-tokens 1 --arrival constant --from 30 --to 240 --step-duration 4s
      a server of exactly 80 requests/s

Ctrl-C keeps the steps that have ended. tare analyze DIR makes the report again. Exit codes are those of tare run.`
}

func (c *profileCmd) run(ctx context.Context, env env) error {
	j, err := c.check(env)
	if err != nil {
		return err
	}
	dir, err := newRunDir(c.Out, c.Name, time.Now())
	if err != nil {
		return err
	}
	err = c.launch(ctx, env, j, dir, func(interrupts <-chan os.Signal, j job) error {
		return c.drive(env, interrupts, j, dir)
	})
	if err != nil {
		return errors.Join(err, removeUnused(dir))
	}
	return c.conclude(env, dir)
}

// check reads every flag and returns all that is wrong at once, before
// anything has been started.
func (c *profileCmd) check(env env) (job, error) {
	var f faults
	var p *ipc.Profile
	j, err := c.driveFlags.check(&f, env, func(s *ipc.Settings) {
		p, s.Load = c.profileFlags.settings(&f, c.URL == "")
		s.Profile = p
	})
	return j, cmp.Or(err, errors.Join(f...))
}

// conclude makes the report from what is on file and picks the exit code.
func (c *profileCmd) conclude(env env, dir string) error {
	r, err := profile.Read(dir)
	if err != nil {
		return fmt.Errorf("analyze %s: %w", dir, err)
	}
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	if m.End != nil {
		m.End.Ledger = totalLedger(r.Steps)
	}
	if err := errors.Join(writeManifest(dir, m), writeProfile(dir, r)); err != nil {
		return err
	}
	if err := showProfile(env, c.Format, dir, r); err != nil {
		return err
	}
	return profileExit(m, r, c.Strict)
}

// totalLedger sums the ledgers of all steps.
func totalLedger(steps []profile.Step) ipc.Ledger {
	var total ipc.Ledger
	for i := range steps {
		l := steps[i].Summary.Load.Ledger
		total.Planned += l.Planned
		total.Sent += l.Sent
		total.OK += l.OK
		total.Failed += l.Failed
		total.Dropped += l.Dropped
		total.Lost += l.Lost
	}
	return total
}

// curveFileName is the file with the figures of each step, for plots.
const curveFileName = "profile.csv"

// writeProfile writes what --format json prints, and the curve. A reader never
// sees half of a file.
func writeProfile(dir string, r profile.Result) error {
	write := func(name string, write func(f *os.File) error) error {
		path := filepath.Join(dir, name)
		f, err := os.Create(path + ".part")
		if err != nil {
			return fmt.Errorf("write profile: %w", err)
		}
		if err := errors.Join(write(f), f.Close()); err != nil {
			return err
		}
		return os.Rename(path+".part", path)
	}
	return errors.Join(
		write(profile.FileName, func(f *os.File) error { return report.JSON(f, r) }),
		write(curveFileName, func(f *os.File) error { return report.ProfileCSV(f, r) }),
	)
}

// showProfile prints a profile.
func showProfile(env env, format, dir string, r profile.Result) error {
	return showResult(env, format, dir, r, func(w io.Writer) error { return report.Profile(w, r) })
}

// profileExit maps how a profile ended to an exit code.
func profileExit(m ipc.Manifest, r profile.Result, strict bool) error {
	ledger := totalLedger(r.Steps)
	if err := endExit(m, ledger); err != nil {
		return err
	}
	switch {
	case ledger.OK == 0:
		return exit{exitPartial, "no request succeeded"}
	case strict:
		return strictExit(r)
	}
	return nil
}

// strictExit refuses a profile that rests on a step which was not valid.
func strictExit(r profile.Result) error {
	if r.Capacity.LimitedBy == profile.ByClient {
		return exit{exitNotValid, "the client was the limit"}
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Summary.Verdict.Status != verdict.Valid && !s.Saturated {
			return exit{exitNotValid, fmt.Sprintf("step %d is %s", s.Number, s.Summary.Verdict.Status)}
		}
	}
	return nil
}
