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
