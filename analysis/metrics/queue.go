package metrics

import (
	"math"
	"math/bits"

	"tare/analysis/queueing"
	"tare/analysis/stats"
	"tare/ipc"
)

// Queue is a worker seen as a server in a queue whose customers are output
// events. Times are in microseconds and means over events; a figure is nil
// where it is undefined.
//
// Service figures are those of events that arrived busy: an event that finds
// the worker idle pays its wake-up too. They are nil with fewer than MinBusy
// such events, as are all that follow from them: a worker that so few events
// of a window found busy is far from its limit. Under goroutine sharding there
// is no single server, and only Lambda is defined.
//
// Where several events share a read they bear the newest one's stamp: Measured
// is then a lower bound, and gaps and batches are those of reads.
type Queue struct {
	Lambda        *float64 `json:"lambda"`             // output events/s
	Busy          *int64   `json:"n_busy"`             // events that arrived busy
	ArrivalSCV    *float64 `json:"arrival_scv"`        // Var/mean² of the gaps between stamps, sorted
	BatchMean     *float64 `json:"batch_mean"`         // E[X], events of a batch; ipc.BatchGap says what that is
	ServiceMean   *float64 `json:"service_mean_us"`    // E[S], busy
	ServiceSecond *float64 `json:"service_second_us2"` // E[S²], busy, µs²
	ServiceSCV    *float64 `json:"service_scv"`        // Var[S]/E[S]², busy
	SetupMean     *float64 `json:"setup_mean_us"`      // E[S | idle] − E[S | busy]
	Rho           *float64 `json:"rho"`                // λE[S], of each of several workers in the mean
	Measured      *float64 `json:"wq_measured_us"`     // mean wait by Lindley's recursion
	PK            *float64 `json:"wq_pk_us"`           // Pollaczek and Khinchine, work alone
	Setup         *float64 `json:"wq_setup_us"`        // M/G/1 with exceptional first service
	Batch         *float64 `json:"wq_batch_us"`        // M^[X]/G/1 with set-up
	GG1           *float64 `json:"wq_gg1_us"`          // Allen and Cunneen, by ArrivalSCV
	MGM           *float64 `json:"wq_mgm_us"`          // Lee and Longton: one queue for all workers
	Workload      *float64 `json:"wq_workload_us"`     // λ(E[SW] + E[S²]/2): needs no Poisson arrivals
	Ratio         *float64 `json:"wq_ratio"`           // measured over set-up prediction
	RatioLo       *float64 `json:"wq_ratio_lo"`        // its 95 % interval
	RatioHi       *float64 `json:"wq_ratio_hi"`        //
}

// MinBusy is the fewest events that arrived busy from which service figures
// are computed: at an SCV of 1 their mean is then known to 20 %.
const MinBusy = 30

// Rows are the queue rows of one worker with From ≤ Interval < To.
type Rows struct {
	Rows     []ipc.QueueRow
	From, To int64
}

// NewQueue computes the figures of one worker, or of several together: sums
// over all events, and predictions in the mean over the events of each worker,
// which has a queue of its own. Workers without an event do not count.
func NewQueue(workers ...Rows) Queue {
	q := figuresOf(workers, -1)
	q.addInterval(workers)
	return q
}

// The interval of the ratio comes from batches of successive rows. Fewer than
// minBatches say too little about their own spread; maxBatches keep each long
// against the time that a queue remembers.
const (
	minBatches = 10
	maxBatches = 20
)

// batches is into how many batches the rows of each worker are cut.
func batches(workers []Rows) int {
	n := int64(maxBatches)
	for _, w := range workers {
		if len(w.Rows) > 0 {
			n = min(n, w.To-w.From)
		}
	}
	return int(n)
}

// addInterval gives the ratio its interval: a jackknife over batches, since the
// prediction is not linear in its moments and shares its sampling error with
// the measured wait.
func (q *Queue) addInterval(workers []Rows) {
	if batches(workers) < minBatches {
		return
	}
	i, ok := stats.Jackknife(batches(workers), confidence, func(without int) (float64, bool) {
		return value(figuresOf(workers, without).Ratio)
	})
	if ok {
		q.RatioLo, q.RatioHi = i.Low, i.High
	}
}

