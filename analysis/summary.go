package analysis

import (
	"tare/analysis/metrics"
	"tare/analysis/verdict"
	"tare/ipc"
)

// Summary is what one step of load came to. Its JSON form is summary.json,
// whose keys stay stable. A figure that is undefined is nil, in JSON null.
type Summary struct {
	Verdict    verdict.Verdict `json:"verdict"`
	Load       Traffic         `json:"load"`
	Latency    metrics.Latency `json:"latency"`     // of requests that succeeded and were scheduled in the steady window
	NTPOTParts *NTPOTParts     `json:"ntpot_parts"` // of the same; nil if nothing was streamed
	Tokens     metrics.Tokens  `json:"tokens"`
	Client     Client          `json:"client"`
	SLO        SLO             `json:"slo"`
	Until      *Until          `json:"until"` // nil without --until
	Warnings   []Warning       `json:"warnings"`
}

// Traffic is what was asked of the server and what became of it. Counts include
// the warm-up; rates are in requests/s over the steady window and nil for a
// window of no length.
type Traffic struct {
	RequestedRate *float64 `json:"requested_rate"` // nil in a closed loop
	AchievedRate  *float64 `json:"achieved_rate"`  // sent
	DeliveredRate *float64 `json:"delivered_rate"` // succeeded
	ipc.Ledger
	Errors       map[string]int64 `json:"errors"`        // failed requests by class, every class
	EmptyAnswers int64            `json:"empty_answers"` // requests that succeeded without an output event
	Window       Window           `json:"window"`
	ArrivalTest  *ArrivalTest     `json:"arrival_test"` // nil in a closed loop
}

// Window is the steady window in seconds after the step's epoch: from the end
// of the warm-up to the last due time, in a closed loop to the end of sending.
type Window struct {
	From float64 `json:"from_s"`
	To   float64 `json:"to_s"`
}

// ArrivalTest describes the instants of sending in the steady window.
type ArrivalTest struct {
	CV       *float64 `json:"cv"`        // of the gaps
	ACF1     *float64 `json:"acf1"`      // of successive gaps
	IDC10ms  *float64 `json:"idc_10ms"`  // variance over mean of counts
	IDC50ms  *float64 `json:"idc_50ms"`  //
	IDC200ms *float64 `json:"idc_200ms"` //
	KSD      *float64 `json:"ks_d"`      // distance of the gaps from their law
}

// Client is what the measuring client was and how it held out.
type Client struct {
	Sharding    string     `json:"sharding"`     // process or goroutine
	Emulation   *Emulation `json:"emulation"`    // nil: the client is as fast as it is
	Stamps      *string    `json:"stamps"`       // kernel, or user where the kernel gave none; nil without an event
	SharedReads *float64   `json:"shared_reads"` // of all workers
	Total       Handling   `json:"total"`        // of all workers
	Workers     []Worker   `json:"workers"`
}

// Emulation is a slow client that was played: its figures are not those of
// this one.
type Emulation struct {
	ServiceTime string `json:"service_time"` // law of the time added to each output event
	Mode        string `json:"mode"`         // busy or held
}

// Handling is how output events were taken in. Its queue figures are those of
// rows of 250 ms inside the steady window.
type Handling struct {
	metrics.Queue
	EventsPerRead *float64 `json:"events_per_read"`    // output events over reads that completed one
	SharedReads   *float64 `json:"shared_reads"`       // share of output events that were not alone in their read
	LagP50        *float64 `json:"client_lag_p50_us"`  // u − k
	LagP99        *float64 `json:"client_lag_p99_us"`  //
	LagP999       *float64 `json:"client_lag_p999_us"` //
}

// Worker is one client process.
type Worker struct {
	ID   int   `json:"id"`
	CPUs []int `json:"cpus"`
	Handling
	CPU           *float64 `json:"cpu_s"`              // user and system, over the step
	CPUPerRequest *float64 `json:"cpu_us_per_request"` // over requests sent
	CPUPerEvent   *float64 `json:"cpu_us_per_event"`   // over output events
}

// SLO tells how many requests met every limit asked for; nil without limits.
// TTFT, E2E and NTPOT are judged from the scheduled instant, TPOT and ITL by
// kernel stamps, ITL by the request's longest gap. A request with one output
// event has no gap to be slow in and meets TPOT and ITL; one without any
// misses TTFT, E2E and NTPOT.
type SLO struct {
	Goodput  *float64 `json:"goodput"`  // good requests/s of the steady window
	Attained *float64 `json:"attained"` // share of the arrivals planned in the steady window
}

// A Warning is a doubt about one figure. It does not change the verdict.
type Warning struct {
	Path string `json:"path"` // of the key in summary.json
	Text string `json:"text"`
}
