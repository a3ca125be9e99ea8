package analysis

import (
	"math/rand/v2"
	"strings"
	"testing"

	"tare/analysis/internal/synth"
	"tare/ipc"
)

// warned tells whether a warning of this path holds these words.
func warned(s Summary, path, words string) bool {
	for _, w := range s.Warnings {
		if w.Path == path && strings.Contains(w.Text, words) {
			return true
		}
	}
	return false
}

// A noisy host sends each request of a constant rate up to 0.9 ms late, every
// one by another time: no schedule is lost by it. If all of them come later and
// later, it is.
func TestJitterIsNoLostSchedule(t *testing.T) {
	load := openLoop()
	load.Rate = "1000"
	run := func(drift float64) Summary {
		w, r := begin(t, load), rand.New(rand.NewPCG(4, 4))
		for _, a := range arrivals(t, load, 2) {
			late := r.Int64N(9e5) + int64(drift*float64(a.At))
			w.Record(a.worker, synth.OK(a.Index, a.At, late, 3e6, 5e6))
		}
		for id := range 2 {
			w.Done(id, done(8*second, false))
		}
		return mustSummarize(t, w.End(ipc.End{At: 9 * second}))
	}
	s := run(0)
	if s.Verdict.Status != "valid" {
		t.Errorf("jitter: %s %q", s.Verdict.Status, s.Verdict.Reasons)
	}
	if !warned(s, "load.arrival_test.ks_d", "the schedule is kept") {
		t.Errorf("jitter is not told: %+v", s.Warnings)
	}
	s = run(5e-4) // 4 ms over the run
	if s.Verdict.Status == "valid" || !strings.Contains(strings.Join(s.Verdict.Reasons, ";"), "growth of the lag") {
		t.Errorf("drift: %s %q", s.Verdict.Status, s.Verdict.Reasons)
	}
}

func TestThrottlingIsAReason(t *testing.T) {
	w := begin(t, openLoop())
	for _, a := range arrivals(t, openLoop(), 2) {
		w.Record(a.worker, answered(a.Index, a.At))
	}
	for id := range 2 {
		w.Done(id, done(8*second, false))
	}
	s := mustSummarize(t, w.End(ipc.End{At: 9 * second, Throttled: 7}))
	if s.Verdict.Status != "suspect" || !strings.Contains(s.Verdict.Reasons[0], "7 of its periods") {
		t.Errorf("%s %q", s.Verdict.Status, s.Verdict.Reasons)
	}
}

// An answer that was not streamed has one instant: E2E is known, and E2E/N.
func TestWithoutStreaming(t *testing.T) {
	settings := settingsOf(openLoop())
	settings.Target.Stream = false
	s := mustSummarize(t, steady(t, settings, func(r *ipc.Record) *ipc.Record {
		r.Output, r.OutputTokens = r.Output[1:], 4
		r.Done = r.Output[0].Handled
		return r
	}))
	l := s.Latency
	if l.TTFT.Wire.N != 0 || l.TTFT.Wire.P50 != nil || l.TTFTContent.Wire.N != 0 || l.TPOT.Wire.N != 0 || l.ITL.Observed.N != 0 {
		t.Errorf("TTFT of %d, TPOT of %d, ITL of %d, want none", l.TTFT.Wire.N, l.TPOT.Wire.N, l.ITL.Observed.N)
	}
	if l.TPOT.Undefined != 600 {
		t.Errorf("TPOT undefined for %d, want 600", l.TPOT.Undefined)
	}
	if !near(l.E2E.Wire.Mean, 5) || !near(l.NTPOT.Wire.P99, 1.25) || !near(l.E2E.Wire.MeanLo, 5) {
		t.Errorf("E2E %+v, NTPOT %+v", l.E2E.Wire, l.NTPOT.Wire)
	}
	if !warned(s, "latency.ttft", "not streamed") {
		t.Errorf("not said: %+v", s.Warnings)
	}
	if s.Verdict.Status != "valid" || !strings.Contains(s.Verdict.Summary, "of wire E2E 5 ms") {
		t.Errorf("%s %q %q", s.Verdict.Status, s.Verdict.Reasons, s.Verdict.Summary)
	}
}
