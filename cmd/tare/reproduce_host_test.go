package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"tare/supervisor"
)

func TestReadCPUTime(t *testing.T) {
	const stat = `cpu  600 6 300 9000 30 3 3 30 0 0
cpu0 100 1 50 3000 10 1 1 10 0 0
cpu1 200 2 100 3000 10 1 1 10 0 0
cpu2 300 3 150 3000 10 1 1 10 0 0
intr 12345
`
	got, err := readCPUTime(strings.NewReader(stat), []int{0, 2})
	// user + nice + system + irq + softirq: 100+1+50+1+1 and 300+3+150+1+1, in hundredths of a second
	want := cpuTime{busy: 6080 * time.Millisecond, stolen: 200 * time.Millisecond}
	if err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if _, err := readCPUTime(strings.NewReader("cpu0 1 x 3 4 5 6 7 8\n"), []int{0}); err == nil {
		t.Error("x is a number")
	}
}

// What our own children use is no work of others.
func TestHostMeter(t *testing.T) {
	allowed, err := supervisor.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	m, err := startHostMeter(allowed)
	if err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done").Run(); err != nil {
		t.Fatal(err)
	}
	q, err := m.stop()
	if err != nil || q.Others < 0 || q.Others > float64(len(allowed))+0.5 {
		t.Errorf("%+v, %v", q, err)
	}
	if _, ours, err := m.read(); err != nil || ours <= m.ours {
		t.Errorf("the child has used %v, %v", ours-m.ours, err)
	}
}
