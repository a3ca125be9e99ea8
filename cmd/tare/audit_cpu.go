package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tare/ipc/clock"
)

// A threadMeter follows the CPU time of every thread of a process and of all
// that come from it.
//
// A thread is looked at twice a second: what it spent after the last look is
// lost, and so is a thread that lives shorter.
type threadMeter struct {
	root  int
	looks []look
}

// look is what all threads had spent at an instant, CLOCK_MONOTONIC ns.
type look struct {
	at    int64
	spent map[int]time.Duration // by thread id
}

// lookInterval is that between two looks.
const lookInterval = 500 * time.Millisecond

// run looks until stop is closed.
func (m *threadMeter) run(stop <-chan struct{}) {
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for {
		m.looks = append(m.looks, look{clock.Now(), spentBy(family(m.root))})
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
	}
}

// cpuUse is what a family of processes spent between two instants.
type cpuUse struct {
	total   time.Duration // of all threads
	busiest time.Duration // of the thread that spent most
	over    time.Duration // between the looks nearest to the two instants
}

// between adds up what was spent from one instant to another, CLOCK_MONOTONIC
// ns. ok is false if there are no two looks to tell.
func (m *threadMeter) between(from, to int64) (u cpuUse, ok bool) {
	if len(m.looks) == 0 {
		return u, false
	}
	a, b := m.nearest(from), m.nearest(to)
	if b.at <= a.at {
		return u, false
	}
	u.over = time.Duration(b.at - a.at)
	for id, end := range b.spent {
		spent := end - a.spent[id]
		u.total += spent
		u.busiest = max(u.busiest, spent)
	}
	return u, true
}

// nearest is the look nearest to an instant.
func (m *threadMeter) nearest(at int64) look {
	best := m.looks[0]
	for _, l := range m.looks {
		if max(l.at-at, at-l.at) < max(best.at-at, at-best.at) {
			best = l
		}
	}
	return best
}

// family is a process and all that descend from it and still live under it.
func family(root int) []int {
	children := map[int][]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(pid); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	all := []int{root}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// parentOf reads a process's parent; false if it has gone.
func parentOf(pid int) (int, bool) {
	fields, err := statFields(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return 0, false
	}
	parent, err := strconv.Atoi(fields[fieldParent])
	return parent, err == nil
}

// spentBy reads the CPU time of all threads of some processes, by thread; one
// that has gone meanwhile is left out.
func spentBy(pids []int) map[int]time.Duration {
	spent := map[int]time.Duration{}
	for _, pid := range pids {
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			continue
		}
		for _, t := range tasks {
			id, _ := strconv.Atoi(t.Name()) // a number, always
			if d, err := threadTime(filepath.Join("/proc", strconv.Itoa(pid), "task", t.Name())); err == nil {
				spent[id] = d
			}
		}
	}
	return spent
}

// threadTime reads a thread's time on a CPU, to the nanosecond from schedstat
// or where the kernel does not keep that, in ticks from stat.
func threadTime(task string) (time.Duration, error) {
	b, err := os.ReadFile(filepath.Join(task, "schedstat"))
	if errors.Is(err, fs.ErrNotExist) {
		return threadTicks(task)
	} else if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(b), " ")
	ns, err := strconv.ParseInt(first, 10, 64)
	return time.Duration(ns), err
}

// Fields of proc_pid_stat(5) after the name, counted from 0.
const (
	fieldParent = 1
	fieldUser   = 11
	fieldSystem = 12
)

// statFields reads the fields of a process or a thread after its name, which
// stands in brackets and may hold anything; at least fieldSystem+1.
func statFields(dir string) ([]string, error) {
	b, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return nil, err
	}
	text := string(b)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) <= fieldSystem {
		return nil, fmt.Errorf("read %s/stat: too short", dir)
	}
	return fields, nil
}

func threadTicks(task string) (sum time.Duration, err error) {
	fields, err := statFields(task)
	if err != nil {
		return 0, err
	}
	for _, f := range []int{fieldUser, fieldSystem} {
		n, err := strconv.ParseInt(fields[f], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read %s/stat: %w", task, err)
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}
