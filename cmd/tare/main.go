package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"tare/supervisor"
	"tare/worker"
)

func main() { os.Exit(tare()) }

// tare runs the program and returns its exit code.
func tare() int {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := worker.Main(context.Background(), version()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return exitUsage
		}
		return exitOK
	}
	env := env{stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, signals: signals}
	return exitCode(run(context.Background(), env, os.Args[1:]), os.Stderr)
}

// env is the world outside the process.
type env struct {
	stdout, stderr io.Writer
	getenv         func(string) string
	signals        func() (interrupts <-chan os.Signal, release func())
}

// signals takes over the signals that ask this process to end, until they are
// released. Two are kept: one to drain, one to end at once.
func signals() (interrupts <-chan os.Signal, release func()) {
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c, func() { signal.Stop(c) }
}

// The exit codes: a contract.
const (
	exitOK          = 0
	exitUsage       = 1   // wrong usage or config
	exitPartial     = 2   // something was lost, or nothing succeeded
	exitNotValid    = 3   // not valid, with --strict
	exitInterrupted = 130 // by the user; results are kept
)

// exit is an error with an exit code of its own. An empty text prints nothing.
type exit struct {
	code int
	text string
}

func (e exit) Error() string { return e.text }

// exitCode prints the error, one line for each of its parts, and maps it.
func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	if text := err.Error(); text != "" {
		for line := range strings.Lines(text) {
			fmt.Fprintf(stderr, "tare: %s\n", strings.TrimRight(line, "\n"))
		}
	}
	var e exit
	switch {
	case errors.As(err, &e):
		return e.code
	case errors.Is(err, supervisor.ErrInterrupted):
		return exitInterrupted
	}
	return exitUsage
}

// version is the module's version, or the revision it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
