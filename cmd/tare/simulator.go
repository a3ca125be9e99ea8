package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"tare/supervisor"
)

// simulator is the server that a run without --url starts for itself.
type simulator struct {
	process *supervisor.Process
	stderr  string // path
	url     string
}

// simModel is the model that the simulator lists.
const simModel = "sim"

const (
	simStart = 10 * time.Second // to print its URL
	simGrace = 3 * time.Second  // to flush its log after SIGTERM
)

// startSimulator runs tare sim on CPUs of its own.
func startSimulator(flags simFlags, cpus []int, dir string) (*simulator, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start simulator: %w", err)
	}
	defer out.Close()
	stderr, err := os.Create(filepath.Join(dir, "sim.stderr"))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start simulator: %w", err), in.Close())
	}
	defer stderr.Close()
	p, err := supervisor.Spawn(supervisor.Command{
		Args: append([]string{"sim"}, flags.args()...), CPUs: cpus, Stdout: in, Stderr: stderr,
		Env: []string{fmt.Sprintf("GOMAXPROCS=%d", len(cpus))},
	})
	if cerr := in.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	s := &simulator{process: p, stderr: stderr.Name()}
	if s.url, err = firstLine(out); err != nil {
		s.stop()
		said, _ := os.ReadFile(s.stderr)
		_ = os.Remove(s.stderr) // its words go on
		return nil, fmt.Errorf("the simulator did not start: %s", strings.TrimSpace(string(said)))
	}
	return s, nil
}

func firstLine(f *os.File) (string, error) {
	if err := f.SetReadDeadline(time.Now().Add(simStart)); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(f).ReadString('\n')
	return strings.TrimSpace(line), err
}

// stop ends the simulator and waits; its truth log is whole afterwards.
func (s *simulator) stop() {
	s.process.Signal(syscall.SIGTERM)
	s.process.End(simGrace, 0)
	removeEmpty(s.stderr)
}
