package main

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"tare/ipc/clock"
)

// One thread of a grandchild spins: the meter finds its time, in the total
// and as the busiest.
func TestThreadMeter(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sh -c 'while :; do :; done' & wait")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	m := threadMeter{root: cmd.Process.Pid}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { m.run(stop); close(stopped) }()
	from := clock.Now()
	time.Sleep(1200 * time.Millisecond)
	to := clock.Now()
	close(stop)
	<-stopped
	for _, pid := range slices.Backward(family(cmd.Process.Pid)) {
		p, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		_ = p.Kill() // it may have gone with its parent
	}
	_ = cmd.Wait() // killed

	u, ok := m.between(from, to)
	switch {
	case !ok || u.over < 500*time.Millisecond || u.over > 5*time.Second:
		t.Errorf("over %v, %v; want about a second", u.over, ok)
	case u.busiest < u.over/10 || u.busiest > u.over*3/2: // other work may hold it up
		t.Errorf("the busiest thread took %v of %v; it spins", u.busiest, u.over)
	case u.total < u.busiest:
		t.Errorf("all threads took %v, the busiest of them %v", u.total, u.busiest)
	}
	if _, ok := (&threadMeter{}).between(from, to); ok {
		t.Error("a meter that never looked tells something")
	}
}

// The two ways to read a thread's time agree to some ticks.
func TestThreadTime(t *testing.T) {
	for begin := time.Now(); time.Since(begin) < 50*time.Millisecond; { // something to read
	}
	for task := range spentBy([]int{os.Getpid()}) {
		exact, err := threadTime("/proc/self/task/" + strconv.Itoa(task))
		if err != nil {
			continue // the thread has ended
		}
		ticks, err := threadTicks("/proc/self/task/" + strconv.Itoa(task))
		if err == nil && (exact-ticks).Abs() > 5*tick+exact/5 {
			t.Errorf("thread %d: %v by schedstat, %v by ticks", task, exact, ticks)
		}
	}
	if _, err := threadTicks("/proc/self/task/0"); err == nil {
		t.Error("a thread that is not there has a time")
	}
}
