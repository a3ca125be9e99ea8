package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"tare/analysis"
	"tare/analysis/profile"
	"tare/analysis/report"
)

// analyzeCmd is tare analyze.
type analyzeCmd struct {
	Dir        string `arg:"" help:"Run directory." placeholder:"DIR"`
	Format     string `help:"table or json." default:"table"`
	Baseline   string `help:"Directory of an idle run of the same server, in the place of the run's own." placeholder:"DIR"`
	PerRequest bool   `help:"Print every request, one JSON object a line."`
}

// Help is shown below the flags.
func (analyzeCmd) Help() string {
	return `Read are records.mpk, which also a run that was cut off leaves behind, and the baseline and the server's
metrics that may lie beside it.

Examples:
  tare analyze runs/2026-05-26T120000Z-run
  tare analyze DIR --per-request | jq -r 'select(.ok|not) | [.error_class,.error] | @tsv'`
}

func (c *analyzeCmd) run(_ context.Context, env env) error {
	var f faults
	f.choice("format", c.Format, "table", "json")
	baseline := witnessFlags{Baseline: c.Baseline}.check(&f)
	if len(f) > 0 {
		return errors.Join(f...)
	}
	if c.PerRequest {
		out := bufio.NewWriter(env.stdout)
		return errors.Join(report.PerRequest(out, c.Dir), out.Flush())
	}
	switch r, err := profile.Read(c.Dir); {
	case err == nil:
		return showProfile(env, c.Format, c.Dir, r)
	case !errors.Is(err, profile.ErrNoProfile):
		return fmt.Errorf("analyze %s: %w", c.Dir, err)
	}
	s, err := analysis.SummarizeAgainst(c.Dir, baseline)
	if err != nil {
		return fmt.Errorf("analyze %s: %w", c.Dir, err)
	}
	return show(env, c.Format, c.Dir, s)
}
