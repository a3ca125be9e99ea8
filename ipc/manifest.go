package ipc

import "time"

// ManifestFileName is the manifest's name within a run directory.
const ManifestFileName = "manifest.json"

// Manifest says what ran, where, and how it ended. It is written before Start,
// is the payload of a record file's Header in that state, and is completed at
// the end.
type Manifest struct {
	Version  string    `json:"version"` // of tare
	Protocol int       `json:"protocol"`
	Name     string    `json:"name"`
	Started  time.Time `json:"started"` // wall clock, UTC
	Epoch    int64     `json:"epoch_monotonic_ns"`
	Command  []string  `json:"command"` // argv, secrets masked
	Settings Settings  `json:"settings"`
	Host     Host      `json:"host"`
	Workers  []Child   `json:"workers"`
	Notes    []string  `json:"notes"` // what a reader must know: emulation, no TLS checks, HTTP/1.1

	End *Ending `json:"end"` // null until the run has ended
}

// Host describes the machine.
type Host struct {
	Name        string  `json:"name"`
	Kernel      string  `json:"kernel"`
	Go          string  `json:"go"`
	CPUModel    string  `json:"cpu_model"`
	AllowedCPUs []int   `json:"allowed_cpus"`
	MemoryBytes int64   `json:"memory_bytes"`
	CPUQuota    float64 `json:"cpu_quota,omitempty"` // CPUs' worth, by cgroup; 0: none
	MaxFiles    uint64  `json:"max_files"`
	PortRange   [2]int  `json:"port_range"`
	Throttled   int64   `json:"throttled_periods"` // by the cgroup, during the run
}

// Child is one worker process as the supervisor saw it.
type Child struct {
	Worker      int    `json:"worker"`
	PID         int    `json:"pid"`
	CPUs        []int  `json:"cpus"` // read back after pinning
	Connections int    `json:"warm_connections"`
	ClockOffset int64  `json:"clock_offset_ns"` // realtime − monotonic
	Exit        string `json:"exit,omitempty"`
	Stderr      string `json:"stderr,omitempty"` // the last of it, if it said anything
}

// Ending says how a run ended.
type Ending struct {
	Status  string  `json:"status"` // complete, interrupted or partial
	Seconds float64 `json:"seconds"`
	Ledger  Ledger  `json:"ledger"`
}

// Ledger counts every planned arrival once: Planned = OK + Failed + Dropped +
// Lost, and Sent = OK + Failed.
type Ledger struct {
	Planned int64 `json:"planned"`
	Sent    int64 `json:"sent"`
	OK      int64 `json:"ok"`
	Failed  int64 `json:"failed"`
	Dropped int64 `json:"dropped"`
	Lost    int64 `json:"lost"`
}

// Balanced tells whether the ledger adds up.
func (l Ledger) Balanced() bool {
	return l.Planned == l.OK+l.Failed+l.Dropped+l.Lost && l.Sent == l.OK+l.Failed
}
