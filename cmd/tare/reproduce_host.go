package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A hostMeter tells what else went on on our CPUs while a cell ran: what the
// kernel booked on them, less the time of our children.
type hostMeter struct {
	allowed []int
	begin   time.Time
	cpu     cpuTime
	ours    time.Duration
}

// cpuTime is what was spent on some CPUs since boot.
type cpuTime struct {
	busy   time.Duration // by anybody in this system
	stolen time.Duration // by the hypervisor
}

// startHostMeter begins a measurement.
func startHostMeter(allowed []int) (m hostMeter, err error) {
	m = hostMeter{allowed: allowed, begin: time.Now()}
	m.cpu, m.ours, err = m.read()
	return m, err
}

func (m hostMeter) read() (cpuTime, time.Duration, error) {
	f, err := os.Open("/proc/stat")
	if err != nil {
		return cpuTime{}, 0, err
	}
	defer f.Close()
	cpu, err := readCPUTime(f, m.allowed)
	if err != nil {
		return cpu, 0, err
	}
	var r unix.Rusage
	err = unix.Getrusage(unix.RUSAGE_CHILDREN, &r)
	return cpu, time.Duration(r.Utime.Nano() + r.Stime.Nano()), err
}

// quietness is the rest of the host during a cell, in CPUs' worth of time.
type quietness struct {
	Others float64 `json:"others_cpus"` // used by other programs and the kernel
	Stolen float64 `json:"stolen_cpus"` // taken by the hypervisor
}

// stop ends the measurement. The cell's processes must have been waited for.
func (m hostMeter) stop() (q quietness, err error) {
	cpu, ours, err := m.read()
	if err != nil {
		return q, fmt.Errorf("read how busy the host was: %w", err)
	}
	elapsed := time.Since(m.begin).Seconds()
	others := cpu.busy - m.cpu.busy - (ours - m.ours)
	return quietness{
		Others: max(0, others.Seconds()/elapsed),
		Stolen: (cpu.stolen - m.cpu.stolen).Seconds() / elapsed,
	}, nil
}

// tick is the unit of /proc/stat, USER_HZ.
const tick = 10 * time.Millisecond

// The columns of a CPU's line in /proc/stat; see proc_stat(5).
const (
	statUser = iota + 1
	statNice
	statSystem
	statIdle
	statWait
	statIRQ
	statSoftIRQ
	statSteal
)

// readCPUTime adds up the lines of some CPUs.
func readCPUTime(stat io.Reader, cpus []int) (t cpuTime, err error) {
	text, err := io.ReadAll(stat)
	if err != nil {
		return t, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		name, isCPU := strings.CutPrefix(fields[0], "cpu")
		n, err := strconv.Atoi(name)
		if !isCPU || err != nil || !slices.Contains(cpus, n) || len(fields) <= statSteal {
			continue // the sum over all CPUs, among others
		}
		for i := statUser; i <= statSteal; i++ {
			ticks, err := strconv.ParseInt(fields[i], 10, 64)
			if err != nil {
				return t, fmt.Errorf("/proc/stat: %w", err)
			}
			switch i {
			case statSteal:
				t.stolen += time.Duration(ticks) * tick
			case statIdle, statWait:
			default:
				t.busy += time.Duration(ticks) * tick
			}
		}
	}
	return t, nil
}
