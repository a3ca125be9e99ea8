package profile

import (
	"strings"
	"testing"
	"time"

	"tare/ipc"
)

// MLPerf's limits in ms, as its configuration has them.
func TestPreset(t *testing.T) {
	for name, want := range map[string][2]int{
		"llama2-70b": {2000, 200}, "llama2-70b-interactive": {450, 40}, "llama3.1-405b": {6000, 175},
		"llama3.1-405b-interactive": {4500, 80}, "llama3.1-8b-interactive": {500, 30}, "gpt-oss-120b-interactive": {2000, 15},
	} {
		got, err := Preset(name)
		if err != nil || got != (ipc.SLO{TTFT: time.Duration(want[0]) * time.Millisecond, TPOT: time.Duration(want[1]) * time.Millisecond}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := Preset("gpt-9"); err == nil || !strings.Contains(err.Error(), "choose one of deepseek-r1, ") {
		t.Errorf("an unknown preset: %v", err)
	}
}

// MLPerf's early stopping at 99 % and 99 %: 459 requests with none that
// misses, 662 with one. The other way, ten misses of 300 are surely more than
// one in a hundred: P(Binomial(300, 0.01) ≥ 10) = 0.001.
func TestMeets(t *testing.T) {
	for _, c := range []struct {
		n, over float64
		want    Met
	}{
		{458, 0, Unsure}, {459, 0, Meets}, {661, 1, Unsure}, {662, 1, Meets},
		{300, 10, Misses}, {300, 4, Unsure}, {100, 50, Misses}, {1, 0, Unsure},
	} {
		if got := meets(c.n, c.over, 0.99); got != c.want {
			t.Errorf("%g of %g: %s, want %s", c.over, c.n, got, c.want)
		}
	}
}

// Twenty misses in a row are one clump and not twenty independent ones: they
// tell less about the share to come.
func TestAttainedCountsClumps(t *testing.T) {
	build := func(miss func(i int) bool) *Attained {
		f := NewFlow(0, ipc.SLO{E2E: 100 * time.Millisecond})
		for i := range 1600 {
			s := served{int64(i) * 1e7, int64(i)*1e7 + 5e7, ipc.OK}
			if miss(i) {
				s.end += 1e8
			}
			f.Due(s.at)
			f.End(s.record(new(ipc.Record)), false)
		}
		f.sort()
		return f.attained(0, 16e9, 0.99)
	}
	spread := build(func(i int) bool { return i%80 == 0 })
	clumped := build(func(i int) bool { return i >= 800 && i < 820 })
	if spread.Good != 1580 || clumped.Good != 1580 || spread.Effective != 1600 {
		t.Errorf("spread %+v, clumped %+v", spread, clumped)
	}
	// All 20 misses in one block of 100, p = 1/80: Σ(k−100p)² = 18.75² +
	// 15·1.25² = 375 over the binomial 16·100·p(1−p) = 19.75, times 16/15:
	// D = 20.3, and 1600 count as 79.
	if clumped.Effective < 75 || clumped.Effective > 83 {
		t.Errorf("1600 requests with one clump of 20 count as %.1f", clumped.Effective)
	}
}

// Requests in flight are unknown: only arrivals before the first of them count.
func TestAttainedWaitsForStragglers(t *testing.T) {
	f := NewFlow(0, ipc.SLO{E2E: time.Second})
	for i := range 100 {
		f.Due(int64(i) * 1e8)
		if i != 60 { // still in flight
			f.End(served{int64(i) * 1e8, int64(i)*1e8 + 1e7, ipc.OK}.record(new(ipc.Record)), false)
		}
	}
	f.sort()
	if got := f.attained(0, 1e10, 0.99); got.N != 60 || got.Good != 60 {
		t.Errorf("%+v, want the 60 before the straggler", got)
	}
}

// The limit of an M/M/1 queue for E2E ≤ x at a share p: E2E is exponential of
// mean 1/(μ−λ), so P(E2E > x) = e^−(μ−λ)x = 1−p at λ = μ − ln(1/(1−p))/x. With
// services of 10 ms, x = 150 ms and p = 0.9: 100 − 2.303/0.15 = 84.65/s.
func TestSLOCapacity(t *testing.T) {
	const want = 84.65
	trials := max(2, runs(10))
	p := auto(20, 160)
	p.Attainment, p.Precision, p.MaxStep = 0.9, 0.1, seconds(300)
	slo := ipc.SLO{E2E: 150 * time.Millisecond}
	good := uint64(0)
	for seed := range trials {
		b := bench{t: t, p: p, arrival: "poisson", seed: seed + 1, slo: slo, server: queue{slots: 1, service: "exp(10ms)"}}
		got := Conclude(b.p, b.slo, b.play()).SLO
		if got.Lo == nil || got.Hi == nil {
			t.Errorf("seed %d: %+v", seed+1, got)
			continue
		}
		t.Logf("seed %d: met up to %.2f, missed from %.2f", seed+1, *got.Lo, *got.Hi)
		if *got.Lo <= want && want <= *got.Hi {
			good++
		}
	}
	if good < trials-1 {
		t.Errorf("%d of %d intervals hold %g", good, trials, want)
	}
	if none := Conclude(p, ipc.SLO{}, nil).SLO; none != nil {
		t.Errorf("without an SLO: %+v", none)
	}
}