// sum adds up the rows but those of a batch, −1 for none, and returns their
// length in ns, too.
func (w Rows) sum(batches, without int) (s queueSums, t float64) {
	begin, end := w.From, w.From
	if without >= 0 {
		cut := func(b int) int64 { return w.From + int64(b)*(w.To-w.From)/int64(batches) }
		begin, end = cut(without), cut(without+1)
	}
	s = sumRows(w.Rows, func(i int64) bool { return w.From <= i && i < begin || end <= i && i < w.To })
	return s, float64(w.To-w.From-(end-begin)) * ipc.QueueInterval
}

// figuresOf computes the figures but for a batch of rows, without the interval.
func figuresOf(workers []Rows, without int) Queue {
	var sums []queueSums
	var each []Queue
	for _, w := range workers {
		if s, t := w.sum(batches(workers), without); s.wait.n > 0 && t > 0 {
			sums, each = append(sums, s), append(each, s.figures(t))
		}
	}
	switch len(each) {
	case 0:
		return Queue{}
	case 1:
		return each[0]
	}
	return together(sums, each)
}

// value is a figure and whether it is defined.
func value(x *float64) (float64, bool) {
	if x == nil {
		return 0, false
	}
	return *x, true
}

// queueSums are the sums of several rows, in ns.
type queueSums struct {
	busy, idle, wait, gap  power
	product                float64 // ΣSW
	batches, batchesSquare float64
}

// power holds a count and the power sums of a quantity.
type power struct{ n, sum, square float64 }

// first and second are the raw moments, NaN of nothing.
func (p power) first() float64  { return p.sum / p.n }
func (p power) second() float64 { return p.square / p.n }

// scv is E[X²]/E[X]² − 1, at least 0.
func (p power) scv() float64 { return max(0, p.n*p.square/(p.sum*p.sum)-1) }

// sumRows adds up the rows whose interval is wanted. The sums are integers of
// 128 bits until the end, so that their order does not matter.
func sumRows(rows []ipc.QueueRow, want func(interval int64) bool) queueSums {
	var t ipc.QueueRow
	for i := range rows {
		r := &rows[i]
		if !want(r.Interval) {
			continue
		}
		for _, m := range [...]struct{ sum, add *ipc.Moments }{
			{&t.Busy, &r.Busy}, {&t.Idle, &r.Idle}, {&t.Wait, &r.Wait}, {&t.Gap, &r.Gap},
		} {
			m.sum.N += m.add.N
			m.sum.Sum += m.add.Sum
			add128(&m.sum.SqHi, &m.sum.SqLo, m.add.SqHi, m.add.SqLo)
		}
		add128(&t.SWHi, &t.SWLo, r.SWHi, r.SWLo)
		t.Batches += r.Batches
		t.BatchSq += r.BatchSq
	}
	return queueSums{
		busy: powerOf(t.Busy), idle: powerOf(t.Idle), wait: powerOf(t.Wait), gap: powerOf(t.Gap),
		product: float128(t.SWHi, t.SWLo), batches: float64(t.Batches), batchesSquare: float64(t.BatchSq),
	}
}

func powerOf(m ipc.Moments) power {
	return power{n: float64(m.N), sum: float64(m.Sum), square: float128(m.SqHi, m.SqLo)}
}

func add128(hi, lo *uint64, addHi, addLo uint64) {
	var carry uint64
	*lo, carry = bits.Add64(*lo, addLo, 0)
	*hi, _ = bits.Add64(*hi, addHi, carry)
}

func float128(hi, lo uint64) float64 { return math.Ldexp(float64(hi), 64) + float64(lo) }

