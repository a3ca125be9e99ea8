package metrics

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"tare/ipc"
)

// lindley simulates one server, written anew and in the plainest way: service
// in order of arrival, an event that finds the server idle pays a set-up.
type lindley struct {
	rows []ipc.QueueRow
	last int64 // D_{j−1}
}

func (l *lindley) event(arrival, service, setup int64) {
	begin, busy := max(arrival, l.last), arrival < l.last
	if !busy {
		service += setup
	}
	l.last = begin + service
	i := l.last / ipc.QueueInterval
	for int64(len(l.rows)) <= i {
		l.rows = append(l.rows, ipc.QueueRow{Interval: int64(len(l.rows))})
	}
	row, wait := &l.rows[i], begin-arrival
	if busy {
		book(&row.Busy, service)
	} else {
		book(&row.Idle, service)
	}
	book(&row.Wait, wait)
	hi, lo := bits.Mul64(uint64(service), uint64(wait))
	add128(&row.SWHi, &row.SWLo, hi, lo)
	row.Batches++
	row.BatchSq++
}

func book(m *ipc.Moments, x int64) {
	m.N++
	m.Sum += uint64(x)
	hi, lo := bits.Mul64(uint64(x), uint64(x))
	add128(&m.SqHi, &m.SqLo, hi, lo)
}

// near tells whether got is within a share of want.
func near(got *float64, want, share float64) bool {
	return got != nil && math.Abs(*got-want) <= share*math.Abs(want)
}

// Two rows by hand. Busy: 40 events of 4 µs and 40 of 6 µs, so E[S] = 5,
// Var[S] = 1, SCV = 0.04. Idle: 20 events of 30 µs: set-up 25. In 0.5 s of 100
// events λ = 200/s and ρ = 200·5e-6 = 0.001. W is 10 µs for the 80 busy ones:
// 8 µs in the mean. E[S²] of work is 26 µs², of all (80·26 + 20·900)/100 =
// 200.8 µs².
func TestQueueByHand(t *testing.T) {
	rows := []ipc.QueueRow{{Interval: 4}, {Interval: 5}, {Interval: 6}}
	for i := range rows[:2] {
		for range 20 {
			book(&rows[i].Busy, 4000)
			book(&rows[i].Busy, 6000)
			book(&rows[i].Wait, 10000)
			book(&rows[i].Wait, 10000)
		}
		for range 10 {
			book(&rows[i].Idle, 30000)
			book(&rows[i].Wait, 0)
			book(&rows[i].Gap, 5e6)
			book(&rows[i].Gap, 15e6)
		}
		rows[i].Batches = 20
	}
	book(&rows[2].Busy, 1e9) // outside of the window: must not count
	q := NewQueue(Rows{rows, 4, 6})
	const lambda, rho = 200e-6, 0.001 // per µs
	for _, tt := range []struct {
		what string
		got  *float64
		want float64
	}{
		{"lambda", q.Lambda, 200},
		{"service_mean_us", q.ServiceMean, 5},
		{"service_scv", q.ServiceSCV, 0.04},
		{"setup_mean_us", q.SetupMean, 25},
		{"rho", q.Rho, rho},
		{"wq_measured_us", q.Measured, 8},
		{"service_second_us2: (16+36)/2", q.ServiceSecond, 26},
		{"arrival_scv: gaps of 5 ms and 15 ms: 125/100 − 1", q.ArrivalSCV, 0.25},
		{"batch_mean: 100 events in 40 batches", q.BatchMean, 2.5},
		{"wq_pk_us", q.PK, lambda * 26 / (2 * (1 - rho))},
		{"wq_setup_us", q.Setup, lambda * 200.8 / (2 * (1 - rho))},
		{"wq_ratio", q.Ratio, 8 / (lambda * 200.8 / (2 * (1 - rho)))},
	} {
		if !near(tt.got, tt.want, 1e-12) {
			t.Errorf("%s: got %v, want %v", tt.what, tt.got, tt.want)
		}
	}
	if *q.Busy != 80 {
		t.Errorf("n_busy: got %d, want 80", *q.Busy)
	}
	if q.RatioLo != nil {
		t.Errorf("two rows have no interval, got one from %v", *q.RatioLo)
	}
}

func TestQueueOfLittleIsUndefined(t *testing.T) {
	few := &lindley{}
	for range MinBusy { // pairs: the second of each finds the server busy
		few.event(few.last+1e6, 5000, 0)
		few.event(few.last-1000, 5000, 0)
	}
	if q := NewQueue(Rows{few.rows, 0, 4}); q.ServiceMean == nil || q.Rho == nil {
		t.Errorf("%d busy events: want service figures, got %+v", MinBusy, q)
	}
	few = &lindley{}
	for range MinBusy - 1 {
		few.event(few.last+1e6, 5000, 0)
		few.event(few.last-1000, 5000, 0)
	}
	q := NewQueue(Rows{few.rows, 0, 4})
	if q.ServiceMean != nil || q.Rho != nil || q.PK != nil || q.Ratio != nil {
		t.Errorf("%d busy events: want no service figures, got %+v", MinBusy-1, q)
	}
	if q.Lambda == nil || q.Measured == nil || *q.Busy != MinBusy-1 {
		t.Errorf("λ and the measured wait do not hang on busy events, got %+v", q)
	}
	if q := NewQueue(Rows{nil, 0, 40}); q != (Queue{}) {
		t.Errorf("no rows: got %+v", q)
	}
	if q := NewQueue(Rows{few.rows, 4, 4}); q != (Queue{}) {
		t.Errorf("no time: got %+v", q)
	}
}

