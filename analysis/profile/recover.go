package profile

import (
	"cmp"
	"fmt"
	"slices"

	"tare/ipc"
)

// Hysteresis compares the way back down with the way up.
type Hysteresis struct {
	Recovers *bool      `json:"recovers"` // nil while no step of the way down can tell
	Steps    []Recovery `json:"steps"`
}

// Recovery compares two steps of the same load.
type Recovery struct {
	Load     float64  `json:"load"`
	Up       int      `json:"up"` // numbers of the two steps
	Down     int      `json:"down"`
	TTFTUp   *float64 `json:"ttft_up_ms"` // median, wire
	TTFTDown *float64 `json:"ttft_down_ms"`
	Recovers *bool    `json:"recovers"` // nil where it could not be told
	Why      string   `json:"why"`
}

// Of the way down.
const (
	downSteps = 4   // at most so many loads that were stable on the way up
	slower    = 1.2 // median TTFT over that of the way up that still counts as recovered …
	slack     = 0.5 // … beside so many ms
)

// descend is step number n of the way down: first into overload, then through
// the loads that were stable on the way up, from the highest.
func descend(p ipc.Profile, up []Step, n int) (Ask, bool) {
	loads := wayDown(up)
	if n >= len(loads) {
		return Ask{}, false
	}
	a := Ask{Rate: loads[n], Purpose: Down}
	if !p.Open() {
		a = Ask{Concurrency: int64(loads[n]), Purpose: Down}
	}
	return a, true
}

// wayDown is the loads of the way down; none without a saturated and a stable
// step.
func wayDown(up []Step) []float64 {
	var stable []float64
	top := 0.0
	for i := range up {
		switch s := &up[i]; s.Status {
		case Saturated:
			top = max(top, s.load())
		case Stable:
			stable = append(stable, s.load())
		}
	}
	if top == 0 || len(stable) == 0 {
		return nil
	}
	slices.SortFunc(stable, func(a, b float64) int { return cmp.Compare(b, a) })
	stable = slices.Compact(stable)
	for len(stable) > downSteps {
		stable = slices.Delete(stable, len(stable)-2, len(stable)-1) // the highest and the lowest stay
	}
	return append([]float64{top}, stable...)
}

// hysteresis compares; nil unless the profile walks back down.
func hysteresis(p ipc.Profile, up, down []Step) *Hysteresis {
	if !p.Down {
		return nil
	}
	h := &Hysteresis{Steps: []Recovery{}}
	for i := range down {
		d := &down[i]
		at := slices.IndexFunc(up, func(u Step) bool { return u.load() == d.load() && u.Status == Stable })
		if at < 0 || d.Status == Client || d.Interrupted {
			continue
		}
		r := recovery(&up[at], d)
		h.Steps = append(h.Steps, r)
		if r.Recovers != nil && (h.Recovers == nil || *h.Recovers) {
			h.Recovers = r.Recovers
		}
	}
	return h
}

func recovery(up, down *Step) Recovery {
	r := Recovery{
		Load: down.load(), Up: up.Number, Down: down.Number,
		TTFTUp: up.Summary.Latency.TTFT.Wire.P50, TTFTDown: down.Summary.Latency.TTFT.Wire.P50,
	}
	if down.Status != Stable {
		r.Why = "stable on the way up, " + string(down.Status) + " on the way down"
		if down.Status == Saturated {
			r.Recovers = new(false)
		}
		return r
	}
	if r.TTFTUp != nil && r.TTFTDown != nil && *r.TTFTDown > slower**r.TTFTUp+slack {
		r.Recovers = new(false)
		r.Why = fmt.Sprintf("median TTFT is %s ms, more than %g times the %s ms of the way up", figure(*r.TTFTDown), slower, figure(*r.TTFTUp))
		return r
	}
	r.Recovers = new(true)
	r.Why = "stable, and as fast as on the way up"
	return r
}
