package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// good is evidence without a fault: TTFT p99 is 100 ms.
func good() Evidence {
	return Evidence{
		Planned: 1000, Sent: 1000, OK: 1000,
		SendLag: new(0.1), ClientLag: new(0.05), Latency: new(100.0), Measure: "TTFT",
		Workers: []Worker{{ID: 0, Rho: new(0.3)}, {ID: 1}},
	}
}

func TestJudge(t *testing.T) {
	tests := []struct {
		why    string
		change func(*Evidence)
		want   Status
		reason string // words that a reason must have; "" for none
	}{
		{"nothing wrong", func(e *Evidence) {}, Valid, ""},
		{"a lag of just 10 % of TTFT p99", func(e *Evidence) { e.SendLag = new(10.0) }, Valid, ""},
		{"a lag above 10 %", func(e *Evidence) { e.SendLag = new(10.1) }, Suspect, "p99 of send lag is 10.1 ms, limit 10 ms (p99 of wire TTFT: 100 ms)"},
		{"a lag above 50 %", func(e *Evidence) { e.ClientLag = new(51.0) }, Biased, "p99 of client lag is 51 ms, limit 50 ms"},
		{"1 ms is small, whatever the server", func(e *Evidence) { e.SendLag, e.Latency = new(0.9), new(0.2) }, Valid, ""},
		{"above 1 ms and 10 %", func(e *Evidence) { e.SendLag, e.Latency = new(1.2), new(0.2) }, Suspect, "limit 1 ms"},
		{"10 ms is bias where latencies are small", func(e *Evidence) { e.SendLag, e.Latency = new(10.5), new(0.2) }, Biased, "limit 10 ms"},
		{"no TTFT: lags stand for themselves", func(e *Evidence) { e.SendLag, e.Latency = new(2.0), nil }, Suspect, "limit 1 ms"},
		{"undefined lags are no reason", func(e *Evidence) { e.SendLag, e.ClientLag = nil, nil }, Valid, ""},
		{"a busy worker", func(e *Evidence) { e.Workers[1].Rho = new(0.91) }, Biased, "worker 1 is busy for 91 %"},
		{"too little was sent", func(e *Evidence) { e.Sent, e.OK, e.Dropped = 989, 989, 11 }, Biased, "989 of 1000 planned requests were sent: 98.90 %"},
		{"a few drops", func(e *Evidence) { e.Sent, e.OK, e.Dropped = 995, 995, 5 }, Suspect, "5 of 1000 planned requests were dropped"},
		{"one lost", func(e *Evidence) { e.Sent, e.OK, e.Lost = 999, 999, 1 }, Biased, "1 of 1000 planned requests are lost"},
		{"nothing succeeded", func(e *Evidence) { e.OK = 0 }, Biased, "nothing succeeded"},
		{"nothing was planned", func(e *Evidence) { e.Planned, e.Sent, e.OK = 0, 0, 0 }, Biased, "nothing succeeded"},
		{"a worker died", func(e *Evidence) { e.Workers[0].Dead = true }, Suspect, "worker 0 died"},
		{"no end on file", func(e *Evidence) { e.Unended = true }, Suspect, "no end"},
		{"a fault, by its first line", func(e *Evidence) { e.Faults = []string{"worker 1: out of files\nstack"} }, Suspect, "fault: worker 1: out of files"},
		{"a clock step", func(e *Evidence) { e.Workers[0].ClockStep = 60 }, Suspect, "step by 60 µs, limit 50 µs"},
		{"much GC", func(e *Evidence) { e.Workers[0].GCShare = 0.02 }, Suspect, "garbage collector for 2.0 %"},
		{"user stamps", func(e *Evidence) { e.UserStamps = true }, Suspect, "no receive stamps"},
		{"a quota that held the run up", func(e *Evidence) { e.Throttled = 3 }, Suspect, "CPU quota held the run up in 3 of its periods, limit 0"},
		{"shared CPUs", func(e *Evidence) { e.SharedCPUs = []string{"4 workers run on 2 CPUs"} }, Suspect, "4 workers run on 2 CPUs"},
		{"arrivals off their law", func(e *Evidence) { e.Arrivals = []string{"CV is 2"} }, Suspect, "sends left their schedule: CV is 2"},
	}
	for _, tt := range tests {
		e := good()
		tt.change(&e)
		v := Judge(e, Default())
		if v.Status != tt.want {
			t.Errorf("%s: %s %q, want %s", tt.why, v.Status, v.Reasons, tt.want)
		}
		found := slices.ContainsFunc(v.Reasons, func(r string) bool { return strings.Contains(r, tt.reason) })
		if tt.reason == "" && len(v.Reasons) > 0 || tt.reason != "" && !found {
			t.Errorf("%s: reasons %q, want one with %q", tt.why, v.Reasons, tt.reason)
		}
		if strings.Contains(strings.Join(v.Reasons, ""), "\n") {
			t.Errorf("%s: a reason has more than one line: %q", tt.why, v.Reasons)
		}
	}
}

// The worst reasons come first, and a valid run has an empty list, not null.
func TestReasonsInOrder(t *testing.T) {
	e := good()
	e.Unended, e.SendLag = true, new(80.0)
	v := Judge(e, Default())
	if len(v.Reasons) != 2 || !strings.Contains(v.Reasons[0], "send lag") {
		t.Errorf("got %q, want the lag before the missing end", v.Reasons)
	}
	if v := Judge(good(), Default()); v.Reasons == nil {
		t.Error("no reasons: got nil, want an empty list")
	}
	if diff := cmp.Diff(Default(), v.Thresholds); diff != "" {
		t.Errorf("thresholds: %s", diff)
	}
}

func TestSummaryInFigures(t *testing.T) {
	want := "1000 of 1000 planned requests sent, p99 of send lag 0.1 ms, of client lag 0.05 ms, of wire TTFT 100 ms, ρ at most 0.3"
	if got := Judge(good(), Default()).Summary; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Judge(Evidence{Planned: 3}, Default()).Summary; got != "0 of 3 planned requests sent" {
		t.Errorf("of nothing: %q", got)
	}
}
