package analysis

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tare/analysis/internal/synth"
	"tare/ipc"
)

// The open loop of the fixture: 800 arrivals, the i-th at i·10 ms; worker 0 has
// the even, worker 1 the odd ones.
func TestLedgerOfAnOpenLoop(t *testing.T) {
	tests := []struct {
		why     string
		records [2]int64 // each worker's records are of its arrivals due before this instant
		done    [2]*ipc.Done
		end     *ipc.End
		want    ipc.Ledger
	}{
		{
			why:     "a run to its end",
			records: [2]int64{8 * second, 8 * second},
			done:    [2]*ipc.Done{new(done(8*second, false)), new(done(8*second, false))},
			end:     &ipc.End{At: 9 * second},
			want:    ipc.Ledger{Planned: 800, Sent: 800, OK: 800},
		},
		{
			why:     "worker 1 dies at 4 s: its 200 arrivals from then on are lost, the plan is as it was",
			records: [2]int64{8 * second, 4 * second},
			done:    [2]*ipc.Done{new(done(8*second, false)), nil},
			end:     &ipc.End{At: 9 * second, Dead: []int{1}},
			want:    ipc.Ledger{Planned: 800, Sent: 600, OK: 600, Lost: 200},
		},
		{
			why:     "both die, and the run ends at 5 s: what was due by then is planned, 5 s included",
			records: [2]int64{2 * second, 4 * second},
			end:     &ipc.End{At: 5 * second, Dead: []int{0, 1}},
			want:    ipc.Ledger{Planned: 501, Sent: 300, OK: 300, Lost: 201},
		},
		{
			why:     "a stop at 3 s, of which worker 1 hears 200 ms later: each sent all that it had to",
			records: [2]int64{3*second + 1, 3*second + 2e8},
			done:    [2]*ipc.Done{new(done(3*second, true)), new(done(3*second+2e8-1, true))},
			end:     &ipc.End{At: 4 * second, Interrupted: 3 * second},
			want:    ipc.Ledger{Planned: 151 + 160, Sent: 311, OK: 311},
		},
		{
			why:     "a stop at 3 s, with worker 1 dead since 2 s: its 50 arrivals up to the stop are lost",
			records: [2]int64{3*second + 1, 2 * second},
			done:    [2]*ipc.Done{new(done(3*second, true)), nil},
			end:     &ipc.End{At: 4 * second, Interrupted: 3 * second, Dead: []int{1}},
			want:    ipc.Ledger{Planned: 151 + 150, Sent: 251, OK: 251, Lost: 50},
		},
		{
			why:     "a stop while the last answers come in cuts off nothing",
			records: [2]int64{8 * second, 8 * second},
			done:    [2]*ipc.Done{new(done(8*second+1e6, true)), new(done(8*second+1e6, true))},
			end:     &ipc.End{At: 9 * second, Interrupted: 8*second + 1e6},
			want:    ipc.Ledger{Planned: 800, Sent: 800, OK: 800},
		},
		{
			// The newest instant is the end of worker 0's last answer: sent at
			// 3.98 s, done 5.02 ms later. Due by then: 399 arrivals.
			why:     "the supervisor dies: all that fell due by the newest instant on file is planned",
			records: [2]int64{4 * second, 3 * second},
			want:    ipc.Ledger{Planned: 399, Sent: 350, OK: 350, Lost: 49},
		},
		{
			why:     "the supervisor dies after the workers' last word",
			records: [2]int64{8 * second, 8 * second},
			done:    [2]*ipc.Done{new(done(8*second, false)), new(done(8*second, false))},
			want:    ipc.Ledger{Planned: 800, Sent: 800, OK: 800},
		},
		{
			why:  "a worker that is done and has records missing: a bug, but a lost arrival all the same",
			done: [2]*ipc.Done{new(done(8*second, false)), new(done(8*second, false))},
			end:  &ipc.End{At: 9 * second},
			want: ipc.Ledger{Planned: 800, Lost: 800},
		},
	}
	for _, tt := range tests {
		load := openLoop()
		w := begin(t, load)
		for _, a := range arrivals(t, load, 2) {
			if a.At < tt.records[a.worker] {
				w.Record(a.worker, answered(a.Index, a.At))
			}
		}
		if got := conclude(t, w, tt.done, tt.end); !cmp.Equal(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.why, got, tt.want)
		}
	}
}

// conclude writes the last words and returns the ledger.
func conclude(t testing.TB, w *synth.Writer, last [2]*ipc.Done, end *ipc.End) ipc.Ledger {
	t.Helper()
	for id, d := range last {
		if d != nil {
			w.Done(id, *d)
		}
	}
	if end == nil {
		return mustSummarize(t, w.Cut()).Load.Ledger
	}
	return mustSummarize(t, w.End(*end)).Load.Ledger
}

