package analysis

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tare/analysis/internal/synth"
	"tare/analysis/servermetrics"
	"tare/ipc"
)

// laws are those of a server: fixed cost (exponential), prefill (± 20 %) and
// time between tokens (exponential), in ms, the last two a token; lengths are
// uniform.
type laws struct {
	fixed, prefill, decode float64
	slots                  int // requests prefilled at once, others wait; 0: no limit
	input, output          [2]int64
	firstTokens            int64 // tokens of the first event
}

// run writes 20 s of Poisson arrivals at so many a second and returns the mean
// wait that the requests after the warm-up had, ms.
func (l laws) run(t *testing.T, rate string, seed uint64) (dir string, queue float64) {
	t.Helper()
	load := ipc.Load{Arrival: "poisson", Rate: rate, Duration: 20 * time.Second, Warmup: time.Second, MaxInFlight: 1000, Seed: seed}
	settings := settingsOf(load)
	settings.Target.Model = "m"
	w, r := synth.New(t, settings, 2), rand.New(rand.NewPCG(seed, 1))
	w.Step(0, 0, load)
	free, n := make([]float64, max(1, l.slots)), 0.0
	for _, a := range arrivals(t, load, 2) {
		input := l.input[0] + r.Int64N(l.input[1]-l.input[0]+1)
		prefill := float64(input) * l.prefill * (0.8 + 0.4*r.Float64())
		wait := 0.0
		if at := float64(a.At) / 1e6; l.slots > 0 {
			slot := &free[slices.Index(free, slices.Min(free))]
			wait = max(0, *slot-at)
			*slot = at + wait + prefill
		}
		events := []int64{int64((wait + prefill + l.fixed*r.ExpFloat64()) * 1e6)}
		for range l.output[0] + r.Int64N(l.output[1]-l.output[0]+1) - l.firstTokens {
			events = append(events, events[len(events)-1]+int64(l.decode*r.ExpFloat64()*1e6))
		}
		rec := synth.OK(a.Index, a.At, 2e4, events...)
		rec.InputTokens, rec.OutputTokens = input, int64(len(events))-1+l.firstTokens
		rec.Output[0].Tokens = l.firstTokens
		w.Record(a.worker, rec)
		if a.At >= second {
			queue, n = queue+wait, n+1
		}
	}
	for id := range 2 {
		w.Done(id, done(20*second, false))
	}
	return w.End(ipc.End{At: 21 * second}), queue / n
}

func inside(x float64, lo, hi *float64) bool { return lo != nil && hi != nil && *lo <= x && x <= *hi }

// waiting is a queue before two slots at ρ = 0.75: 100 requests/s of 15 ms.
var waiting = laws{fixed: 2, prefill: 0.1, decode: 5, slots: 2, input: [2]int64{50, 250}, output: [2]int64{4, 32}, firstTokens: 1}

func TestNTPOTPartsOfKnownServers(t *testing.T) {
	for name, l := range map[string]laws{
		"much prefill":             {fixed: 4, prefill: 0.05, decode: 8, input: [2]int64{16, 2048}, output: [2]int64{8, 64}, firstTokens: 1},
		"three tokens in an event": {fixed: 10, prefill: 0.01, decode: 3, input: [2]int64{100, 400}, output: [2]int64{20, 40}, firstTokens: 3},
		"a queue":                  waiting,
	} {
		dir, queue := l.run(t, "100", 3)
		s := mustSummarize(t, dir)
		p := s.NTPOTParts
		if !inside(l.prefill, p.PrefillTokenLo, p.PrefillTokenHi) || !inside(l.decode, p.DecodeTokenLo, p.DecodeTokenHi) {
			t.Errorf("%s: prefill %v in %v to %v, decode %v in %v to %v", name,
				l.prefill, *p.PrefillTokenLo, *p.PrefillTokenHi, l.decode, *p.DecodeTokenLo, *p.DecodeTokenHi)
		}
		if !inside(queue+l.fixed, p.QueueFixedLo, p.QueueFixedHi) {
			t.Errorf("%s: queue and fixed cost %v in %v to %v", name, queue+l.fixed, *p.QueueFixedLo, *p.QueueFixedHi)
		}
		if sum := *p.Of.QueueFixed + *p.Of.Prefill + *p.Of.Decode + *p.Of.Residual; math.Abs(sum / *s.Latency.NTPOT.Wire.Mean - 1) > 1e-6 {
			t.Errorf("%s: parts sum to %v, mean NTPOT is %v", name, sum, *s.Latency.NTPOT.Wire.Mean)
		}
		if p.Queue != nil || p.Baseline != nil || p.Server != nil {
			t.Errorf("%s: queue %v, %v, %v without a baseline", name, p.Queue, p.Baseline, p.Server)
		}
	}
}

