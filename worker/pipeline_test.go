package worker

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"tare/analysis"
	"tare/ipc"
)

// The whole queueing pipeline without a clock: stamps and completions go into
// a worker's queue, its rows through frames and a record file, and the summary
// of that file has figures that are known exactly.
//
// Every 100 µs two events come, 10 µs apart. The first finds the worker idle
// and takes 50 µs, of which 20 are the wake-up; the second waits 40 µs and
// takes 30:
//
//	A    0   10                    λ = 20,000/s, E[S | busy] = 30 µs, set-up 20 µs
//	     ├───────────┬──────┐      ρ = λE[S | busy] = 0.6, E[W] = (0 + 40)/2 = 20 µs
//	D    0          50     80      E[S²] = (50² + 30²)/2 = 1,700 µs², E[SW] = 30·40/2 = 600 µs²
//
// So P–K on the work is 0.02·900/(2·0.4) = 22.5 µs, Welch 0.02·1700/(2·0.4) =
// 42.5 µs, and the workload 0.02·(600 + 1700/2) = 29 µs. Gaps are 10 and 90 µs:
// mean 50, SCV (40/50)² = 0.64. None of these is the measured 20 µs: arrivals
// like these are not Poisson, and the summary must not pretend they were.
func TestPipelineByHand(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		s, err := analysis.Summarize(pipeline(t, workers))
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Client.Workers) != workers {
			t.Fatalf("%d rows for %d workers", len(s.Client.Workers), workers)
		}
		for id, w := range s.Client.Workers {
			for _, tt := range []struct {
				what string
				got  *float64
				want float64
			}{
				{"λ", w.Lambda, 20000},
				{"E[S] of work", w.ServiceMean, 30},
				{"SCV of work", w.ServiceSCV, 0},
				{"set-up", w.SetupMean, 20},
				{"ρ", w.Rho, 0.6},
				{"W measured", w.Measured, 20},
				{"P–K", w.PK, 22.5},
				{"Welch", w.Setup, 42.5},
				{"workload", w.Workload, 29},
				{"ratio", w.Ratio, 20 / 42.5},
			} {
				if tt.got == nil || math.Abs(*tt.got-tt.want) > 1e-9*(1+tt.want) {
					t.Errorf("worker %d of %d, %s: got %v, want %v", id, workers, tt.what, show(tt.got), tt.want)
				}
			}
		}
		if all := s.Client.Total; all.Measured == nil || math.Abs(*all.Measured-20) > 1e-9 || math.Abs(*all.Lambda-20000*float64(workers)) > 1e-6 {
			t.Errorf("%d workers together: λ %v, W %v, want %d and 20", workers, show(all.Lambda), show(all.Measured), 20000*workers)
		}
	}
}

func show(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}

// pipeline drives two seconds of the pattern through the queues of so many
// workers and returns the run directory. Each worker hands out the events of
// ten patterns in an order of its own, as a poll's batch is.
func pipeline(t *testing.T, workers int) string {
	t.Helper()
	load := ipc.Load{Rate: "100", Arrival: "constant", Duration: 2e9, Warmup: 5e8, Seed: 1, MaxInFlight: 100}
	dir := t.TempDir()
	out, err := ipc.CreateRecords(filepath.Join(dir, ipc.RecordFileName))
	must(t, err)
	write := func(kind ipc.Type, id int, message any) {
		f, err := ipc.Marshal(kind, id, message)
		must(t, err)
		must(t, out.Append(f))
	}
	m := ipc.Manifest{Version: "test", Protocol: ipc.Protocol, Settings: ipc.Settings{Load: load}}
	for id := range workers {
		m.Workers = append(m.Workers, ipc.Child{Worker: id, CPUs: []int{id}})
	}
	manifest, err := json.Marshal(m)
	must(t, err)
	write(ipc.TypeHeader, ipc.Supervisor, ipc.Header{Protocol: ipc.Protocol, Manifest: manifest})
	asked, err := json.Marshal(load)
	must(t, err)
	write(ipc.TypeStep, ipc.Supervisor, ipc.Step{Load: asked})
	for id := range workers {
		q := &queue{}
		q.reset(0)
		for second := range int64(2) {
			drive(q, rand.New(rand.NewPCG(uint64(id), uint64(second))), second*1e9)
			write(ipc.TypeProgress, id, ipc.Progress{Queue: q.take(false)})
		}
		write(ipc.TypeDone, id, ipc.Done{Last: ipc.Progress{At: 2e9, Queue: q.take(true)}})
	}
	write(ipc.TypeEnd, ipc.Supervisor, ipc.End{At: 2e9})
	must(t, out.Close())
	return dir
}

// drive books a second of the pattern.
func drive(q *queue, r *rand.Rand, from int64) {
	const patterns = 10
	for at := from; at < from+1e9; at += patterns * 100e3 {
		var stamps, handled []int64
		for i := range int64(patterns) {
			begin := at + i*100e3
			stamps = append(stamps, begin, begin+10e3)
			handled = append(handled, begin+50e3, begin+80e3)
		}
		r.Shuffle(len(stamps), func(i, j int) { stamps[i], stamps[j] = stamps[j], stamps[i] })
		push(q, stamps, handled)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