func TestLedgerOfAClosedLoop(t *testing.T) {
	sent := func(ended, n int64, stopped bool) *ipc.Done {
		d := done(ended, stopped)
		d.Last.Sent = n
		return &d
	}
	tests := []struct {
		why      string
		load     ipc.Load
		records  [2]int64      // of each worker
		progress *ipc.Progress // of worker 1
		done     [2]*ipc.Done
		end      *ipc.End
		want     ipc.Ledger
	}{
		{
			why: "a number of requests", load: closedLoop(0, 100), records: [2]int64{50, 50},
			done: [2]*ipc.Done{sent(second, 50, false), sent(second, 50, false)}, end: &ipc.End{At: second},
			want: ipc.Ledger{Planned: 100, Sent: 100, OK: 100},
		},
		{
			why: "a worker dies: what it did not send is lost, too", load: closedLoop(0, 100), records: [2]int64{50, 20},
			done: [2]*ipc.Done{sent(second, 50, false), nil}, end: &ipc.End{At: second, Dead: []int{1}},
			want: ipc.Ledger{Planned: 100, Sent: 70, OK: 70, Lost: 30},
		},
		{
			why: "a stop: what was started is planned", load: closedLoop(0, 100), records: [2]int64{30, 20},
			done: [2]*ipc.Done{sent(second, 30, true), sent(second, 20, true)}, end: &ipc.End{At: second, Interrupted: second},
			want: ipc.Ledger{Planned: 50, Sent: 50, OK: 50},
		},
		{
			why: "a time", load: closedLoop(time.Second, 0), records: [2]int64{33, 22},
			done: [2]*ipc.Done{sent(second, 33, false), sent(second, 22, false)}, end: &ipc.End{At: second},
			want: ipc.Ledger{Planned: 55, Sent: 55, OK: 55},
		},
		{
			why: "a worker dies with 3 requests under way", load: closedLoop(time.Second, 0), records: [2]int64{33, 22},
			progress: &ipc.Progress{Sent: 25}, done: [2]*ipc.Done{sent(second, 33, false), nil},
			end:  &ipc.End{At: second, Dead: []int{1}},
			want: ipc.Ledger{Planned: 58, Sent: 55, OK: 55, Lost: 3},
		},
		{
			why: "the supervisor dies, and the last word of worker 1 is older than its records", load: closedLoop(0, 100),
			records: [2]int64{30, 20}, progress: &ipc.Progress{Sent: 15},
			want: ipc.Ledger{Planned: 50, Sent: 50, OK: 50},
		},
	}
	for _, tt := range tests {
		w := begin(t, tt.load)
		for id, n := range tt.records {
			for i := range n {
				w.Record(id, answered(2*i+int64(id), i*1e7))
			}
		}
		if tt.progress != nil {
			w.Progress(1, *tt.progress)
		}
		if got := conclude(t, w, tt.done, tt.end); !cmp.Equal(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.why, got, tt.want)
		}
	}
}

// Whatever is missing from a file and however the run ended, every arrival that
// was due is counted once.
func TestLedgerBalances(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		load := openLoop()
		load.Arrival = []string{"constant", "poisson"}[r.IntN(2)]
		load.Seed = r.Uint64()
		all := arrivals(t, load, 2)
		w := begin(t, load)
		stops := [2]int64{r.Int64N(9 * second), r.Int64N(9 * second)} // of worker 0 and 1
		missing := r.Float64() / 2
		planned, counts := int64(0), map[ipc.Class]int64{}
		for _, a := range all {
			if a.At > stops[a.worker] {
				continue
			}
			planned++
			if r.Float64() < missing {
				continue
			}
			rec := outcome(r, a.Index, a.At)
			counts[rec.Class]++
			w.Record(a.worker, rec)
		}
		got := conclude(t, w, [2]*ipc.Done{new(done(stops[0], true)), new(done(stops[1], true))}, &ipc.End{At: 9 * second, Interrupted: min(stops[0], stops[1])})
		want := ipc.Ledger{Planned: planned, OK: counts[ipc.OK], Failed: counts[ipc.Timeout] + counts[ipc.Truncated], Dropped: counts[ipc.Dropped]}
		want.Sent = want.OK + want.Failed
		want.Lost = planned - want.Sent - want.Dropped
		if diff := cmp.Diff(want, got); diff != "" || !got.Balanced() {
			t.Fatalf("stops at %v of %d arrivals: %s", stops, len(all), diff)
		}
	}
}

func outcome(r *rand.Rand, index, at int64) *ipc.Record {
	switch r.IntN(10) {
	case 0:
		return synth.Failed(index, at, ipc.Timeout)
	case 1:
		return synth.Failed(index, at, ipc.Truncated)
	case 2:
		return synth.Dropped(index, at)
	}
	return answered(index, at)
}

func TestContradictionsAreSaid(t *testing.T) {
	bad := func(change func(*ipc.Record)) *ipc.Record {
		r := answered(4, 4e7)
		change(r)
		return r
	}
	tests := []struct {
		why     string
		records []*ipc.Record // of worker 0
		want    string
	}{
		{"twice the same arrival", []*ipc.Record{answered(4, 4e7), answered(4, 4e7)}, "arrival 4 is on file twice"},
		{"another worker's arrival", []*ipc.Record{answered(5, 5e7)}, "belongs to worker 1"},
		{"an arrival after the last", []*ipc.Record{answered(800, 8e9)}, "arrival 800 is on file, but not in the plan"},
		{"a negative index", []*ipc.Record{answered(-2, 0)}, "negative index"},
		{"an answer before the question", []*ipc.Record{bad(func(r *ipc.Record) { r.Done = r.Sent - 1 })}, "without having been sent and answered"},
		{"an answer to nothing", []*ipc.Record{bad(func(r *ipc.Record) { r.Sent = ipc.Unknown })}, "without having been sent and answered"},
		{"an instant in another year", []*ipc.Record{bad(func(r *ipc.Record) { r.Output[1].Handled = 1 << 60 })}, "not within"},
		{"an event before the run", []*ipc.Record{bad(func(r *ipc.Record) { r.Output[0].Arrival = -5 })}, "negative"},
		{"a step that never began", []*ipc.Record{bad(func(r *ipc.Record) { r.Step = 7 })}, "step 7 has not begun"},
	}
	for _, tt := range tests {
		w := begin(t, openLoop())
		for _, r := range tt.records {
			w.Record(0, r)
		}
		_, err := Summarize(w.End(ipc.End{At: 9 * second}))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want %q", tt.why, err, tt.want)
		}
	}
}
