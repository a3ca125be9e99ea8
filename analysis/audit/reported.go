package audit

// Metric is one of the latencies that load generators report, under the names
// of this program.
type Metric string

// The metrics that can be held against the server's own.
const (
	TTFT  Metric = "ttft"
	E2E   Metric = "e2e"
	TPOT  Metric = "tpot"
	ITL   Metric = "itl"
	NTPOT Metric = "ntpot"
)

// Metrics are all of them, in the order of tables.
var Metrics = []Metric{TTFT, TPOT, ITL, NTPOT, E2E}

// Reported is what a load generator said of its own run. What it did not say
// is nil.
type Reported struct {
	Tool     string             `json:"tool"`            // as in tare audit --recipe
	Version  string             `json:"version"`         // empty: it does not say
	OK       *int64             `json:"ok"`              // requests that it counts as successes
	Failed   *int64             `json:"failed"`          // and as failures
	Asked    *float64           `json:"asked_rate"`      // requests/s that it was told to send
	Rate     *float64           `json:"rate"`            // requests/s that it says it completed
	Duration *float64           `json:"duration_s"`      // over which it says so, s
	Latency  map[Metric]Summary `json:"latency"`         // a metric that it does not report is not in it
	Names    map[Metric]string  `json:"names,omitempty"` // its own name for a metric, where it is another
}

// Summary is a latency in ms as a tool summarised it.
type Summary struct {
	Mean *float64 `json:"mean_ms"`
	P50  *float64 `json:"p50_ms"`
	P90  *float64 `json:"p90_ms"`
	P95  *float64 `json:"p95_ms"`
	P99  *float64 `json:"p99_ms"`
}
