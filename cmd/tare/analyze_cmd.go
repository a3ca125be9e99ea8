package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"tare/analysis"
	"tare/analysis/report"
)

// analyzeCmd is tare analyze.
type analyzeCmd struct {
	Dir        string `arg:"" help:"Run directory." placeholder:"DIR"`
	Format     string `help:"table or json." default:"table"`
	PerRequest bool   `help:"Print every request, one JSON object a line."`
}

// Help is shown below the flags.
func (analyzeCmd) Help() string {
	return `Only records.mpk is read, which also a run that was cut off leaves behind.

Examples:
  tare analyze runs/2026-05-26T120000Z-run
  tare analyze DIR --per-request | jq -r 'select(.ok|not) | [.error_class,.error] | @tsv'`
}

func (c *analyzeCmd) run(_ context.Context, env env) error {
	var f faults
	f.choice("format", c.Format, "table", "json")
	if len(f) > 0 {
		return errors.Join(f...)
	}
	if c.PerRequest {
		out := bufio.NewWriter(env.stdout)
		return errors.Join(report.PerRequest(out, c.Dir), out.Flush())
	}
	s, err := analysis.Summarize(c.Dir)
	if err != nil {
		return fmt.Errorf("analyze %s: %w", c.Dir, err)
	}
	return show(env, c.Format, c.Dir, s)
}
