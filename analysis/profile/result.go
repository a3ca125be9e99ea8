package profile

import (
	"tare/ipc"
)

// Result is profile.json: what a profile found. A figure that is undefined is
// nil, in JSON null.
type Result struct {
	Capacity   Capacity     `json:"capacity"`
	Knee       Knee         `json:"knee"`
	SLO        *SLOCapacity `json:"slo_capacity"` // nil without an SLO
	Hysteresis *Hysteresis  `json:"hysteresis"`   // nil without a way down
	Ended      string       `json:"ended"`        // why there are no more steps
	Settings   ipc.Profile  `json:"profile"`
	Steps      []Step       `json:"steps"`
}

// Conclude says what the steps of a profile came to. An interrupted step is
// shown and decides nothing.
func Conclude(p ipc.Profile, slo ipc.SLO, steps []Step) Result {
	whole := steps
	if n := len(steps); n > 0 && steps[n-1].Interrupted {
		whole = steps[:n-1]
	}
	up := wayUp(p, slo, whole)
	r := Result{Settings: p, Steps: steps, Capacity: capacityOf(p, whole[:up])}
	if r.Steps == nil {
		r.Steps = []Step{}
	}
	r.Knee = kneeOf(r.Capacity, whole[:up])
	r.SLO = sloCapacity(p, slo, whole[:up])
	r.Hysteresis = hysteresis(p, whole[:up], whole[up:])
	if _, more, why := Next(p, slo, whole); more {
		r.Ended = "it was stopped before its end"
	} else {
		r.Ended = why
	}
	return r
}
