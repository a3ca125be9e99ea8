package analysis

import (
	"fmt"
	"math"

	"tare/analysis/ntpot"
	"tare/analysis/servermetrics"
)

// NTPOTParts are what the mean NTPOT is made of, by the client's latencies and,
// beside, by the server's own word.
type NTPOTParts struct {
	ntpot.Parts
	Baseline *Idle                 `json:"baseline"` // nil: queue and fixed cost are one term
	Server   *servermetrics.Server `json:"server"`   // nil: its metrics were not asked for
}

// Idle names the run that told queue from fixed cost.
type Idle struct {
	Dir      string   `json:"dir"`
	InFlight *float64 `json:"in_flight"` // requests in flight in the mean
}

// beside is what a run directory holds beside the records.
type beside struct {
	baseline  *Baseline
	server    *servermetrics.Server
	serverErr error // why there is none; nil if nobody asked
}

func readBeside(dir string) (b beside, err error) {
	b.baseline, err = readBaseline(dir)
	b.server, b.serverErr = servermetrics.Read(dir)
	return b, err
}

// parts takes NTPOT apart. A page of server metrics is over the whole run, so
// that only a plain run has a part in it.
func (f *file) parts(s *step) (*NTPOTParts, []ntpot.Doubt) {
	p, doubts := ntpot.Fit(s.latency.Rows(), s.sums)
	parts := &NTPOTParts{}
	plain := len(f.order) == 1
	if plain {
		parts.Server = f.beside.server
		doubts = append(doubts, f.serverDoubts(s)...)
	}
	if p == nil && parts.Server == nil {
		return nil, doubts
	}
	if p != nil {
		if b := f.beside.baseline; b != nil {
			parts.Baseline = &Idle{Dir: b.Dir, InFlight: b.InFlight}
			doubts = append(append(doubts, b.doubts(s.settings)...), p.Against(b.Parts)...)
		}
		parts.Parts = *p
	}
	return parts, doubts
}

// foreign is the share of the run's requests by which the server's count may be
// off before somebody else is said to have sent some.
const foreign = 0.01

func (f *file) serverDoubts(s *step) []ntpot.Doubt {
	if err := f.beside.serverErr; err != nil {
		return []ntpot.Doubt{{Key: "server", Text: "the server's metrics cannot be used: " + err.Error()}}
	}
	if f.beside.server == nil || f.beside.server.Requests == nil {
		return nil
	}
	if n, ok := *f.beside.server.Requests, float64(s.ok); math.Abs(n-ok) > foreign*ok {
		return []ntpot.Doubt{{Key: "server", Text: fmt.Sprintf("the server counts %.0f requests, %.0f of this run succeeded: its means are over all of them", n, ok)}}
	}
	return nil
}
