package analysis

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tare/analysis/internal/synth"
	"tare/ipc"
)

// steady writes the fixture's open loop in full. Each request is sent 0.1 ms
// late and has tokens at 3 and 5 ms; change may alter a record or, by returning
// nil, leave it out.
func steady(t testing.TB, settings ipc.Settings, change func(*ipc.Record) *ipc.Record) string {
	t.Helper()
	w := synth.New(t, settings, 2)
	w.Step(0, 0, settings.Load)
	for _, a := range arrivals(t, settings.Load, 2) {
		if r := change(synth.OK(a.Index, a.At, 1e5, 3e6, 5e6)); r != nil {
			w.Record(a.worker, r)
		}
	}
	for id := range 2 {
		w.Done(id, done(8*second, false))
	}
	return w.End(ipc.End{At: 9 * second})
}

func asItIs(r *ipc.Record) *ipc.Record { return r }

// near tells whether got is want but for rounding.
func near(got *float64, want float64) bool {
	return got != nil && math.Abs(*got-want) <= 1e-9*math.Abs(want)
}

// The steady window runs from 2 s, the end of the warm-up, to 7.99 s, the last
// due time. Of the 600 requests due in it the last is sent 0.1 ms after its end,
// so 599 are sent in it. Answers end 5.12 ms after the due time: those due from
// 2 s to 7.98 s, again 599, end in it.
func TestRatesByHand(t *testing.T) {
	s := mustSummarize(t, steady(t, settingsOf(openLoop()), asItIs))
	const length = 5.99
	if s.Load.Window != (Window{From: 2, To: 7.99}) {
		t.Errorf("window: got %+v", s.Load.Window)
	}
	for _, tt := range []struct {
		what string
		got  *float64
		want float64
	}{
		{"requested", s.Load.RequestedRate, 100},
		{"achieved", s.Load.AchievedRate, 599 / length},
		{"delivered", s.Load.DeliveredRate, 599 / length},
		{"output: both tokens of 599", s.Tokens.OutputRate, 2 * 599 / length},
		{"lambda of worker 0, by its events: the last of the 300 even ones is in time", s.Client.Workers[0].Lambda, 2 * 300 / length},
	} {
		if !near(tt.got, tt.want) {
			t.Errorf("%s rate: got %v, want %v", tt.what, *tt.got, tt.want)
		}
	}
	if s.Latency.TTFT.Wire.N != 600 {
		t.Errorf("latencies of %d requests, want the 600 that are scheduled in the window", s.Latency.TTFT.Wire.N)
	}
	if s.Tokens.Output != 1600 || s.Tokens.Input != 800*32 {
		t.Errorf("tokens: got %d out, %d in, want those of all 800 requests", s.Tokens.Output, s.Tokens.Input)
	}
	if s.Verdict.Status != "valid" {
		t.Errorf("verdict: %s %q", s.Verdict.Status, s.Verdict.Reasons)
	}
}

// Events count where they fall, whole requests or not: the last request's
// second token comes after the window, a failed one's tokens count.
func TestTokenRateCountsEvents(t *testing.T) {
	s := mustSummarize(t, steady(t, settingsOf(openLoop()), func(r *ipc.Record) *ipc.Record {
		switch {
		case r.Index == 799: // due at 7.99 s: both tokens are late
		case r.Index == 400: // 4 s
			r.Class = ipc.Truncated
		case r.Index == 500: // two events, but the server counts 8 tokens
			r.OutputTokens = 8
		case r.Index == 199: // due at 1.99 s, before the window; its tokens come at 2.5 s
			for i := range r.Output {
				r.Output[i].Arrival = 25 * second / 10
			}
		}
		return r
	}))
	if want := (2*(599+1) + 6) / 5.99; !near(s.Tokens.OutputRate, want) {
		t.Errorf("got %v, want %v", *s.Tokens.OutputRate, want)
	}
}

// Every third request fails or is dropped; none of them is in a percentile.
func TestFailuresAreDataNotLatencies(t *testing.T) {
	s := mustSummarize(t, steady(t, settingsOf(openLoop()), func(r *ipc.Record) *ipc.Record {
		switch r.Index % 6 {
		case 0:
			return synth.Failed(r.Index, r.Scheduled, ipc.Timeout)
		case 3:
			return synth.Dropped(r.Index, r.Scheduled)
		}
		return r
	}))
	// Of 800: 134 have a multiple of 6 as index, 133 three more than one.
	want := ipc.Ledger{Planned: 800, Sent: 667, OK: 533, Failed: 134, Dropped: 133}
	if diff := cmp.Diff(want, s.Load.Ledger); diff != "" {
		t.Error(diff)
	}
	if s.Load.Errors["timeout"] != 134 {
		t.Errorf("errors: got %v", s.Load.Errors)
	}
	if n := s.Latency.E2E.Wire.N; n != 400 { // of 600 in the window two thirds
		t.Errorf("latencies of %d requests, want 400", n)
	}
	if s.Latency.TTFT.Wire.Max == nil || *s.Latency.TTFT.Wire.Max != 3 {
		t.Errorf("TTFT of the good ones is 3 ms, got %+v", s.Latency.TTFT.Wire)
	}
}

