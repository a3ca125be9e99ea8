package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tare/analysis/capacity"
	"tare/ipc"
)

// quietRun writes the records of a run on a host without any noise: 200
// requests/s of two events each for two seconds, and rows of many more events
// than those, of 10 µs each when busy and 30 µs when not.
func quietRun(t *testing.T) string {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	out, err := ipc.CreateRecords(filepath.Join(dir, ipc.RecordFileName))
	must(err)
	frame := func(kind ipc.Type, m any) {
		t.Helper()
		f, err := ipc.Marshal(kind, 0, m)
		must(err)
		must(out.Append(f))
	}
	load := ipc.Load{Arrival: "constant", Rate: "200", Duration: 2 * time.Second, MaxInFlight: 10, Seed: 1}
	manifest, err := json.Marshal(ipc.Manifest{Protocol: ipc.Protocol, Workers: []ipc.Child{{CPUs: []int{0}}}, Settings: ipc.Settings{
		Load: load, Target: ipc.Target{Stream: true}, Sharding: ipc.Sharding{Mode: "process", Workers: 1},
	}})
	must(err)
	frame(ipc.TypeHeader, ipc.Header{Protocol: ipc.Protocol, Manifest: manifest})
	frame(ipc.TypeStep, ipc.Step{})
	batch := ipc.NewBatch(0, 1<<20)
	for i := range int64(400) {
		a := i * 5e6
		event := ipc.Event{Arrival: a + 1e6, Read: a + 1e6 + 5, Handled: a + 1e6 + 9, Tokens: 1, Kind: ipc.KindText, Alone: true}
		must(batch.Add(&ipc.Record{Index: i, Scheduled: a, Sent: a, Done: a + 2e6, Status: 200, InputTokens: 32, OutputTokens: 2, Output: []ipc.Event{event, event}}))
	}
	records, err := batch.Frame()
	must(err)
	must(out.Append(records))
	done := ipc.Done{Ended: 2e9, Last: ipc.Progress{At: 2e9, Sent: 400, OK: 400, Conns: 10, Usage: ipc.Usage{User: 400 * 50e3, MaxRSS: 20 << 20}}}
	for i := range int64(7) {
		done.Last.Queue = append(done.Last.Queue, ipc.QueueRow{
			Interval: i, Busy: ipc.Moments{N: 600, Sum: 600 * 10e3, SqLo: 600 * 2e8}, Idle: ipc.Moments{N: 400, Sum: 400 * 30e3, SqLo: 400 * 1e9},
			Wait: ipc.Moments{N: 1000, Sum: 1000 * 2e3, SqLo: 1000 * 8e6},
		})
	}
	frame(ipc.TypeDone, done)
	frame(ipc.TypeEnd, ipc.End{At: 2e9})
	must(out.Close())
	return dir
}

// A request of two events costs 50 µs, of which the events are 20 and wake-ups,
// 20 µs for four of ten events, 16: sends are 14. At 0.81 of its CPU a worker has
// one every 42 µs.
func TestPlanFromRun(t *testing.T) {
	dir := quietRun(t)
	var stdout, stderr bytes.Buffer
	plan := func(args ...string) capacity.Plan {
		t.Helper()
		stdout.Reset()
		e := env{stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }, signals: signals}
		if err := run(t.Context(), e, append([]string{"plan", "--from", dir, "--cpus-per-node", "5", "--format", "json"}, args...)); err != nil {
			t.Fatal(err)
		}
		var p capacity.Plan
		if err := json.Unmarshal(stdout.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := plan()
	load := slices.IndexFunc(p.Limits, func(l capacity.Limit) bool { return l.Name == "load" })
	if p.Workers != 4 || p.Asked || p.Events != 2 || p.Law.Source != dir || math.Abs(p.Law.Send-14) > 1e-6 ||
		math.Abs(p.Limits[load].Rate-4*0.81e6/34) > 1e-3 || p.Rate != p.Limits[0].Rate {
		t.Errorf("highest rate of a node: %+v", p)
	}
	p = plan("--rate", "100000", "--events", "20", "--max-wait", "20us", "--e2e", "500ms")
	if p.Rate != 100_000 || p.Nodes*4 != p.Workers || *p.MaxWait != 20 || *p.E2E != 500 || p.Worker.Wait > 20 ||
		math.Abs(*p.Node.Flight*float64(p.Nodes)-50_000) > 1e-6 {
		t.Errorf("100,000 requests/s: %+v", p)
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr: %s", &stderr)
	}
}

// An event of the simulator is some 180 bytes with its framing; a request is
// its head and some five bytes a token.
func TestWireSizes(t *testing.T) {
	for _, endpoint := range []string{"", "completions", "chat", "messages"} {
		short, err := wireSizes(t.Context(), endpoint, 32)
		if err != nil {
			t.Fatal(err)
		}
		if short.Event < 80 || short.Event > 300 || short.Answer < 100 || short.Answer > 1500 {
			t.Errorf("%q: %+v", endpoint, short)
		}
		long, err := wireSizes(t.Context(), endpoint, 1032)
		if err != nil {
			t.Fatal(err)
		}
		if more := long.Request - short.Request; more < 3000 || more > 8000 {
			t.Errorf("%q: 1,000 more tokens are %v bytes", endpoint, more)
		}
	}
}

// A calibration has many streams with events well apart, and is steady long
// before its warm-up ends.
func TestCalibrationArgs(t *testing.T) {
	for _, events := range []float64{1, 10, 200} {
		for _, length := range []time.Duration{400 * time.Millisecond, 8 * time.Second} {
			for _, rate := range []float64{100, 1000, 20000} {
				c := calibration{events: events, input: 32}
				args := strings.Join(c.args("dir", rate, length), " ")
				gap, err := time.ParseDuration(between(args, "--sim-itl=uniform(", ","))
				if err != nil {
					t.Fatal(args, err)
				}
				gap *= 2
				e2e := gap * time.Duration(events+1)
				if gap < leastGap || e2e > length/4 && gap > leastGap {
					t.Errorf("%v events at %v/s for %v: gaps of %v, %v in flight", events, rate, length, gap, e2e)
				}
				if streams := rate * e2e.Seconds(); streams > 1.01*mostStreams && gap > leastGap {
					t.Errorf("%v events at %v/s: %v streams", events, rate, streams)
				}
				if want := fmt.Sprintf("--rate=%.1f", rate); !strings.Contains(args, want) {
					t.Errorf("%s lacks %s", args, want)
				}
			}
		}
	}
}

func between(s, before, after string) string {
	_, s, _ = strings.Cut(s, before)
	s, _, _ = strings.Cut(s, after)
	return s
}
