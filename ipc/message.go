package ipc

import "github.com/vmihailenco/msgpack/v5"

// Protocol is the version of frames and record files. It changes whenever a
// tuple's fields do; files of another version are refused.
const Protocol = 1

// Type says what message a frame holds.
type Type uint8

// The types of frames, in the order in which a run sees them.
const (
	TypeHeader Type = iota + 1 // file only: what is about to run
	TypeHello
	TypeAssign
	TypeReady
	TypeStep // file only: a step begins
	TypeStart
	TypeProgress
	TypeRecords
	TypeStop
	TypeDone
	TypeFault
	TypeEnd // file only: how the run ended
)

// Header is the first frame of a record file.
type Header struct {
	Protocol int
	Manifest []byte // the manifest as it stood before Start, JSON
}

// Hello is a worker's first word.
type Hello struct {
	Protocol int
	PID      int
	Build    string // version of the worker's binary; equal to the supervisor's
	CPUs     []int  // as sched_getaffinity reads them back
	MaxFiles uint64 // RLIMIT_NOFILE after raising it
}

// Assign tells a worker what it is part of. Secrets travel here and nowhere
// else: not in argv, the manifest or records.
type Assign struct {
	Worker   int    // this worker's number, from 0
	Workers  int    // m, by which schedules and shares are cut
	Procs    int    // GOMAXPROCS: 1, or m under goroutine sharding
	Settings []byte // Settings, JSON
	APIKey   string // bearer token, or ""
	Headers  []string
}

// Ready says that a worker waits for Start.
type Ready struct {
	Connections  int      // warm and idle
	Addresses    []string // of the target, those that answered
	KernelStamps bool     // whether the kernel stamped a probe of the loopback
	ClockOffset  int64    // realtime − monotonic, ns
}

// Step begins one step of load on file. A plain run has one, number 0.
type Step struct {
	Step   int
	Offset int64 // of the step's epoch after the run epoch, ns
	Load   []byte
}

// Start starts a step at an instant that lies ahead, the same for all workers.
type Start struct {
	Step   int
	Epoch  int64 // run epoch, CLOCK_MONOTONIC ns
	Offset int64 // of the step's epoch after the run epoch, ns
	Load   []byte
}

// Progress is a worker's state at an instant, counted since the step began.
type Progress struct {
	Step     int
	At       int64 // ns after the run epoch
	Due      int64 // arrivals that have fallen due
	Sent     int64 // requests whose sending was tried
	OK       int64
	Failed   int64
	Dropped  int64
	InFlight int64
	Conns    int64     // connections open
	Dials    int64     // connections ever dialled
	Queue    QueueRows // rows completed since the last Progress
	Usage    Usage
}

// Usage is what a worker process cost since the step began.
type Usage struct {
	User        int64 // CPU time, ns
	System      int64 // CPU time, ns
	Switches    int64 // voluntary context switches
	Preemptions int64 // involuntary context switches
	MaxRSS      int64 // bytes, since the process began
	GCs         int64
	GCPause     int64 // ns, stop-the-world
	ClockStep   int64 // largest jump of realtime − monotonic, ns
	Goroutines  int64
}

// StopMode says how fast to stop.
type StopMode uint8

// Ways to stop.
const (
	StopDrain StopMode = iota + 1 // send nothing more, wait for what is in flight
	StopNow                       // cancel what is in flight, too
	StopExit                      // nothing runs: leave
)

// Stop ends the sending.
type Stop struct {
	Mode StopMode
}

// Done says that all records of a step have been sent.
type Done struct {
	Step    int
	Last    Progress
	Ended   int64 // ns after the run epoch; every arrival of the worker's slice due until then has a record
	Stopped bool  // sending ended before the load did
}

// Fault is a worker's last word when it cannot go on.
type Fault struct {
	Text  string
	Stack string
}

// End is the last frame of a record file.
type End struct {
	At          int64 // ns after the run epoch
	Interrupted int64 // instant at which a person stopped the run, ns; 0 if none did
	Dead        []int // workers that died
	Throttled   int64 // periods in which the cgroup's CPU quota held the run up
}

// Moments are a count and exact power sums of a non-negative quantity in ns.
// The square sum has 128 bits, so that nothing is rounded.
type Moments struct {
	N    uint64
	Sum  uint64 // ns
	SqHi uint64 // ns², upper half
	SqLo uint64 // ns², lower half
}

// QueueInterval is the length of a QueueRow in ns.
const QueueInterval = 250_000_000

// QueueRow holds the queueing sums of one worker over one interval: Lindley's
// wait W and service S of every output event handled in it.
type QueueRow struct {
	Interval int64   // [Interval, Interval+1) × QueueInterval after the step's epoch
	Busy     Moments // S of events that arrived while another was in service or waiting
	Idle     Moments // S of events that found the worker idle: work and wake-up
	Wait     Moments // W of all events
	SWHi     uint64  // ΣS·W in ns², upper half
	SWLo     uint64  // ΣS·W in ns², lower half
	Gap      Moments // between successive stamps, sorted
	Batches  uint64  // runs of output events of one stream at most BatchGap apart
	BatchSq  uint64  // Σ of squared batch sizes
	Late     uint64  // events whose stamp was older than one already paired
}

// QueueRows are decoded one by one: a count that claims too many ends at the
// end of the frame, not of memory.
type QueueRows []QueueRow

// DecodeMsgpack implements msgpack.CustomDecoder.
func (q *QueueRows) DecodeMsgpack(d *msgpack.Decoder) error {
	n, err := d.DecodeArrayLen()
	if err != nil {
		return err
	}
	*q = nil
	for range n {
		var row QueueRow
		if err := d.Decode(&row); err != nil {
			return err
		}
		*q = append(*q, row)
	}
	return nil
}

// BatchGap is the distance in ns below which two output events of one stream
// count as one batch.
const BatchGap = 50_000
