package capacity

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tare/analysis"
	"tare/analysis/internal/synth"
	"tare/ipc"
)

// moments are those of n times of x ns with E[X²] = square·x².
func moments(n, x uint64, square float64) ipc.Moments {
	return ipc.Moments{N: n, Sum: n * x, SqLo: uint64(square * float64(n*x*x))}
}

// row is one of a worker that handles 10,000 events in 250 ms, 6,000 of them
// when busy: for 6 µs and a bit more every row, with E[S²] = 2E[S]².
func row(i int64) ipc.QueueRow {
	busy := uint64(6000 + 10*i)
	return ipc.QueueRow{
		Interval: i, Busy: moments(6000, busy, 2), Idle: moments(4000, 26_000, 1.5), Wait: moments(10_000, 9_000+100*uint64(i), 3),
	}
}

// run is a run of one worker at 4,000 requests/s of 10 events, 10 s long with
// rows from the first second on.
func run() Run {
	r := Run{Dir: "runs/x", Streams: 200, RSS: BaseBytes + 200*40_000, RecordBytes: 40_000 * 170}
	r.Manifest = ipc.Manifest{Host: ipc.Host{Name: "host", CPUModel: "some CPU"}, Started: time.Date(2026, 5, 26, 12, 0, 0, 0, time.UTC)}
	for i := range int64(36) {
		r.Rows = append(r.Rows, row(i+4))
	}
	r.Summary.Load.OK, r.Summary.Tokens.Input = 40_000, 40_000*32
	r.Summary.Load.Window = analysis.Window{From: 1, To: 10}
	r.Summary.Client = analysis.Client{Sharding: "process", Workers: []analysis.Worker{{
		CPU: new(6.4), CPUPerRequest: new(160.0), CPUPerEvent: new(16.0), Handling: analysis.Handling{EventsPerRead: new(1.001)},
	}}}
	return r
}

var near = cmpopts.EquateApprox(1e-6, 0)

func TestNewLaw(t *testing.T) {
	l, err := NewLaw(run())
	if err != nil {
		t.Fatal(err)
	}
	if l.WaitPredicted == nil {
		t.Fatal("no predicted wait at a load of a third")
	}
	if f := max(1, 11.1 / *l.WaitPredicted); math.Abs(l.WaitFactor-f) > 1e-6 {
		t.Errorf("waits are multiplied by %v, want %v", l.WaitFactor, f)
	}
	l.WaitPredicted, l.WaitFactor = nil, 0
	want := Law{
		Source: "runs/x", Host: "host", CPUModel: "some CPU", Measured: time.Date(2026, 5, 26, 12, 0, 0, 0, time.UTC),
		Busy: 36 * 6000, Rows: 36, Events: 10, InputTokens: 32, EventsPerRead: 1.001,
		Lambda: 40_000, CPUShare: 0.64,
		// The quartile of 36 rows is the 9th: row 12, 6 + 0.12 µs.
		ServiceMean: 6.12, ServiceSecond: 2 * 6.12 * 6.12,
		IdleShare: 0.4, IdleMean: 26, IdleSecond: 1.5 * 26 * 26,
		// Four of ten events wake the worker up, for 19.88 µs each.
		CPU: 160, Send: 160 - 10*6.12 - 4*19.88,
		// The median of 36 rows is the 18th: row 21, 9 + 2.1 µs.
		WaitMeasured: 11.1,
		StreamBytes:  40_000, RecordBytes: 170,
	}
	if diff := cmp.Diff(want, l, near); diff != "" {
		t.Error(diff)
	}
	if scv, setup := l.SCV(), l.Setup(); math.Abs(scv-1) > 1e-6 || math.Abs(setup-19.88) > 1e-6 {
		t.Errorf("SCV %v and set-up %v, want 1 and 26 − 6.12", scv, setup)
	}
}

// What disturbs most of the rows does not get into the law, and is counted.
func TestDisturbedRowsAreNoLaw(t *testing.T) {
	r := run()
	for i := range r.Rows[:24] {
		r.Rows[i].Busy = moments(6000, 9_000, 500)
	}
	l, err := NewLaw(r)
	if err != nil {
		t.Fatal(err)
	}
	// The 9th of the twelve others, rows 28 to 39, is row 36.
	if math.Abs(l.ServiceMean-6.36) > 1e-6 || math.Abs(l.SCV()-1) > 1e-6 || l.Disturbed != 24 {
		t.Errorf("E[S] %v, SCV %v, %d disturbed; want 6.36, 1 and 24", l.ServiceMean, l.SCV(), l.Disturbed)
	}
}

