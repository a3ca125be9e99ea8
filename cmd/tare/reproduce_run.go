package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tare/analysis"
	"tare/analysis/experiment"
	"tare/ipc"
	"tare/supervisor"
)

// reproduction runs experiments, one cell after the other.
type reproduction struct {
	dir    string
	size   string
	host   ipc.Host
	target experiment.Flags // of a server of the user's; nil: the simulator
	env    env
	quiet  bool
}

// experiments runs the named ones and tells of each when it is done. An
// interrupted one is told of, too, with the cells that it has; those after it
// are not begun.
func (r *reproduction) experiments(names []string, tell func(reproduced) error) (done []reproduced, err error) {
	interrupts, release := r.env.signals()
	defer release()
	for _, name := range names {
		one, err := r.experiment(name, interrupts)
		if err != nil {
			return done, err
		}
		done = append(done, one.reproduced)
		if err := tell(one.reproduced); err != nil {
			return done, err
		}
		if one.interrupted {
			return done, exit{exitInterrupted, "interrupted; the cells that were done are kept and judged"}
		}
	}
	return done, nil
}

// attempt is an experiment that was run as far as it was let.
type attempt struct {
	reproduced
	interrupted bool
}

// experiment runs the cells of one and judges it. Its directory gets the
// experiment as data, the command lines and the result.
func (r *reproduction) experiment(name string, interrupts <-chan os.Signal) (attempt, error) {
	e, text, err := readExperiment(name)
	if err != nil {
		return attempt{}, err
	}
	dir := filepath.Join(r.dir, e.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return attempt{}, fmt.Errorf("directory of the experiment: %w", err)
	}
	cells := r.cellsOf(e)
	a := attempt{reproduced: reproduced{Size: r.size, Server: r.target["url"], Host: r.host, source: e}}
	for _, c := range cells {
		a.commands = append(a.commands, c.Command(filepath.Base(os.Args[0]), r.place(c.Name())))
	}
	if err := writeInputs(dir, text, a.commands); err != nil {
		return attempt{}, err
	}
	outcomes, interrupted := r.cells(e.Name, dir, cells, interrupts)
	a.interrupted = interrupted
	for _, o := range outcomes {
		if o.Document == nil {
			a.Broken++
		}
	}
	a.Result = e.Judge(r.size, outcomes, len(r.host.AllowedCPUs))
	return a, a.write(dir)
}

// cellsOf are the cells to run, against the server that is meant.
func (r *reproduction) cellsOf(e *experiment.Experiment) []experiment.Cell {
	cells := possible(e.Cells(r.size), r.host.AllowedCPUs)
	if r.target != nil {
		for i := range cells {
			cells[i] = cells[i].On(r.target)
		}
	}
	return cells
}

// writeInputs keeps what is needed to run the experiment again.
func writeInputs(dir string, experiment []byte, commands []string) error {
	if err := os.WriteFile(filepath.Join(dir, "experiment.yaml"), experiment, 0o644); err != nil {
		return fmt.Errorf("keep the experiment: %w", err)
	}
	script := "#!/bin/sh\n# Run in a new directory; each line is one cell.\n" + strings.Join(commands, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "commands.sh"), []byte(script), 0o755); err != nil {
		return fmt.Errorf("keep the command lines: %w", err)
	}
	return nil
}

// possible are the cells for which this host has enough CPUs, and the programs
// of others that they run.
func possible(cells []experiment.Cell, allowed []int) []experiment.Cell {
	missing := func(program string) bool {
		_, err := exec.LookPath(program)
		return err != nil
	}
	return slices.DeleteFunc(cells, func(c experiment.Cell) bool {
		return c.CPUs > len(allowed) || slices.ContainsFunc(c.Needs, missing)
	})
}

