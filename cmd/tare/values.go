package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tare/analysis/arrival"
)

// later is a flag value that is read when the settings are checked, so that
// every wrong one is told at once and not only the first.
type later[T any] struct {
	text string
	set  bool
}

// UnmarshalText keeps the text.
func (l *later[T]) UnmarshalText(text []byte) error {
	l.text, l.set = string(text), true
	return nil
}

// faults gathers what is wrong with a command line.
type faults []error

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Errorf(format, args...)) }

// check adds a fault where bad holds.
func (f *faults) check(bad bool, format string, args ...any) {
	if bad {
		f.add(format, args...)
	}
}

// read reads a value; flag is its name.
func read[T any](f *faults, flag string, l later[T], parse func(string) (T, error)) T {
	var zero T
	if !l.set {
		return zero
	}
	v, err := parse(l.text)
	if err != nil {
		f.add("--%s: %v", flag, err)
		return zero
	}
	return v
}

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is no duration; write it like 500ms, 30s or 5m", s)
	}
	return d, nil
}

func parseCount(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no whole number from 1 on", s)
	}
	return n, nil
}

func parseSeed(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no whole number from 0 on", s)
	}
	return n, nil
}

func parseBurstiness(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= arrival.MinBurstiness && x <= arrival.MaxBurstiness) {
		return 0, fmt.Errorf("%q is no number from %v to %v", s, arrival.MinBurstiness, arrival.MaxBurstiness)
	}
	return x, nil
}

// parseCPUs reads a list like 0,2-5.
func parseCPUs(s string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(s, ",") {
		lo, hi, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			hi = lo
		}
		a, errA := strconv.Atoi(lo)
		b, errB := strconv.Atoi(hi)
		if errA != nil || errB != nil || a < 0 || b < a || b >= maxCPU {
			return nil, fmt.Errorf("%q is no list of CPUs; write it like 0,2-5", s)
		}
		for c := a; c <= b; c++ {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}

// maxCPU is one more than the highest CPU number of a unix.CPUSet.
const maxCPU = 1024
