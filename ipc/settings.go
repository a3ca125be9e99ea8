package ipc

import "time"

// Settings are what a run was asked to do, complete and without secrets: they
// stand in the manifest and in the record file, and every worker gets them.
// Laws and sizes are in the grammar of the command line.
type Settings struct {
	Target   Target   `json:"target"`
	Load     Load     `json:"load"`
	Shape    Shape    `json:"shape"`
	Sharding Sharding `json:"sharding"`
	SLO      SLO      `json:"slo"`
	SaveText bool     `json:"save_text"`
	Profile  *Profile `json:"profile,omitempty"` // nil: a plain run of one step
}

// Target is the server and how it is spoken to.
type Target struct {
	URL         string            `json:"url"` // scheme, host, optional path prefix
	Endpoint    string            `json:"endpoint"`
	Model       string            `json:"model"`
	Stream      bool              `json:"stream"`
	Headers     map[string]string `json:"headers,omitempty"` // values that may be secret are masked
	ExtraBody   string            `json:"extra_body,omitempty"`
	IgnoreEOS   bool              `json:"ignore_eos,omitempty"`
	Insecure    bool              `json:"insecure,omitempty"`
	CA          string            `json:"ca,omitempty"`
	Cert        string            `json:"cert,omitempty"`
	Key         string            `json:"key,omitempty"` // path of the client certificate's key
	Timeout     time.Duration     `json:"timeout_ns"`
	IdleTimeout time.Duration     `json:"idle_timeout_ns"`
}

// Load is one step of load. Exactly one of Rate and Concurrency is set.
type Load struct {
	Arrival     string        `json:"arrival"`
	Rate        string        `json:"rate,omitempty"` // requests/s, exact decimal
	Burstiness  float64       `json:"burstiness,omitempty"`
	Trace       string        `json:"trace,omitempty"`
	Concurrency int64         `json:"concurrency,omitempty"`
	Duration    time.Duration `json:"duration_ns"` // 0: until Requests
	Requests    int64         `json:"requests,omitempty"`
	Until       string        `json:"until,omitempty"` // goal that ends the load before Duration does
	Warmup      time.Duration `json:"warmup_ns"`
	Drain       time.Duration `json:"drain_ns,omitempty"` // 0: as long as the requests' own deadlines
	MaxInFlight int64         `json:"max_in_flight"`
	Seed        uint64        `json:"seed"`
}

// Open tells whether arrivals are due at instants of their own (open loop)
// and not when an earlier request ends (closed loop).
func (l Load) Open() bool { return l.Concurrency == 0 }

// Shape is what the requests look like.
type Shape struct {
	InputTokens  string `json:"input_tokens"`
	OutputTokens string `json:"output_tokens"`
	Dataset      string `json:"dataset,omitempty"`
	ServiceTime  string `json:"service_time,omitempty"` // emulated, per output event
	ServiceMode  string `json:"service_mode,omitempty"`
}

// Sharding is how the client is spread over CPUs.
type Sharding struct {
	Mode    string  `json:"mode"` // process or goroutine
	Workers int     `json:"workers"`
	CPUs    [][]int `json:"cpus"` // a list for each child
}

// SLO holds the limits a request must meet to count as good; 0 means none.
type SLO struct {
	TTFT  time.Duration `json:"ttft_ns,omitempty"`
	TPOT  time.Duration `json:"tpot_ns,omitempty"`
	ITL   time.Duration `json:"itl_ns,omitempty"`
	NTPOT time.Duration `json:"ntpot_ns,omitempty"`
	E2E   time.Duration `json:"e2e_ns,omitempty"`
}

// Profile is how a profile raises the load from step to step. The load of
// each step stands in its Step frame. From and To are set in an open loop,
// ConcurrencyFrom and ConcurrencyTo in a closed one.
type Profile struct {
	Scale           string        `json:"scale"`          // geometric, linear or auto
	From            float64       `json:"from,omitempty"` // requests/s
	To              float64       `json:"to,omitempty"`   // requests/s
	ConcurrencyFrom int64         `json:"concurrency_from,omitempty"`
	ConcurrencyTo   int64         `json:"concurrency_to,omitempty"`
	Steps           int           `json:"steps"`            // of a ladder; at most so many of a search
	StepDuration    time.Duration `json:"step_duration_ns"` // wanted length of a step, warm-up included
	MinStep         time.Duration `json:"min_step_ns"`      // a step may end earlier than wanted, not before this
	MaxStep         time.Duration `json:"max_step_ns"`      // … and later, up to this
	StepWarmup      time.Duration `json:"step_warmup_ns"`
	Drain           time.Duration `json:"drain_ns"`
	Precision       float64       `json:"precision"`  // wanted width of the capacity's interval, share of the capacity
	Attainment      float64       `json:"attainment"` // share of requests that must meet the SLO
	Down            bool          `json:"down"`       // walk back down at the end
}

// Open tells whether the steps are of an open loop.
func (p Profile) Open() bool { return p.ConcurrencyTo == 0 }
