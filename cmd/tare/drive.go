package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"tare/analysis"
	"tare/ipc"
	"tare/supervisor"
)

// driveFlags are what every verb takes that drives a server.
type driveFlags struct {
	targetFlags
	shapeFlags
	shardingFlags
	outputFlags
	Sim simFlags `embed:"" prefix:"sim-" group:"simulator, without --url"`
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

// check reads the flags; load reads those that say how much load there is, into
// the settings. All that is wrong goes to f, before anything has been started.
func (c *driveFlags) check(f *faults, env env, load func(*ipc.Settings)) (job, error) {
	var j job
	allowed, err := supervisor.Allowed()
	if err != nil {
		return j, err
	}
	j.allowed = allowed
	j.settings.Target, j.headers = c.targetFlags.settings(f)
	load(&j.settings)
	j.settings.Shape = c.shapeFlags.settings(f)
	j.settings.SaveText = c.SaveText
	j.plan = c.shardingFlags.plan(f, allowed)
	j.settings.Sharding = ipc.Sharding{Mode: c.Sharding, Workers: processors(j.plan), CPUs: cpusOf(j.plan)}
	c.checkOutput(f, &j)
	if c.URL == "" {
		c.Sim.config(f, "sim-")
	}
	j.apiKey = cmp.Or(c.APIKey, env.getenv("OPENAI_API_KEY"))
	j.host = supervisor.HostInfo(allowed)
	checkLimits(f, j)
	return j, nil
}

func (c *driveFlags) checkOutput(f *faults, j *job) {
	f.choice("format", c.Format, "table", "json")
	if c.SLO != "" {
		slo, err := parseSLO(c.SLO)
		f.check(err != nil, "--slo: %v", err)
		j.settings.SLO = slo
	}
	f.check(strings.ContainsAny(c.Name, "/\x00"), "--name %q: a name, not a path", c.Name)
	f.out(c.Out)
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

// launch starts what driving a server needs, lets drive drive it, and ends all
// that it has started.
func (c *driveFlags) launch(ctx context.Context, env env, j job, dir string, drive func(interrupts <-chan os.Signal, j job) error) error {
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
	return drive(interrupts, j)
}

// manifest says what is about to run.
func (c *driveFlags) manifest(j job) ipc.Manifest {
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