// 200,000 events of 2 µs booked in 250 ms: ρ = 1.6. An overloaded worker has a
// rho, but no predicted wait.
func TestQueueUnstable(t *testing.T) {
	rows := make([]ipc.QueueRow, 1)
	for range 200_000 {
		book(&rows[0].Busy, 2000)
		book(&rows[0].Wait, 1e6)
	}
	q := NewQueue(Rows{rows, 0, 1})
	if !near(q.Rho, 1.6, 1e-12) {
		t.Errorf("rho: got %v, want 1.6", q.Rho)
	}
	if q.PK != nil || q.Setup != nil || q.Batch != nil || q.GG1 != nil || q.Ratio != nil {
		t.Errorf("ρ = 1.6: want no predictions, got %+v", q)
	}
}

// In M/G/1 with a set-up of 30 µs, 3,000 events/s of exp(180 µs): measured and
// predicted waits agree, the interval covers 1 in about 95 % of runs, and
// plain Pollaczek–Khinchine is outside of it. 60 runs of 10 s.
func TestQueueMeetsItsTheory(t *testing.T) {
	const runs, seconds, lambda, mean, setup = 60, 10, 3000.0, 180e3, 30e3
	r := rand.New(rand.NewPCG(5, 5))
	covered, total := 0, 0.0
	for range runs {
		l, at := &lindley{}, 0.0
		for at < seconds*1e9 {
			at += r.ExpFloat64() * 1e9 / lambda
			l.event(int64(at), int64(r.ExpFloat64()*mean), setup)
		}
		q := NewQueue(Rows{l.rows, 2, seconds * 4})
		total += *q.Ratio
		if *q.RatioLo <= 1 && 1 <= *q.RatioHi {
			covered++
		}
		if !near(q.Workload, *q.Measured, 0.15) {
			t.Errorf("wait %v and workload %v differ: Poisson arrivals see time averages", *q.Measured, *q.Workload)
		}
		if !near(q.Batch, *q.Setup, 0.03) {
			t.Errorf("batches of one: %v, set-up alone %v", *q.Batch, *q.Setup)
		}
	}
	if m := total / runs; math.Abs(m-1) > 0.02 {
		t.Errorf("mean ratio %v, want 1", m)
	}
	if covered < 50 { // of Binomial(60, 0.95): 57 ± 1.7
		t.Errorf("the interval covers 1 in %d of %d runs", covered, runs)
	}
}

// Two workers, each in M/G/1 with a set-up of 30 µs and 150 µs of service, at
// 2,000 and 3,000 events/s. Sums are of all events, predictions in the mean over
// events, and the ratio has an interval. A third worker that had no event does
// not count.
func TestQueueOfSeveralWorkers(t *testing.T) {
	const seconds = 20
	r := rand.New(rand.NewPCG(6, 6))
	var rows []Rows
	for _, lambda := range []float64{2000, 3000} {
		l, at := &lindley{}, 0.0
		for at < seconds*1e9 {
			at += r.ExpFloat64() * 1e9 / lambda
			l.event(int64(at), int64(r.ExpFloat64()*150e3), 30e3)
		}
		rows = append(rows, Rows{l.rows, 0, seconds * 4})
	}
	a, b := NewQueue(rows[0]), NewQueue(rows[1])
	q := NewQueue(rows[0], rows[1], Rows{nil, 0, 0})
	shareA := *a.Lambda / (*a.Lambda + *b.Lambda)
	mean := func(x, y *float64) float64 { return shareA**x + (1-shareA)**y }
	for _, tt := range []struct {
		what string
		got  *float64
		want float64
	}{
		{"λ", q.Lambda, *a.Lambda + *b.Lambda},
		{"measured", q.Measured, mean(a.Measured, b.Measured)},
		{"P–K", q.PK, mean(a.PK, b.PK)},
		{"set-up", q.Setup, mean(a.Setup, b.Setup)},
		{"workload", q.Workload, mean(a.Workload, b.Workload)},
	} {
		if !near(tt.got, tt.want, 1e-9) {
			t.Errorf("%s: got %v, want %v", tt.what, tt.got, tt.want)
		}
	}
	if !near(q.Rho, (*a.Rho+*b.Rho)/2, 0.02) { // the service of all over that of each
		t.Errorf("ρ: got %v, want about the mean of %v and %v", *q.Rho, *a.Rho, *b.Rho)
	}
	if q.RatioLo == nil || *q.RatioLo > 1 || *q.RatioHi < 1 {
		t.Errorf("ratio %v in %v to %v, want 1 in it", *q.Ratio, q.RatioLo, q.RatioHi)
	}
	if q.MGM == nil || *q.MGM >= *q.PK {
		t.Errorf("one queue for both: %v, want less than the %v of two", q.MGM, *q.PK)
	}
	if q.ArrivalSCV != nil || a.MGM != nil {
		t.Error("arrivals of several workers are not merged, and one worker has no other queue")
	}
}
