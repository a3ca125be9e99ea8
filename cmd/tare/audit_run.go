package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tare/analysis/audit"
	"tare/analysis/audit/tools"
	"tare/supervisor"
)

// auditRun runs the passes of an audit.
type auditRun struct {
	auditJob
	env         env
	quiet       bool
	interrupts  <-chan os.Signal
	interrupted bool
	recipe      bool
	extra       []string // the command, or what is added to the recipe's
	result      string   // path of the tool's own figures; empty: not known
}

// A pass is one run of the tool against a simulator of its own.
type pass struct {
	log     []audit.Request
	client  audit.Client
	command []string
}

// audit runs the tool, a second time if the flags say so, and judges it.
func (c *auditCmd) audit(ctx context.Context, env env, j auditJob, dir string) (audited, error) {
	interrupts, release := env.signals()
	defer release()
	if err := supervisor.Retreat(j.rest); err != nil {
		return audited{}, err
	}
	r := auditRun{auditJob: j, env: env, quiet: c.Quiet, interrupts: interrupts, extra: c.Command, recipe: c.Recipe != "", result: c.Reported}
	in := audit.Input{Asked: j.asked}
	in.Asked.Server = j.sim.given()
	first, err := r.pass(ctx, dir)
	if err != nil {
		return audited{}, err
	}
	if len(first.log) == 0 {
		return audited{}, exit{exitPartial, fmt.Sprintf("the tool sent no request to the simulator; what it said is in %s", filepath.Join(dir, toolStderr))}
	}
	in.Log, in.Client = first.log, first.client
	if in.Reported, err = r.reported(dir); err != nil {
		fmt.Fprintf(env.stderr, "tare: what the tool said of itself is not known: %v\n", err)
	}
	if c.Light && !r.interrupted {
		second, err := r.lighter(ctx, filepath.Join(dir, "light"))
		if err != nil {
			return audited{}, err
		}
		in.Light, in.LightClient = second.log, second.client
	}
	a := audited{Command: first.command, Host: j.host, interrupted: r.interrupted}
	if j.tool.Name != "" {
		a.Conventions = &j.tool.Conventions
	}
	a.Result, err = audit.Audit(in)
	return a, err
}

// lighter runs the tool against a server that answers with one token at once.
func (r *auditRun) lighter(ctx context.Context, dir string) (pass, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return pass{}, fmt.Errorf("directory of the second pass: %w", err)
	}
	light := *r
	light.sim = simFlags{Seed: r.sim.Seed, MaxTokens: later[int64]{"1", true}}
	p, err := light.pass(ctx, dir)
	r.interrupted = light.interrupted
	return p, err
}

// pass starts a simulator, runs the tool against it and reads the truth.
func (r *auditRun) pass(ctx context.Context, dir string) (p pass, err error) {
	if dir, err = filepath.Abs(dir); err != nil { // the tool may be elsewhere
		return p, err
	}
	sim := r.sim
	sim.Truth = filepath.Join(dir, truthFileName)
	s, err := startSimulator(sim, r.rest, dir)
	if err != nil {
		return p, err
	}
	stop := sync.OnceFunc(s.stop)
	defer stop()
	t, err := r.compose(s.url, dir)
	if err != nil {
		return p, err
	}
	p.command = t.Args
	meter, e, err := r.runTool(ctx, t, dir)
	if err != nil {
		return p, err
	}
	stop() // its log is whole then
	if p.log, err = readTruth(sim.Truth); err != nil {
		return p, err
	}
	p.client = r.client(meter, e, p.log)
	return p, nil
}

// invocation is what to run, with all filled in.
type invocation struct {
	tools.Recipe
	dir string // to run it in; empty: here
}

// compose fills in the command line and writes the files that it names.
func (r *auditRun) compose(base, dir string) (t invocation, err error) {
	params := r.params
	params.Dir, params.URL = dir, base
	extra := r.fillIn(r.extra, params)
	if !r.recipe {
		t.Args = extra
		return t, nil
	}
	t.dir = dir
	if t.Recipe, err = r.tool.Recipe(params); err != nil {
		return t, err
	}
	t.Args = append(t.Args, extra...)
	r.result = cmp.Or(r.result, filepath.Join("{dir}", t.Result))
	return t, writeFiles(dir, t.Files)
}

// fillIn replaces the names in braces.
func (j auditJob) fillIn(args []string, p tools.Params) []string {
	u, err := url.Parse(p.URL)
	if err != nil {
		panic(err) // the simulator's own
	}
	r := strings.NewReplacer(
		"{url}", p.URL, "{host}", u.Hostname(), "{port}", u.Port(), "{model}", p.Model, "{dir}", p.Dir,
		"{rate}", strconv.FormatFloat(p.Rate, 'f', -1, 64), "{requests}", strconv.Itoa(p.Requests),
		"{concurrency}", strconv.Itoa(j.asked.Concurrency), "{duration}", strconv.FormatFloat(j.length.Seconds(), 'f', -1, 64), "{seed}", strconv.FormatInt(p.Seed, 10),
		"{input_tokens}", strconv.Itoa(p.InputTokens), "{output_tokens}", strconv.Itoa(p.OutputTokens),
	)
	filled := make([]string, len(args))
	for i, a := range args {
		filled[i] = r.Replace(a)
	}
	return filled
}

func writeFiles(dir string, files map[string][]byte) error {
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("directory for the tool's files: %w", err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return fmt.Errorf("file for the tool: %w", err)
		}
	}
	return nil
}

// client is what the tool cost from its first request to its last.
func (r *auditRun) client(m *threadMeter, e ending, log []audit.Request) audit.Client {
	c := audit.Client{CPUs: len(r.cpus), Exit: e.exit, TimedOut: e.timedOut}
	if len(log) == 0 {
		return c
	}
	byArrival := func(a, b audit.Request) int { return cmp.Compare(a.Arrival, b.Arrival) }
	from, to := slices.MinFunc(log, byArrival), slices.MaxFunc(log, byArrival)
	if u, ok := m.between(from.Arrival, to.Arrival); ok {
		total, over := u.total.Seconds(), u.over.Seconds()
		busiest := u.busiest.Seconds() / over
		c.CPU, c.Wall, c.Busiest = &total, &over, &busiest
	}
	return c
}

// reported reads what the tool said of itself; nil if it is not known where
// that stands.
func (r *auditRun) reported(dir string) (*audit.Reported, error) {
	if r.result == "" {
		return nil, nil
	}
	path, err := filepath.Abs(strings.ReplaceAll(r.result, "{dir}", dir))
	if err != nil {
		return nil, err
	}
	read := r.tool.Read
	if r.mapped {
		read = r.mapping.Read
	}
	said, err := read(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	return &said, err
}

// readTruth reads the simulator's log.
func readTruth(path string) (log []audit.Request, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("truth log: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return audit.ReadLog(bufio.NewReaderSize(f, 1<<20))
}
