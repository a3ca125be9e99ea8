package analysis

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"tare/analysis/internal/synth"
	"tare/ipc"
)

// million writes a run of about a million requests of ten events. Times vary as
// real ones do, so that nothing is easier to store or to sort than it would be.
func million(t testing.TB) (dir string, requests int) {
	t.Helper()
	load := ipc.Load{Arrival: "poisson", Rate: "5000", Duration: 200 * time.Second, Warmup: 10 * time.Second, MaxInFlight: 1000, Seed: 1}
	w := synth.New(t, settingsOf(load), 2)
	w.Step(0, 0, load)
	r := rand.New(rand.NewPCG(1, 1))
	all := arrivals(t, load, 2)
	events := make([]int64, 10)
	for _, a := range all {
		at := int64(5e6)
		for i := range events {
			at += r.Int64N(2e6)
			events[i] = at
		}
		rec := synth.OK(a.Index, a.At, r.Int64N(1e5), events...)
		for i := range rec.Output {
			rec.Output[i].Read += r.Int64N(1e5)
			rec.Output[i].Handled = rec.Output[i].Read + r.Int64N(1e4)
		}
		w.Record(a.worker, rec)
	}
	for id := range 2 {
		w.Done(id, done(200*second, false))
	}
	return w.End(ipc.End{At: 201 * second}), len(all)
}

// A million requests of ten events take less than 15 s and 1 GB.
func TestMillionRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	dir, n := million(t)
	start := time.Now()
	s := mustSummarize(t, dir)
	took := time.Since(start)
	peak := peakMemory(t)
	t.Logf("%d requests in %v, %d MB at the peak, the writing of the file included", n, took.Round(time.Millisecond), peak>>20)
	if s.Load.OK != int64(n) {
		t.Errorf("%d ok of %d", s.Load.OK, n)
	}
	if took > 15*time.Second || peak > 1<<30 {
		t.Error("more than 15 s or 1 GB")
	}
}

// peakMemory is the greatest resident size that this process has had, in bytes.
func peakMemory(t testing.TB) int64 {
	t.Helper()
	f, err := os.Open("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			var kB int64
			if _, err := fmt.Sscan(rest, &kB); err == nil {
				return kB << 10
			}
		}
	}
	t.Skip("no peak of memory in /proc/self/status")
	return 0
}