// cells runs cells until an interrupt. The outcomes are those of cells that
// came to their end.
func (r *reproduction) cells(name, dir string, cells []experiment.Cell, interrupts <-chan os.Signal) (outcomes []experiment.Outcome, interrupted bool) {
	for i, c := range cells {
		if !r.quiet {
			fmt.Fprintf(r.env.stderr, "%s %d/%d: %s, repeat %d; about %.0f min left\n", name, i+1, len(cells), c.Group(), c.Repeat, length(cells[i:]).Minutes())
		}
		o, ok := r.cell(filepath.Join(dir, c.Name()), c, interrupts)
		if !ok {
			return outcomes, true
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, false
}

// cell runs one cell as a process of this program; false if the user ended it.
func (r *reproduction) cell(dir string, c experiment.Cell, interrupts <-chan os.Signal) (o experiment.Outcome, ended bool) {
	o.Cell = c
	document, ended, err := r.runCell(dir, c, interrupts)
	if err != nil {
		o.Problem = err.Error()
		return o, ended
	}
	o.Document = document
	return o, ended
}

func (r *reproduction) runCell(dir string, c experiment.Cell, interrupts <-chan os.Signal) (document map[string]any, ended bool, err error) {
	said, err := os.Create(dir + ".stderr")
	if err != nil {
		return nil, true, err
	}
	defer removeEmpty(said.Name())
	defer said.Close()
	meter, err := startHostMeter(r.host.AllowedCPUs)
	if err != nil {
		return nil, true, err
	}
	p, err := supervisor.Spawn(supervisor.Command{
		Args: c.Words(r.place(dir), "--format=json", "--quiet"),
		CPUs: r.host.AllowedCPUs, Stderr: said, Env: r.secrets(),
	})
	if err != nil {
		return nil, true, err
	}
	if !awaitCell(p, interrupts) {
		return nil, false, nil
	}
	quiet, err := meter.stop()
	if err != nil {
		return nil, true, err
	}
	if code, exited := p.Code(); !exited || code != exitOK && !slices.Contains(c.Exit, code) {
		words, _ := os.ReadFile(said.Name()) // only to explain
		return nil, true, errors.New(strings.TrimSpace(p.Exit() + ": " + string(words)))
	}
	document, err = readCell(dir, c)
	if err == nil {
		document[experiment.HostMember] = plain(quiet)
	}
	return document, true, err
}

// secrets hand on the key of the user's server, which children do not inherit.
func (r *reproduction) secrets() []string {
	if r.target == nil {
		return nil
	}
	if key := r.env.getenv(keyVariable); key != "" {
		return []string{keyVariable + "=" + key}
	}
	return nil
}

const keyVariable = "OPENAI_API_KEY"

// place is where a cell runs: the last CPU is that of a worker by default.
func (r *reproduction) place(dir string) experiment.Place {
	return experiment.Place{Dir: dir, CPU: slices.Max(r.host.AllowedCPUs)}
}

// awaitCell waits for a cell to end; false if the user ended it. A cell that is
// half run is of no use and gets little time: SIGINT makes it drain, SIGTERM,
// its second signal, leave at once.
func awaitCell(p *supervisor.Process, interrupts <-chan os.Signal) bool {
	select {
	case <-p.Done():
		return true
	case <-interrupts:
		p.Signal(os.Interrupt)
		p.End(cellGrace, cellGrace)
		return false
	}
}

// cellGrace is how long an interrupted cell has before and after SIGTERM.
const cellGrace = 2 * time.Second

// readCell reads what a cell left: its result and, as further members of it,
// what its processes cost and what the simulator saw.
func readCell(dir string, c experiment.Cell) (map[string]any, error) {
	b, err := os.ReadFile(filepath.Join(dir, c.ResultFile()))
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(b, &document); err != nil {
		return nil, fmt.Errorf("read %s: %w", c.ResultFile(), err)
	}
	if c.Verb == experiment.VerbAudit {
		return document, nil // it measures no client of ours
	}
	account, err := experiment.ReadAccount(dir)
	if err != nil {
		return nil, err
	}
	document["account"] = plain(account)
	return document, addTruth(document, dir, account, b)
}

// addTruth adds what the simulator saw, if the cell has its log. The window is
// that of a run's summary.
func addTruth(document map[string]any, dir string, account experiment.Account, summary []byte) error {
	log, err := os.Open(filepath.Join(dir, truthFileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer log.Close()
	var s struct{ Load analysis.Traffic }
	if err := json.Unmarshal(summary, &s); err != nil {
		return fmt.Errorf("window of the run: %w", err)
	}
	truth, err := experiment.ReadTruth(bufio.NewReader(log), account, s.Load.Window.From, s.Load.Window.To)
	document["truth"] = plain(truth)
	return err
}

// truthFileName is what a cell calls the simulator's log by {dir}/truth.jsonl.
const truthFileName = "truth.jsonl"

// plain is v as decoded JSON.
func plain(v any) (decoded any) {
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &decoded)
	}
	if err != nil {
		panic(err) // numbers only
	}
	return decoded
}
