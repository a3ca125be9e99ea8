package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tare/analysis"
	"tare/supervisor"
)

// calibration measures what events and requests cost a worker of this host: one
// worker against the simulator, on a CPU of its own.
type calibration struct {
	allowed []int
	events  float64 // output events of a request
	input   int64   // tokens of a prompt
	length  time.Duration
}

// A first short run at a rate that any host can bear tells at which rate the
// worker uses some three quarters of its CPU: enough for wake-ups to be few, and
// not so much that a slower moment makes a queue without end.
const (
	firstShare  = 0.2   // of the calibration's length
	firstEvents = 20000 // events and sends a second
	wantedLoad  = 0.75  // of a CPU
	mostEvents  = 200   // of a request; longer answers cost as much an event
	mostStreams = 1000  // in flight
	longestE2E  = time.Second
	leastGap    = 2 * time.Millisecond // between the events of a stream
)

// run calibrates and returns the run directory that the law is in.
func (c calibration) run(env env) (dir string, err error) {
	interrupts, release := env.signals()
	defer release()
	c.events = max(1, math.Round(min(c.events, mostEvents)))
	scratch, err := os.MkdirTemp("", "tare-plan-")
	if err != nil {
		return "", fmt.Errorf("calibration: %w", err)
	}
	defer os.RemoveAll(scratch)
	first, length := filepath.Join(scratch, "run"), time.Duration(firstShare*float64(c.length))
	fmt.Fprintf(env.stderr, "tare: calibration of %v with one worker against the simulator, %.0f events a request\n", c.length, c.events)
	if err := c.drive(first, firstEvents/(1+c.events), length, interrupts); err != nil {
		return "", err
	}
	rate, err := c.rate(first)
	if err != nil {
		return "", err
	}
	if dir, err = newRunDir("", "plan", time.Now()); err != nil {
		return "", err
	}
	fmt.Fprintf(env.stderr, "tare: calibration at %.0f requests/s, kept in %s\n", rate, dir)
	if err := c.drive(dir, rate, c.length-length, interrupts); err != nil {
		return "", errors.Join(err, removeUnused(dir))
	}
	return dir, nil
}

// rate is the rate of the wanted load, by the run in dir. The work of a request
// lies between that of its events when busy, and all CPU time, which at that low
// rate holds many wake-ups: their geometric mean is near enough.
func (c calibration) rate(dir string) (float64, error) {
	s, err := analysis.Summarize(dir)
	if err != nil {
		return 0, fmt.Errorf("calibration: %w", err)
	}
	w := s.Client.Workers[0]
	if w.CPUPerRequest == nil || *w.CPUPerRequest == 0 {
		return 0, errors.New("calibration: the worker did not say what CPU time it took")
	}
	work := *w.CPUPerRequest
	if w.ServiceMean != nil && c.events**w.ServiceMean > 0 {
		work = math.Sqrt(work * min(work, c.events**w.ServiceMean))
	}
	return wantedLoad * 1e6 / work, nil
}

// drive runs a load of the given rate in a process of its own.
func (c calibration) drive(dir string, rate float64, length time.Duration, interrupts <-chan os.Signal) error {
	said, err := os.CreateTemp("", "tare-plan-")
	if err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	defer os.Remove(said.Name())
	defer said.Close()
	p, err := supervisor.Spawn(supervisor.Command{Args: c.args(dir, rate, length), CPUs: c.allowed, Stderr: said})
	if err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	return awaitRun(p, said.Name(), interrupts)
}

// args are those of tare run. So many streams are open that their events come
// independently, and those of one stream so far apart that each is alone in its
// read. A host that cannot keep up drops arrivals, and what is left at the end is
// cancelled.
func (c calibration) args(dir string, rate float64, length time.Duration) []string {
	e2e := min(longestE2E, length/8, time.Duration(mostStreams/rate*float64(time.Second)))
	gap := max(leastGap, e2e/time.Duration(c.events+1))
	law := fmt.Sprintf("uniform(%v,%v)", gap/2, 3*gap/2)
	return []string{
		"run", "--workers=1", "--quiet", "--name=plan", "--out=" + dir,
		fmt.Sprintf("--rate=%.1f", rate), fmt.Sprintf("--duration=%v", length), fmt.Sprintf("--warmup=%v", length/4), "--drain=2s", "--timeout=5s",
		fmt.Sprintf("--max-in-flight=%d", 2*mostStreams),
		fmt.Sprintf("--output-tokens=%.0f", c.events), fmt.Sprintf("--input-tokens=%d", c.input),
		"--sim-ttft=" + law, "--sim-itl=" + law,
	}
}

// awaitRun waits for a run, which an interrupt ends early.
func awaitRun(p *supervisor.Process, stderr string, interrupts <-chan os.Signal) error {
	const grace = 2 * time.Second
	select {
	case <-p.Done():
	case <-interrupts:
		p.End(0, grace)
		return exit{exitInterrupted, "interrupted: the calibration did not come to its end"}
	}
	if p.Exit() != "" {
		words, _ := os.ReadFile(stderr)
		return fmt.Errorf("calibration: %s: %s", p.Exit(), strings.TrimSpace(string(words)))
	}
	return nil
}