// Of 600 requests due in the window 300 are 2 ms slower and miss, 60 fail and
// one is lost.
func TestSLO(t *testing.T) {
	settings := settingsOf(openLoop())
	settings.SLO = ipc.SLO{TTFT: 4 * time.Millisecond, TPOT: 3 * time.Millisecond}
	dir := steady(t, settings, func(r *ipc.Record) *ipc.Record {
		switch {
		case r.Index == 201:
			return nil
		case r.Index%2 == 0:
			r.Output[0].Arrival += 2e6
		case r.Index%10 == 5:
			return synth.Failed(r.Index, r.Scheduled, ipc.HTTPStatus)
		}
		return r
	})
	s := mustSummarize(t, dir)
	if !near(s.SLO.Attained, 239.0/600) || !near(s.SLO.Goodput, 239/5.99) {
		t.Errorf("attained %v, goodput %v, want 239/600 and 239/5.99", *s.SLO.Attained, *s.SLO.Goodput)
	}
	if s := mustSummarize(t, steady(t, settingsOf(openLoop()), asItIs)); s.SLO != (SLO{}) {
		t.Errorf("no limits were asked for: got %+v", s.SLO)
	}
}

func TestStamps(t *testing.T) {
	user := func(share int64) string {
		s := mustSummarize(t, steady(t, settingsOf(openLoop()), func(r *ipc.Record) *ipc.Record {
			for i := range r.Output {
				if r.Index%100 < share {
					r.Output[i].Read = r.Output[i].Arrival
				}
			}
			return r
		}))
		return *s.Client.Stamps
	}
	// Even indices are worker 0's: a share of 1 is 2 % of its events.
	if got := user(0); got != "kernel" {
		t.Errorf("all stamped: %s", got)
	}
	if got := user(1); got != "user" {
		t.Errorf("2 %% of a worker's events have no stamp: %s", got)
	}
	s := mustSummarize(t, steady(t, settingsOf(openLoop()), func(r *ipc.Record) *ipc.Record { return synth.Failed(r.Index, r.Scheduled, ipc.Connection) }))
	if s.Client.Stamps != nil || s.Verdict.Status != "biased" {
		t.Errorf("no events: stamps %v, verdict %s", s.Client.Stamps, s.Verdict.Status)
	}
}

// One request has latencies but no rate, and its summary is JSON.
func TestOneRequest(t *testing.T) {
	load := ipc.Load{Concurrency: 1, Requests: 1}
	w := begin(t, load)
	w.Record(0, answered(0, 1e6))
	w.Done(0, done(7e6, false))
	s := mustSummarize(t, w.End(ipc.End{At: second}))
	if s.Load.AchievedRate != nil || s.Load.DeliveredRate != nil || s.Tokens.OutputRate != nil || s.Load.RequestedRate != nil || s.Load.ArrivalTest != nil {
		t.Errorf("rates of one request: %+v, output %v", s.Load, s.Tokens.OutputRate)
	}
	if !near(s.Latency.TTFT.Wire.P99, 3) {
		t.Errorf("TTFT: %+v", s.Latency.TTFT.Wire)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

// Usage and CPU are the worker's last word; a dead worker's is its last report.
func TestWorkerCosts(t *testing.T) {
	w := begin(t, openLoop())
	for _, a := range arrivals(t, openLoop(), 2) {
		w.Record(a.worker, answered(a.Index, a.At))
	}
	spent := func(sent int64) ipc.Progress {
		return ipc.Progress{At: 8 * second, Sent: sent, Usage: ipc.Usage{User: 3e8, System: 1e8, ClockStep: 70e3}}
	}
	w.Done(0, ipc.Done{Last: spent(400), Ended: 8 * second})
	w.Progress(1, spent(200))
	s := mustSummarize(t, w.End(ipc.End{At: 9 * second, Dead: []int{1}}))
	first, second := s.Client.Workers[0], s.Client.Workers[1]
	if !near(first.CPU, 0.4) || !near(first.CPUPerRequest, 1000) || !near(first.CPUPerEvent, 500) {
		t.Errorf("0.4 s over 400 requests of 2 events: got %v, %v, %v", *first.CPU, *first.CPUPerRequest, *first.CPUPerEvent)
	}
	if !near(second.CPUPerRequest, 2000) {
		t.Errorf("worker 1 last said 0.4 s for 200 requests: got %v", *second.CPUPerRequest)
	}
	reasons := strings.Join(s.Verdict.Reasons, "; ")
	if !strings.Contains(reasons, "step by 70 µs") || !strings.Contains(reasons, "worker 1 died") {
		t.Errorf("reasons: %s", reasons)
	}
	if diff := cmp.Diff([]int{1}, second.CPUs); diff != "" {
		t.Errorf("CPUs: %s", diff)
	}
}

// Queue rows count if they lie wholly within the window: from 2 s to 7.99 s
// those are 8 to 30; a dead worker's end with its last.
func TestQueueRowsOfTheWindow(t *testing.T) {
	w := begin(t, openLoop())
	var rows []ipc.QueueRow
	for i := range int64(36) {
		rows = append(rows, ipc.QueueRow{Interval: i, Wait: ipc.Moments{N: 100}})
	}
	w.Progress(0, ipc.Progress{Queue: rows[:10]})
	w.Done(0, ipc.Done{Last: ipc.Progress{Queue: rows[10:]}, Ended: 8 * second})
	w.Progress(1, ipc.Progress{Queue: rows[:12]})
	s := mustSummarize(t, w.End(ipc.End{At: 9 * second, Dead: []int{1}}))
	for i, row := range s.Client.Workers {
		if !near(row.Lambda, 400) { // 100 events a row of 0.25 s
			t.Errorf("worker %d: λ = %v, want 400", i, row.Lambda)
		}
	}
}

func TestSharedCPUs(t *testing.T) {
	workers := func(cpus ...[]int) (rows []Worker) {
		for id, c := range cpus {
			rows = append(rows, Worker{ID: id, CPUs: c})
		}
		return rows
	}
	tests := []struct {
		why     string
		client  Client
		threads int // goroutine sharding only
		want    string
	}{
		{"a CPU each, one left over", Client{Workers: workers([]int{1}, []int{2})}, 0, ""},
		{"two on one", Client{Workers: workers([]int{1}, []int{2}, []int{1})}, 0, "3 workers run on 2 CPUs"},
		{"none left over", Client{Workers: workers([]int{0}, []int{1}, []int{2})}, 0, "every allowed CPU has a worker"},
		{"one process with a CPU for each processor", Client{Sharding: goroutineMode, Workers: workers([]int{1, 2})}, 2, ""},
		{"and with too few", Client{Sharding: goroutineMode, Workers: workers([]int{1, 2})}, 4, "4 workers run on 2 CPUs"},
		{"CPUs unknown", Client{Workers: workers(nil, nil)}, 0, ""},
	}
	for _, tt := range tests {
		s := &step{settings: &ipc.Settings{Sharding: ipc.Sharding{Workers: tt.threads}}}
		got := strings.Join(s.sharedCPUs(tt.client, []int{0, 1, 2}), "; ")
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.why, got, tt.want)
		}
	}
}

