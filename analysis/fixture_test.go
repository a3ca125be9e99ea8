package analysis

import (
	"testing"
	"time"

	"tare/analysis/arrival"
	"tare/analysis/internal/synth"
	"tare/ipc"
)

const second = int64(time.Second)

// openLoop is 100 requests/s for 8 s after each other, the first 2 s warm-up.
// A constant rate deals them out in turn: worker 0 has the even ones.
func openLoop() ipc.Load {
	return ipc.Load{Arrival: "constant", Rate: "100", Duration: 8 * time.Second, Warmup: 2 * time.Second, MaxInFlight: 100, Seed: 1}
}

// closedLoop is a closed loop over some seconds or until so many requests.
func closedLoop(d time.Duration, requests int64) ipc.Load {
	return ipc.Load{Concurrency: 4, Duration: d, Requests: requests}
}

func settingsOf(load ipc.Load) ipc.Settings {
	return ipc.Settings{
		Target:   ipc.Target{Stream: true, Endpoint: "completions"},
		Load:     load,
		Sharding: ipc.Sharding{Mode: "process", Workers: 2},
	}
}

// begin starts the record file of a run of one step on two workers.
func begin(t testing.TB, load ipc.Load) *synth.Writer {
	t.Helper()
	w := synth.New(t, settingsOf(load), 2)
	w.Step(0, 0, load)
	return w
}

// owned is an arrival and the worker that it belongs to.
type owned struct {
	arrival.Arrival
	worker int
}

// arrivals lists the schedule of a load on m workers.
func arrivals(t testing.TB, load ipc.Load, m int) []owned {
	t.Helper()
	spec, err := arrival.FromLoad(load)
	if err != nil {
		t.Fatal(err)
	}
	var all []owned
	c := spec.Slice(0, 1)
	for a, ok := c.Next(); ok; a, ok = c.Next() {
		all = append(all, owned{a, spec.Owner(a.Index, m)})
	}
	return all
}

// answered is a record of two events, 3 and 5 ms after it was sent on time.
func answered(index, at int64) *ipc.Record { return synth.OK(index, at, 0, 3e6, 5e6) }

// done is a worker's report at the end of its sending.
func done(ended int64, stopped bool) ipc.Done {
	return ipc.Done{Last: ipc.Progress{At: ended}, Ended: ended, Stopped: stopped}
}

func mustSummarize(t testing.TB, dir string) Summary {
	t.Helper()
	s, err := Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
