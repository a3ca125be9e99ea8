package analysis

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"tare/analysis/internal/synth"
	"tare/ipc"
)

// Whatever follows a good beginning, a record file is read or refused: no
// panic, no figure that JSON cannot hold, no ledger that does not balance.
func FuzzLoad(f *testing.F) {
	load := openLoop()
	head := begin(f, load).Cut()
	start, err := os.ReadFile(filepath.Join(head, ipc.RecordFileName))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range fuzzSeeds(f, load) {
		whole, err := os.ReadFile(filepath.Join(seed, ipc.RecordFileName))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole[len(start):])
	}
	f.Fuzz(func(t *testing.T, rest []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ipc.RecordFileName), append(start[:len(start):len(start)], rest...), 0o644); err != nil {
			t.Fatal(err)
		}
		run, err := Load(dir)
		if err != nil {
			return
		}
		for _, s := range run.Steps {
			if _, err := json.Marshal(s.Summary); err != nil {
				t.Error(err)
			}
			if !s.Summary.Load.Balanced() {
				t.Errorf("ledger %+v", s.Summary.Load.Ledger)
			}
		}
	})
}

// fuzzSeeds are run directories that begin alike.
func fuzzSeeds(t testing.TB, load ipc.Load) []string {
	few := begin(t, load)
	for _, a := range arrivals(t, load, 2)[:3] {
		few.Record(a.worker, answered(a.Index, a.At))
	}
	mixed := begin(t, load)
	mixed.Record(0, synth.Dropped(0, 0))
	mixed.Record(1, synth.Failed(1, 1e7, ipc.Timeout))
	rows := []ipc.QueueRow{{Interval: 9, Busy: ipc.Moments{N: 40, Sum: 4e5, SqLo: 5e9}, Wait: ipc.Moments{N: 40, Sum: 4e6}}}
	mixed.Progress(1, ipc.Progress{At: 9e9, Sent: 1, Queue: rows})
	mixed.Fault(1, "out of files")
	mixed.Done(0, done(8*second, true))
	return []string{few.Cut(), mixed.End(ipc.End{At: 9 * second, Interrupted: 8 * second, Dead: []int{1}}), begin(t, load).Cut()}
}
