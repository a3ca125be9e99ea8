package capacity

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"tare/analysis/queueing"
	"tare/ipc"
)

// Law is what output events and requests cost one worker. Times are in µs.
type Law struct {
	Source   string    `json:"source"` // the run directory
	Host     string    `json:"host"`
	CPUModel string    `json:"cpu_model"`
	Measured time.Time `json:"measured"`

	// How much the law rests on, and where it was measured.
	Busy          int64   `json:"n_busy"`             // events that arrived busy
	Rows          int     `json:"rows"`               // of 250 ms
	Disturbed     int     `json:"disturbed_rows"`     // of them, those whose E[S²] is more than 4 times the law's
	Events        float64 `json:"events_per_request"` //
	InputTokens   float64 `json:"input_tokens"`       // mean of a request
	Lambda        float64 `json:"lambda"`             // events/s of a worker
	CPUShare      float64 `json:"cpu_share"`          // of the busiest worker
	EventsPerRead float64 `json:"events_per_read"`

	ServiceMean   float64 `json:"service_mean_us"`    // E[S | busy]
	ServiceSecond float64 `json:"service_second_us2"` // E[S² | busy]
	IdleShare     float64 `json:"idle_share"`         // of events that found the worker idle
	IdleMean      float64 `json:"idle_mean_us"`       // E[S | idle], set-up included
	IdleSecond    float64 `json:"idle_second_us2"`    // E[S² | idle]
	Send          float64 `json:"send_us"`            // C
	CPU           float64 `json:"cpu_us_per_request"`

	// The model against the run that the law comes from.
	WaitMeasured  float64  `json:"wq_measured_us"`  // mean wait, median of the rows
	WaitPredicted *float64 `json:"wq_predicted_us"` // nil: the model has none
	WaitFactor    float64  `json:"wait_factor"`     // measured over predicted, at least 1: waits of plans are multiplied by it

	StreamBytes float64 `json:"stream_bytes"` // memory of a stream, beside BaseBytes
	RecordBytes float64 `json:"record_bytes"` // on file, of a request
}

// BaseBytes is the memory of a worker without streams: 17 MB were measured.
const BaseBytes = 18 << 20

// MinBusy is the fewest events that arrived busy from which a law is taken:
// E[S] is then known to 3 % at an SCV of 1.
const MinBusy = 1000

// Reasons why a run holds no law.
var (
	ErrTooFew    = errors.New("too little to plan from")
	ErrDisturbed = errors.New("the workers were disturbed")
)

// wildSCV is the greatest SCV of S that is taken for the worker's own, which is
// 1 to 4. A service in which the CPU is taken away for milliseconds is some
// hundred times as long as others.
const wildSCV = 10

// SCV is the squared coefficient of variation of S.
func (l *Law) SCV() float64 { return l.ServiceSecond/(l.ServiceMean*l.ServiceMean) - 1 }

// Setup is the mean set-up in µs: E[S | idle] − E[S | busy].
func (l *Law) Setup() float64 { return l.IdleMean - l.ServiceMean }

// NewLaw takes the law from a run. The error wraps ErrTooFew if too few events
// arrived busy, and ErrDisturbed if something else had the workers' CPUs nearly
// all the time; a run under goroutine sharding has no single server and no law.
func NewLaw(r Run) (Law, error) {
	l := Law{
		Source: r.Dir, Host: r.Manifest.Host.Name, CPUModel: r.Manifest.Host.CPUModel, Measured: r.Manifest.Started,
		Rows: len(r.Rows),
	}
	if mode := r.Summary.Client.Sharding; mode != "process" {
		return l, fmt.Errorf("%s was run with --sharding %s, where no worker is a single server; "+
			"plan from a run with --sharding process", r.Dir, mode)
	}
	for _, row := range r.Rows {
		l.Busy += int64(row.Busy.N)
	}
	if l.Busy < MinBusy {
		return l, fmt.Errorf("%w: in the steady window of %s %d output events found their worker busy, %d are needed; "+
			"run it at a higher rate, so that the workers use half of their CPUs or more, or for longer",
			ErrTooFew, r.Dir, l.Busy, MinBusy)
	}
	if err := l.costs(r); err != nil {
		return l, err
	}
	l.moments(r.Rows)
	if scv := l.SCV(); scv > wildSCV {
		return l, fmt.Errorf("%w: even in quiet moments of %s services have an SCV of %.0f, where a worker's own have 1 to 4: "+
			"something else had its CPU; measure again on a quiet host", ErrDisturbed, r.Dir, scv)
	}
	l.Send = max(l.ServiceMean, l.CPU-l.Events*(l.ServiceMean+l.IdleShare*l.Setup()))
	l.StreamBytes = streamBytes(r)
	l.WaitFactor = 1
	if w, err := l.wait(l.Lambda/l.Events, l.Events); err == nil {
		l.WaitPredicted = &w.mean
		l.WaitFactor = max(1, l.WaitMeasured/w.mean)
	}
	return l, nil
}

