package report

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tare/analysis/capacity"
	"tare/analysis/internal/golden"
	"tare/analysis/layout"
)

// lawOfPlans is like that of a real host.
func lawOfPlans() capacity.Law {
	return capacity.Law{
		Source: "runs/2026-05-26T120000Z-plan", Host: "bench-1", CPUModel: "some CPU", Measured: time.Date(2026, 5, 26, 12, 0, 0, 0, time.UTC),
		Busy: 437945, Rows: 23, Events: 200, InputTokens: 32, Lambda: 100_000, CPUShare: 0.7, EventsPerRead: 1.01,
		ServiceMean: 6, ServiceSecond: 72, IdleMean: 26, IdleSecond: 1000, Send: 60, CPU: 1260,
		WaitMeasured: 30, WaitPredicted: new(31.5), WaitFactor: 1, StreamBytes: 50_000, RecordBytes: 1700,
	}
}

func TestPlan(t *testing.T) {
	node := capacity.Node{Name: "bench-1", CPUs: 7, Memory: 32e9, Files: 20_000, Ports: 28_232}
	wire := capacity.Wire{Request: 400, Event: 181.03, Answer: 471}
	varied := lawOfPlans()
	varied.ServiceSecond = 300
	tests := []struct {
		file string
		law  capacity.Law
		ask  capacity.Ask
	}{
		{"plan.txt", lawOfPlans(), capacity.Ask{Rate: 100_000, Events: 200, MaxWait: 20 * time.Microsecond, E2E: 10 * time.Second}},
		{"plan_highest.txt", lawOfPlans(), capacity.Ask{Events: 10}},
		{"plan_small.txt", varied, capacity.Ask{Rate: 100, Events: 200}},
	}
	for _, tt := range tests {
		p, err := capacity.New(tt.law, tt.ask, node, wire)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := Plan(&b, p); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "testdata/"+tt.file, b.String())
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(line) - 1; n > layout.LineLen {
				t.Errorf("%s: a line of %d columns: %s", tt.file, n, line)
			}
		}
		if err := Plan(broken{}, p); err == nil {
			t.Error("a write error was lost")
		}
	}
}
