package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"tare/analysis/arrival"
	"tare/analysis/capacity"
	"tare/analysis/report"
	"tare/supervisor"
)

// planCmd is tare plan.
type planCmd struct {
	Rate        later[arrival.Rate]  `help:"Requests a second to plan for. Default: the highest that this host can carry." placeholder:"R"`
	Events      later[float64]       `help:"Output events of a request. Default: those of the run, 16 without one." placeholder:"N"`
	MaxWait     later[time.Duration] `help:"Greatest mean wait of an event for its worker. Default: no limit but those of the verdict." placeholder:"D"`
	E2E         later[time.Duration] `help:"Mean time of a request in flight, for connections, files, ports and memory." name:"e2e" placeholder:"D"`
	CPUsPerNode later[int64]         `help:"CPUs of a node; one is left to the supervisor. Default: those of this host." name:"cpus-per-node" placeholder:"N"`
	From        string               `help:"Run directory to take the service law from. Default: measure it here." placeholder:"DIR"`
	Calibration later[time.Duration] `help:"Length of the measurement without --from. Default 10s." placeholder:"D"`
	InputTokens later[int64]         `help:"Tokens of a prompt in it. Default 32." placeholder:"N"`
	Format      string               `help:"table or json." default:"table"`
}

// Help is shown below the flags.
func (planCmd) Help() string {
	return `How many workers and nodes keep the client out of its own figures, from what an event and a
request cost a busy worker. Without --rate: how much this host can carry, and what bounds it.
Waits are those of M/G/1 with exceptional first service, for events that come independently.

Examples:
  tare plan --rate 100000 --events 200 --max-wait 50us --e2e 10s
      measures this host for ten seconds, and plans with nodes like it
  tare plan --from runs/2026-05-26T120000Z-run
      the highest rate of this host, by the law of a run against a real server`
}

// plans is a checked command line.
type plans struct {
	ask         capacity.Ask
	node        capacity.Node
	calibration calibration
}

func (c *planCmd) run(ctx context.Context, env env) error {
	p, err := c.check()
	if err != nil {
		return err
	}
	dir := c.From
	if dir == "" {
		if dir, err = p.calibration.run(env); err != nil {
			return err
		}
	}
	r, err := capacity.Read(dir)
	if err != nil {
		return fmt.Errorf("plan from %s: %w", dir, err)
	}
	law, err := capacity.NewLaw(r)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	p.ask.Events = cmp.Or(p.ask.Events, law.Events)
	wire, err := wireSizes(ctx, r.Manifest.Settings.Target.Endpoint, law.InputTokens)
	if err != nil {
		return err
	}
	plan, err := capacity.New(law, p.ask, p.node, wire)
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return report.JSON(env.stdout, plan)
	}
	return report.Plan(env.stdout, plan)
}

// The least and usual length of a calibration.
const (
	shortCalibration = 2 * time.Second
	calibrationTime  = 10 * time.Second
)

// check reads every flag and returns all that is wrong at once.
func (c *planCmd) check() (p plans, err error) {
	var f faults
	allowed, err := supervisor.Allowed()
	if err != nil {
		return p, err
	}
	f.choice("format", c.Format, "table", "json")
	f.check(c.From != "" && c.Calibration.set, "--from and --calibration exclude each other: a run is measured already")
	f.check(c.From != "" && c.InputTokens.set, "--from and --input-tokens exclude each other: a run has its prompts already")
	p.ask = capacity.Ask{
		Events: read(&f, "events", c.Events, parseEvents), MaxWait: read(&f, "max-wait", c.MaxWait, parseDeadline),
		E2E: read(&f, "e2e", c.E2E, parseDeadline),
	}
	if c.Rate.set {
		p.ask.Rate = read(&f, "rate", c.Rate, arrival.ParseRate).Float64()
	}
	p.node = c.node(&f, allowed)
	p.calibration = calibration{
		allowed: allowed, events: cmp.Or(p.ask.Events, defaultEvents), input: cmp.Or(read(&f, "input-tokens", c.InputTokens, parseCount), 32),
		length: cmp.Or(read(&f, "calibration", c.Calibration, parseDeadline), calibrationTime),
	}
	f.check(p.calibration.length < shortCalibration, "--calibration %v is too short; give %v or more", p.calibration.length, shortCalibration)
	return p, errors.Join(f...)
}

// defaultEvents are the output events of a request in a run without flags.
const defaultEvents = 16

// node is this host, or one like it with other CPUs.
func (c *planCmd) node(f *faults, allowed []int) capacity.Node {
	cpus := len(allowed)
	if c.CPUsPerNode.set {
		cpus = int(min(read(f, "cpus-per-node", c.CPUsPerNode, parseCount), maxCPU))
	}
	h := supervisor.HostInfo(allowed)
	n := capacity.Node{Name: h.Name, CPUs: max(1, cpus-1), Memory: h.MemoryBytes, Files: h.MaxFiles}
	if ports := h.PortRange[1] - h.PortRange[0] + 1; ports > 1 {
		n.Ports = ports
	}
	return n
}

func parseEvents(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is no number above 0", s)
	}
	return x, nil
}
