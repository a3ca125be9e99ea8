package verdict

import "tare/analysis/arrival"

// Thresholds are the limits of the verdict. Times are in milliseconds unless
// the name says otherwise, shares are of 1.
type Thresholds struct {
	// A lag is suspect, or biased, when its p99 exceeds both the share of the
	// p99 of wire TTFT and the time beside it.
	SuspectLagShare float64 `json:"suspect_lag_share"`
	SuspectLag      float64 `json:"suspect_lag_ms"`
	BiasedLagShare  float64 `json:"biased_lag_share"`
	BiasedLag       float64 `json:"biased_lag_ms"`

	Rho       float64 `json:"biased_rho"`          // work only; biased above it
	SentShare float64 `json:"biased_sent_share"`   // of planned; biased below it
	ClockStep float64 `json:"suspect_clock_us"`    // jump of realtime − monotonic; suspect above it
	GCShare   float64 `json:"suspect_gc_share"`    // of the step's time, stopped by the collector; suspect above it
	Unstamped float64 `json:"suspect_user_stamps"` // share of events without a kernel stamp; suspect above it
	Throttled int64   `json:"suspect_throttled"`   // periods held up by the CPU quota; suspect above it

	// Effects of the arrival self-test. A figure off its law by more is
	// suspect, if it is off by more than chance allows as well.
	ArrivalCV    float64 `json:"suspect_arrival_cv"`       // relative
	ArrivalACF1  float64 `json:"suspect_arrival_acf1"`     // absolute
	ArrivalIDC   float64 `json:"suspect_arrival_idc"`      // absolute
	ArrivalKS    float64 `json:"suspect_arrival_ks_d"`     // absolute
	ArrivalDrift float64 `json:"suspect_arrival_drift_ms"` // of the lag, from the first tenth to the last
}

// Default returns the limits in use.
func Default() Thresholds {
	return Thresholds{
		SuspectLagShare: 0.10,
		SuspectLag:      1,
		BiasedLagShare:  0.50,
		BiasedLag:       10,
		Rho:             0.9,
		SentShare:       0.99,
		ClockStep:       50,
		GCShare:         0.01,
		Unstamped:       0.01,
		Throttled:       0,
		ArrivalCV:       arrival.EffectCV,
		ArrivalACF1:     arrival.EffectACF1,
		ArrivalIDC:      arrival.EffectIDC,
		ArrivalKS:       arrival.EffectKS,
		ArrivalDrift:    arrival.EffectDrift.Seconds() * 1e3,
	}
}
