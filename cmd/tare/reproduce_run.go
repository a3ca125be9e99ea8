package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	dir   string
	size  string
	host  ipc.Host
	env   env
	quiet bool
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
	cells := possible(e.Cells(r.size), r.host.AllowedCPUs)
	a := attempt{reproduced: reproduced{Size: r.size, Host: r.host, source: e}}
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

// possible are the cells for which this host has enough CPUs.
func possible(cells []experiment.Cell, allowed []int) []experiment.Cell {
	return slices.DeleteFunc(cells, func(c experiment.Cell) bool { return c.CPUs > len(allowed) })
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
func (r *reproduction) cell(dir string, c experiment.Cell, interrupts <-chan os.Signal) (experiment.Outcome, bool) {
	o := experiment.Outcome{Cell: c}
	said, err := os.Create(dir + ".stderr")
	if err != nil {
		o.Problem = err.Error()
		return o, true
	}
	defer removeEmpty(said.Name())
	defer said.Close()
	meter, err := startHostMeter(r.host.AllowedCPUs)
	if err != nil {
		o.Problem = err.Error()
		return o, true
	}
	p, err := supervisor.Spawn(supervisor.Command{
		Args: append(append([]string{"run"}, c.Args(r.place(dir))...), "--format=json", "--quiet"),
		CPUs: r.host.AllowedCPUs, Stderr: said,
	})
	if err != nil {
		o.Problem = err.Error()
		return o, true
	}
	if !awaitCell(p, interrupts) {
		return o, false
	}
	quiet, err := meter.stop()
	if err == nil {
		o.Document, err = readCell(dir, said.Name(), p.Exit(), c.Exit)
	}
	if err != nil {
		o.Document, o.Problem = nil, err.Error()
		return o, true
	}
	o.Document[experiment.HostMember] = plain(quiet)
	return o, true
}

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

// readCell reads what a cell left: its summary and, as further members of it,
// what its processes cost and what the simulator saw.
func readCell(dir, stderr, status string, accepted []int) (map[string]any, error) {
	isStatus := func(code int) bool { return status == fmt.Sprintf("exit status %d", code) }
	if status != "" && !slices.ContainsFunc(accepted, isStatus) {
		said, _ := os.ReadFile(stderr) // only to explain
		return nil, errors.New(strings.TrimSpace(status + ": " + string(said)))
	}
	b, err := os.ReadFile(filepath.Join(dir, summaryFileName))
	if err != nil {
		return nil, err
	}
	var document map[string]any
	var s struct{ Load analysis.Traffic }
	if err := errors.Join(json.Unmarshal(b, &document), json.Unmarshal(b, &s)); err != nil {
		return nil, fmt.Errorf("read %s: %w", summaryFileName, err)
	}
	account, err := experiment.ReadAccount(dir)
	if err != nil {
		return nil, err
	}
	document["account"] = plain(account)
	log, err := os.Open(filepath.Join(dir, truthFileName))
	if errors.Is(err, fs.ErrNotExist) {
		return document, nil
	} else if err != nil {
		return nil, err
	}
	truth, err := experiment.ReadTruth(bufio.NewReader(log), account, s.Load.Window.From, s.Load.Window.To)
	document["truth"] = plain(truth)
	return document, errors.Join(err, log.Close())
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