// costs takes what the workers spent on what they did.
func (l *Law) costs(r Run) error {
	cpu, requests, events := 0.0, 0.0, 0.0
	for _, w := range r.Summary.Client.Workers {
		if w.CPU == nil || w.CPUPerRequest == nil || w.CPUPerEvent == nil {
			continue
		}
		us := *w.CPU * usPerSecond
		cpu, requests, events = cpu+us, requests + us / *w.CPUPerRequest, events + us / *w.CPUPerEvent
		l.CPUShare = max(l.CPUShare, *w.CPU/r.Summary.Load.Window.To)
		if w.EventsPerRead != nil {
			l.EventsPerRead = max(l.EventsPerRead, *w.EventsPerRead)
		}
	}
	if requests == 0 || events == 0 {
		return fmt.Errorf("%w: no worker of %s said what CPU time its events took", ErrTooFew, r.Dir)
	}
	l.CPU, l.Events = cpu/requests, events/requests
	l.RecordBytes = float64(r.RecordBytes) / requests
	if ok := r.Summary.Load.OK; ok > 0 {
		l.InputTokens = float64(r.Summary.Tokens.Input) / float64(ok)
	}
	return nil
}

// usPerSecond converts seconds.
const usPerSecond = 1e6

// minRow is the fewest events of a kind in a row whose moments count.
const minRow = 30

// disturbance is how many times that of the law a row's E[S²] may be.
const disturbance = 4

// quiet is the quantile over rows that makes the law. What else runs on the
// worker's CPU only ever makes services longer, and more so for some rows.
const quiet = 0.25

// moments takes the moments of S from the quiet rows, and the median of W.
func (l *Law) moments(rows []ipc.QueueRow) {
	var busy, idle, wait columns
	events := 0.0
	for i := range rows {
		busy.add(rows[i].Busy)
		idle.add(rows[i].Idle)
		wait.add(rows[i].Wait)
		events += float64(rows[i].Wait.N)
	}
	l.Lambda = events / (float64(len(rows)) * rowSeconds)
	l.IdleShare = idle.all[0] / (idle.all[0] + busy.all[0])
	l.ServiceMean, l.ServiceSecond = busy.at(quiet)
	l.IdleMean, l.IdleSecond = idle.at(quiet)
	if l.IdleMean < l.ServiceMean { // never idle: no set-up is known
		l.IdleMean, l.IdleSecond = l.ServiceMean, l.ServiceSecond
	}
	l.WaitMeasured, _ = wait.at(0.5)
	for _, second := range busy.second {
		if second > disturbance*l.ServiceSecond {
			l.Disturbed++
		}
	}
}

// columns hold E[X] in µs and E[X²] in µs² of rows. Since E[X²] ≥ E[X]² in each
// row, it holds for any quantile of both.
type columns struct {
	mean, second []float64
	all          [3]float64 // n, Σx, Σx² of all rows, in µs
}

func (c *columns) add(m ipc.Moments) {
	n, sum := float64(m.N), float64(m.Sum)/nsPerMicro
	square := (math.Ldexp(float64(m.SqHi), 64) + float64(m.SqLo)) / (nsPerMicro * nsPerMicro)
	c.all = [3]float64{c.all[0] + n, c.all[1] + sum, c.all[2] + square}
	if n >= minRow {
		c.mean, c.second = append(c.mean, sum/n), append(c.second, square/n)
	}
}

// nsPerMicro converts µs.
const nsPerMicro = 1e3

// at returns the p-quantiles over rows; of rows with few events the moments of
// all together, and of nothing 0.
func (c *columns) at(p float64) (mean, second float64) {
	switch {
	case c.all[0] == 0:
		return 0, 0
	case len(c.mean) == 0:
		return c.all[1] / c.all[0], c.all[2] / c.all[0]
	}
	return quantile(c.mean, p), quantile(c.second, p)
}

// quantile is that of nearest rank.
func quantile(x []float64, p float64) float64 {
	return slices.Sorted(slices.Values(x))[max(0, int(math.Ceil(p*float64(len(x))))-1)]
}

// leastStream is the memory of a stream that has done nothing: its read buffer
// and its stack.
const leastStream = 24 << 10

// streamBytes shares a worker's memory among its streams.
func streamBytes(r Run) float64 {
	if r.Streams == 0 {
		return leastStream
	}
	return max(leastStream, float64(r.RSS-BaseBytes)/float64(r.Streams))
}

// service and idle are S as queueing takes it, in µs.
func (l *Law) service() queueing.Moments { return gamma(l.ServiceMean, l.ServiceSecond) }
func (l *Law) idle() queueing.Moments    { return gamma(l.IdleMean, l.IdleSecond) }

// gamma completes the first two moments by the third of the gamma law that has
// them, m³(1+c²)(1+2c²): third powers are not measured.
func gamma(mean, second float64) queueing.Moments {
	if mean == 0 {
		return queueing.Moments{}
	}
	scv := max(0, second/(mean*mean)-1)
	return queueing.Moments{Mean: mean, Second: mean * mean * (1 + scv), Third: mean * mean * mean * (1 + scv) * (1 + 2*scv)}
}