// An idle run of the same server tells the queue from the fixed cost, whether
// it is named or lies beside the records.
func TestBaselineTellsQueueFromFixedCost(t *testing.T) {
	dir, queue := waiting.run(t, "100", 4)
	idle, _ := waiting.run(t, "10", 5)
	b, err := NewBaseline(idle)
	if err != nil {
		t.Fatal(err)
	}
	s, err := SummarizeAgainst(dir, b)
	if err != nil {
		t.Fatal(err)
	}
	p := s.NTPOTParts
	if !inside(queue, p.QueueLo, p.QueueHi) || !inside(waiting.fixed, p.FixedLo, p.FixedHi) {
		t.Errorf("queue %v in %v to %v, fixed %v in %v to %v", queue, *p.QueueLo, *p.QueueHi, waiting.fixed, *p.FixedLo, *p.FixedHi)
	}
	if !near(p.Of.QueueFixed, *p.Of.Queue+*p.Of.Fixed) || p.Baseline.Dir != idle {
		t.Errorf("of NTPOT: %+v, baseline %+v", p.Of, p.Baseline)
	}
	if err := b.Write(dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, mustSummarize(t, dir)); diff != "" {
		t.Errorf("the baseline beside the records gives other figures: %s", diff)
	}
}

func TestBaselinesThatAreNone(t *testing.T) {
	dir, _ := waiting.run(t, "100", 6)
	other := waiting
	busy, _ := other.run(t, "100", 7)
	b, err := NewBaseline(busy)
	if err != nil {
		t.Fatal(err)
	}
	b.Model = "another"
	s, err := SummarizeAgainst(dir, b)
	if err != nil {
		t.Fatal(err)
	}
	if !warned(s, "ntpot_parts.fixed_ms", "was not idle") || !warned(s, "ntpot_parts.fixed_ms", `of the model "another"`) {
		t.Errorf("warnings: %+v", s.Warnings)
	}
	if err := os.WriteFile(filepath.Join(dir, BaselineFileName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Summarize(dir); err == nil || !strings.Contains(err.Error(), BaselineFileName) {
		t.Errorf("a broken file: got error %v", err)
	}
	if _, err := NewBaseline(t.TempDir()); err == nil || !strings.Contains(err.Error(), "baseline") {
		t.Errorf("no run: got error %v", err)
	}
}

// pages are two pages of metrics with n requests of 30 ms in the queue between.
func pages(t *testing.T, dir, n, seconds string) {
	t.Helper()
	for name, text := range map[string]string{
		servermetrics.BeforeFileName: "vllm:request_queue_time_seconds_sum 0\n",
		servermetrics.AfterFileName: "vllm:request_queue_time_seconds_sum " + seconds + "\nvllm:request_queue_time_seconds_count " + n +
			"\nvllm:e2e_request_latency_seconds_sum 1\nvllm:e2e_request_latency_seconds_count " + n + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestServerMetricsStandBeside(t *testing.T) {
	dir := steady(t, settingsOf(openLoop()), asItIs) // 800 requests
	pages(t, dir, "800", "24")
	s := mustSummarize(t, dir)
	if got := s.NTPOTParts.Server; got == nil || got.Engine != "vllm" || !near(got.Queue, 30) {
		t.Errorf("got %+v", got)
	}
	if warned(s, "ntpot_parts.server", "") {
		t.Errorf("warnings: %+v", s.Warnings)
	}
	pages(t, dir, "1200", "24")
	if s := mustSummarize(t, dir); !warned(s, "ntpot_parts.server", "counts 1200 requests, 800 of this run") {
		t.Errorf("foreign requests: %+v", s.Warnings)
	}
	pages(t, dir, "800", "no figure")
	s = mustSummarize(t, dir)
	if s.NTPOTParts.Server != nil || !warned(s, "ntpot_parts.server", "cannot be used") {
		t.Errorf("a page that cannot be read: %+v, %+v", s.NTPOTParts.Server, s.Warnings)
	}
}
