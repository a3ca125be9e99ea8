package experiment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tare/analysis/internal/synth"
	"tare/ipc"
)

// Two workers' costs add up; a worker that died has told none.
func TestReadAccount(t *testing.T) {
	w := synth.New(t, ipc.Settings{}, 3)
	w.Step(0, 5_000, ipc.Load{Concurrency: 1})
	for id, u := range []ipc.Usage{
		{User: 3e6, System: 1e6, Switches: 10, Preemptions: 1, MaxRSS: 20 << 20, GCs: 1, GCPause: 2e6},
		{User: 1e6, System: 2e6, Switches: 5, MaxRSS: 12 << 20},
	} {
		w.Progress(id, ipc.Progress{Usage: ipc.Usage{User: 1}}) // superseded
		w.Done(id, ipc.Done{Last: ipc.Progress{Usage: u}})
	}
	got, err := ReadAccount(w.End(ipc.End{}))
	if err != nil {
		t.Fatal(err)
	}
	want := Account{Processes: 2, CPU: 7000, Switches: 15, Preemptions: 1, GCs: 1, GCPause: 2, Memory: 32}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Account{})); d != "" {
		t.Error(d)
	}
	if got.epoch != 5_000 {
		t.Errorf("epoch %d, want the run's (0) and the step's offset", got.epoch)
	}
	if _, err := ReadAccount(t.TempDir()); err == nil {
		t.Error("a directory without records has an account")
	}
}

// The epoch is at 1 s and the window from 1 s to 2 s after it.
func TestReadTruth(t *testing.T) {
	log := `{"request":0,"arrival_ns":1500000000,"first_write_ns":1501000000,"last_write_ns":1501000000,"tokens":1,"status":200}
{"request":1,"arrival_ns":2000000000,"first_write_ns":2010000000,"last_write_ns":2040000000,"tokens":4,"status":200,"fault":"","cut":false}
{"request":2,"arrival_ns":2500000000,"first_write_ns":2520000000,"last_write_ns":2520000000,"tokens":1,"status":200}
{"request":3,"arrival_ns":2600000000,"tokens":0,"status":500}
{"request":4,"arrival_ns":3000000001,"first_write_ns":3001000000,"last_write_ns":3001000000,"tokens":1,"status":200}
`
	got, err := ReadTruth(strings.NewReader(log), Account{epoch: 1e9}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	ms := func(mean, p50, p99 float64) Server { return Server{&mean, &p50, &p99} }
	want := Truth{
		N:     2,              // request 0 came in the warm-up, 3 failed, 4 came after the end
		TTFT:  ms(15, 10, 20), // 10 and 20 ms
		E2E:   ms(30, 20, 40), // 40 and 20 ms
		TPOT:  ms(10, 10, 10), // (40 − 10)/3; one token has none
		NTPOT: ms(15, 10, 20), // 40/4 and 20/1
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, err := ReadTruth(strings.NewReader(`{"request":0,"arr`), Account{}, 0, 1); err == nil {
		t.Error("a log that is cut off is read")
	}
}