// plus adds the sums of another worker.
func (s queueSums) plus(o queueSums) queueSums {
	return queueSums{
		busy: s.busy.plus(o.busy), idle: s.idle.plus(o.idle), wait: s.wait.plus(o.wait), gap: s.gap.plus(o.gap),
		product: s.product + o.product, batches: s.batches + o.batches, batchesSquare: s.batchesSquare + o.batchesSquare,
	}
}

func (p power) plus(o power) power { return power{p.n + o.n, p.sum + o.sum, p.square + o.square} }

// service is the power sums of S over all events.
func (s queueSums) service() power {
	return power{n: s.busy.n + s.idle.n, sum: s.busy.sum + s.idle.sum, square: s.busy.square + s.idle.square}
}

// figures computes the Queue of one worker's sums over t ns, without the
// interval.
func (s queueSums) figures(t float64) Queue {
	lambda := s.wait.n / t // events/ns
	q := s.moments(lambda)
	q.ArrivalSCV = defined(s.gap.scv())
	q.Workload = predicted(queueing.Workload(lambda, s.product/s.wait.n, s.service().second()))
	if q.ServiceMean == nil {
		return q
	}
	work := s.work()
	q.Rho = defined(lambda * work.Mean)
	q.PK = predicted(queueing.MG1(lambda, work))
	q.Setup = predicted(s.predict(lambda))
	q.Batch = s.predictBatches(lambda)
	q.GG1 = predicted(queueing.GG1(lambda, s.gap.scv(), work))
	if q.Setup != nil {
		q.Ratio = defined(*q.Measured / *q.Setup)
	}
	return q
}

// moments are the figures that follow from sums alone, whichever workers they
// are of.
func (s queueSums) moments(lambda float64) Queue {
	q := Queue{
		Lambda:    new(lambda * nsPerSecond),
		Busy:      new(int64(s.busy.n)),
		BatchMean: defined(s.wait.n / s.batches),
		Measured:  micro(s.wait.first()),
	}
	if s.busy.n < MinBusy {
		return q
	}
	work := s.work()
	q.ServiceMean, q.ServiceSCV = micro(work.Mean), defined(s.busy.scv())
	q.ServiceSecond = defined(work.Second / (nsPerMicro * nsPerMicro))
	q.SetupMean = micro(s.idle.first() - work.Mean)
	return q
}

func (s queueSums) work() queueing.Moments {
	return queueing.Moments{Mean: s.busy.first(), Second: s.busy.second()}
}

// predict is the wait by Welch's formula, ns.
func (s queueSums) predict(lambda float64) (float64, error) {
	return queueing.WelchMixed(lambda, s.busy.first(), s.service().second())
}

// predictBatches is the wait under batch arrivals with set-up, nil without
// batches. An idle event's service is S + U with U independent of S, so that
// E[U²] = E[(S+U)²] − E[S²] − 2E[S]E[U]; sampling error must not bring it below
// E[U]². A batch is a run of events of one stream at most ipc.BatchGap apart.
// Like the measured wait it books the set-up as service.
func (s queueSums) predictBatches(lambda float64) *float64 {
	if s.batches == 0 || s.idle.n == 0 {
		return nil
	}
	work := s.work()
	mean := max(0, s.idle.first()-work.Mean)
	second := max(mean*mean, s.idle.second()-work.Second-2*work.Mean*mean)
	return predicted(queueing.MXG1SetupServed(queueing.Batches{
		Lambda:  lambda,
		Service: work,
		Size:    queueing.Moments{Mean: s.wait.n / s.batches, Second: s.batchesSquare / s.batches},
		Setup:   queueing.Moments{Mean: mean, Second: second},
	}))
}

// nsPerSecond and nsPerMicro convert units.
const (
	nsPerSecond = 1e9
	nsPerMicro  = 1e3
)

// micro is ns in µs, nil if undefined.
func micro(ns float64) *float64 { return defined(ns / nsPerMicro) }

// predicted is a wait in µs, nil where the theory has none.
func predicted(ns float64, err error) *float64 {
	if err != nil {
		return nil
	}
	return micro(ns)
}

// defined is nil for NaN and infinities.
func defined(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