func TestNewLawRefuses(t *testing.T) {
	tests := []struct {
		why    string
		change func(*Run)
		reason error
		want   string
	}{
		{"few busy events", func(r *Run) {
			r.Rows = r.Rows[:1]
			r.Rows[0].Busy = moments(999, 6000, 2)
		}, ErrTooFew, "999 output events found their worker busy, 1000 are needed; run it at a higher rate"},
		{"no rows", func(r *Run) { r.Rows = nil }, ErrTooFew, "0 output events found"},
		{"no CPU time", func(r *Run) { r.Summary.Client.Workers[0].CPU = nil }, ErrTooFew, "no worker of runs/x said what CPU time"},
		{"no quiet quarter", func(r *Run) {
			for i := range r.Rows[:28] {
				r.Rows[i].Busy = moments(6000, 9_000, 12)
			}
		}, ErrDisturbed, "services have an SCV of 11"},
		{"one process for all", func(r *Run) { r.Summary.Client.Sharding = "goroutine" }, nil, "plan from a run with --sharding process"},
	}
	for _, tt := range tests {
		r := run()
		tt.change(&r)
		_, err := NewLaw(r)
		if err == nil || !strings.Contains(err.Error(), tt.want) || tt.reason != nil && !errors.Is(err, tt.reason) {
			t.Errorf("%s: %v, want %q", tt.why, err, tt.want)
		}
	}
}

// Figures that a run may lack, or have in an unlikely relation.
func TestLawWithoutParts(t *testing.T) {
	r := run()
	for i := range r.Rows {
		r.Rows[i].Idle = ipc.Moments{} // never idle
		r.Rows[i].Busy = moments(29, 6000, 2)
	}
	r.Rows[0].Busy = moments(6000, 6000, 2) // the only row with enough of them
	r.Summary.Client.Workers[0].CPUPerRequest, r.Summary.Client.Workers[0].CPUPerEvent = new(50.0), new(5.0)
	r.Streams = 0
	l, err := NewLaw(r)
	if err != nil {
		t.Fatal(err)
	}
	if l.ServiceMean != 6 || l.Setup() != 0 {
		t.Errorf("E[S] %v and set-up %v, want 6 and none", l.ServiceMean, l.Setup())
	}
	if l.Send != 6 {
		t.Errorf("sends cost %v µs where all CPU time, 50 µs, is less than ten services; want that of an event", l.Send)
	}
	if l.StreamBytes != leastStream {
		t.Errorf("%v bytes a stream of a run that had none, want %v", l.StreamBytes, leastStream)
	}
}

func TestRead(t *testing.T) {
	load := ipc.Load{Arrival: "constant", Rate: "100", Duration: 2 * time.Second, Warmup: 300 * time.Millisecond, MaxInFlight: 10, Seed: 1}
	w := synth.New(t, ipc.Settings{Target: ipc.Target{Stream: true}, Load: load, Sharding: ipc.Sharding{Mode: "process", Workers: 1}}, 1)
	w.Step(0, 0, load)
	for i := range int64(200) {
		w.Record(0, synth.OK(i, i*1e7, 0, 1e6, 2e6))
	}
	w.Progress(0, ipc.Progress{At: 1e9, Sent: 100, Conns: 7, Queue: []ipc.QueueRow{row(0), row(1), row(2), row(3)}, Usage: ipc.Usage{MaxRSS: 1 << 24}})
	w.Done(0, ipc.Done{Ended: 2e9, Last: ipc.Progress{
		At: 2e9, Sent: 200, Conns: 5, Queue: []ipc.QueueRow{row(4), row(5), row(6), row(7)}, Usage: ipc.Usage{User: 1e9, MaxRSS: 1 << 25},
	}})
	dir := w.End(ipc.End{At: 2e9})
	r, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var intervals []int64
	for _, row := range r.Rows {
		intervals = append(intervals, row.Interval)
	}
	// The window is from 0.3 s to the last due time, 1.99 s: whole rows from
	// 0.5 to 1.75 s.
	if diff := cmp.Diff([]int64{2, 3, 4, 5, 6}, intervals); diff != "" {
		t.Errorf("rows: %s", diff)
	}
	if r.Streams != 7 || r.RSS != 1<<25 || r.RecordBytes == 0 || r.Summary.Load.OK != 200 {
		t.Errorf("%d streams, %d bytes of memory, %d on file, %d ok; want 7, %d, some and 200",
			r.Streams, r.RSS, r.RecordBytes, r.Summary.Load.OK, 1<<25)
	}
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("a directory without records was read")
	}
}
