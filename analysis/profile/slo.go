package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mathext"

	"tare/analysis/stats"
	"tare/ipc"
)

// Presets are the limits of MLPerf Inference (mlperf.conf, Server and
// Interactive scenarios), by name.
var presets = map[string]ipc.SLO{
	"llama2-70b":                limits(2000, 200),
	"llama2-70b-interactive":    limits(450, 40),
	"llama3.1-405b":             limits(6000, 175),
	"llama3.1-405b-interactive": limits(4500, 80),
	"llama3.1-8b":               limits(2000, 100),
	"llama3.1-8b-interactive":   limits(500, 30),
	"deepseek-r1":               limits(2000, 80),
	"deepseek-r1-interactive":   limits(1500, 15),
	"mixtral-8x7b":              limits(2000, 200),
	"gpt-oss-120b":              limits(3000, 80),
	"gpt-oss-120b-interactive":  limits(2000, 15), // 20 in the text of the rules
}

// limits are those of TTFT and TPOT in ms.
func limits(ttft, tpot time.Duration) ipc.SLO {
	return ipc.SLO{TTFT: ttft * time.Millisecond, TPOT: tpot * time.Millisecond}
}

// Preset returns MLPerf's limits for a benchmark, such as
// "llama2-70b-interactive". The error lists the names.
func Preset(name string) (ipc.SLO, error) {
	slo, ok := presets[name]
	if !ok {
		return slo, fmt.Errorf("there is no preset %q; choose one of %s", name, strings.Join(slices.Sorted(maps.Keys(presets)), ", "))
	}
	return slo, nil
}

// Met says whether the wanted share of requests met the SLO.
type Met string

// The answers; Unsure where the requests are too few to tell.
const (
	Meets  Met = "meets"
	Misses Met = "misses"
	Unsure Met = "unsure"
)

// Attained is how many of a step's requests met the SLO; failures, dropped
// arrivals and requests that were cut off did not.
type Attained struct {
	N         int     `json:"n"`         // arrivals of the steady window
	Good      int     `json:"good"`      // of them, those that met every limit
	Share     float64 `json:"share"`     // Good/N
	Effective float64 `json:"effective"` // independent requests that would tell as much
	Met       Met     `json:"met"`
}

// attained judges the arrivals due in [from, to), as far as all before them
// have ended: to look at those that end early would flatter the server. It is
// nil without any.
//
// The rule is the one of MLPerf LoadGen's early stopping (see
// [stats.MinCount]), on the number of independent requests. n of them count as
// n/D, D being how much more the share of misses, which come in clumps, varies
// over blocks than a binomial one; and as no more than their latencies, whose
// correlation shows before there is a miss (see [stats.EffectiveSize]).
func (f *Flow) attained(from, to int64, attainment float64) *Attained {
	ended := slices.Sorted(slices.Values(f.ended))
	good := slices.Sorted(slices.Values(f.good))
	for i, at := range f.due {
		if at >= to || i >= len(ended) || ended[i] != at {
			to = min(to, at)
			break
		}
	}
	a := &Attained{N: within(f.due, from, to), Good: within(good, from, to)}
	if a.N == 0 {
		return nil
	}
	a.Share = float64(a.Good) / float64(a.N)
	a.Effective = float64(a.N) / clumping(counts(good, from, to, blocks), counts(f.due, from, to, blocks))
	if n, ok := stats.EffectiveSize(f.latencies(from, to)); ok {
		a.Effective = min(a.Effective, n)
	}
	a.Met = meets(a.Effective, a.Effective*(1-a.Share), attainment)
	return a
}

// latencies are the times from due to end of what was due in [from, to), in its
// order.
func (f *Flow) latencies(from, to int64) []float64 {
	var x []float64
	for _, s := range f.spans {
		if s.from >= from && s.from < to {
			x = append(x, float64(s.to-s.from))
		}
	}
	return x
}

// clumping is D, at least 1.
func clumping(good, all []float64) float64 {
	share, n := sum(good)/sum(all), sum(all)
	if share == 0 || share == 1 {
		return 1
	}
	square := 0.0
	for i := range good {
		off := good[i] - share*all[i]
		square += off * off
	}
	return max(1, square*blocks/(blocks-1)/(n*share*(1-share)))
}

// leastEffective is the effective number of requests below which nothing meets
// an SLO: from fewer the correlation itself is known too badly.
const leastEffective = 100

// meets judges over misses among n independent requests, each side at Level.
func meets(n, over, attainment float64) Met {
	if most, ok := stats.MaxOver(int64(n), attainment, Level); ok && n >= leastEffective && over <= float64(most) {
		return Meets
	}
	if over >= 1 && mathext.RegIncBeta(over, n-over+1, 1-attainment) <= 1-Level {
		return Misses
	}
	return Unsure
}

// SLOCapacity is the highest load under which enough requests meet the SLO.
type SLOCapacity struct {
	Rate       *float64 `json:"rate"` // = lo
	Lo         *float64 `json:"lo"`   // highest load that meets it, below every one that misses it
	Hi         *float64 `json:"hi"`   // lowest load that misses it
	Attainment float64  `json:"attainment"`
	Level      float64  `json:"level"`
	Notes      []string `json:"notes"`
}

// sloCapacity reads the steps of the way up; nil without an SLO.
func sloCapacity(p ipc.Profile, slo ipc.SLO, steps []Step) *SLOCapacity {
	if slo == (ipc.SLO{}) {
		return nil
	}
	lo, hi := sloBracket(steps)
	c := &SLOCapacity{Rate: lo, Lo: lo, Hi: hi, Attainment: p.Attainment, Level: Level, Notes: []string{}}
	switch {
	case lo == nil && hi == nil:
		c.Notes = append(c.Notes, fmt.Sprintf("no step had enough requests to tell: %d at the least, with none that misses",
			stats.MinCount(p.Attainment, 0, Level)))
	case lo == nil:
		c.Notes = append(c.Notes, "no load that was tried meets the SLO")
	case hi == nil:
		c.Notes = append(c.Notes, "no load that was tried misses the SLO")
	}
	return c
}

// sloBracket returns the highest load that meets the SLO below the lowest that
// misses it; nil where there is none. Steps with a client that was not valid
// do not count.
func sloBracket(steps []Step) (lo, hi *float64) {
	for i := range steps {
		s := &steps[i]
		if s.SLO != nil && s.Status != Client && s.SLO.Met == Misses && (hi == nil || s.load() < *hi) {
			hi = new(s.load())
		}
	}
	for i := range steps {
		s := &steps[i]
		if s.SLO != nil && s.Status != Client && s.SLO.Met == Meets && (hi == nil || s.load() < *hi) && (lo == nil || s.load() > *lo) {
			lo = new(s.load())
		}
	}
	return lo, hi
}