// A profile has a summary for each step; a plain summary of it is an error.
func TestSteps(t *testing.T) {
	load := openLoop()
	slow := load
	slow.Rate = "50"
	w := synth.New(t, settingsOf(load), 1)
	for n, l := range []ipc.Load{slow, load} {
		offset := int64(n) * 10 * second
		w.Step(n, offset, l)
		for _, a := range arrivals(t, l, 1) {
			r := answered(a.Index, offset+a.At)
			r.Step = int64(n)
			w.Record(0, r)
		}
		d := done(offset+8*second, false)
		d.Step, d.Last.Step = n, n
		w.Done(0, d)
	}
	dir := w.End(ipc.End{At: 19 * second})
	run, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, planned := range []int64{400, 800} {
		s := run.Steps[i]
		if s.Summary.Load.Planned != planned || s.Summary.Load.Lost != 0 || s.Summary.Load.Window.From != 2 {
			t.Errorf("step %d: got %+v, want %d planned", i, s.Summary.Load, planned)
		}
	}
	if _, err := Summarize(dir); err == nil || !strings.Contains(err.Error(), "2 steps") {
		t.Errorf("Summarize of two steps: got error %v", err)
	}
}

// Both verbs read the same file by the same function; what is printed by the
// one and read back is what is printed by the other.
func TestTheSameFileGivesTheSameDigits(t *testing.T) {
	settings := settingsOf(openLoop())
	settings.Load.Arrival, settings.SLO.TTFT = "poisson", time.Millisecond
	dir := steady(t, settings, func(r *ipc.Record) *ipc.Record {
		for i := range r.Output {
			r.Output[i].Tokens = 1 + (r.Index+int64(i))%5
		}
		return r
	})
	first, err := json.Marshal(mustSummarize(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		var back Summary
		if err := json.Unmarshal(first, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(back, mustSummarize(t, dir)); diff != "" {
			t.Fatal(diff)
		}
	}
}

// A file cut at any byte is read as far as it goes, or refused in words.
func TestTornFiles(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join(steady(t, settingsOf(openLoop()), asItIs), ipc.RecordFileName))
	if err != nil {
		t.Fatal(err)
	}
	dir, last := t.TempDir(), int64(0)
	for cut := 0; cut < len(whole); cut += 1 + len(whole)/40 {
		if err := os.WriteFile(filepath.Join(dir, ipc.RecordFileName), whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		run, err := Load(dir)
		if err != nil {
			if cut > 2000 { // the header and the step are there
				t.Errorf("cut at %d: %v", cut, err)
			}
			continue
		}
		l := run.Steps[0].Summary.Load
		if !run.Torn || run.End != nil || !l.Balanced() || l.OK < last {
			t.Errorf("cut at %d: torn %v, end %v, ledger %+v after %d ok", cut, run.Torn, run.End, l.Ledger, last)
		}
		last = l.OK
	}
	if last == 0 {
		t.Error("no cut left a request")
	}
}
