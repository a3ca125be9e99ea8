package worker

import (
	"math/bits"
	"sync"

	"tare/ipc"
	"tare/ipc/clock"
)

// queueWindow is how many stamps wait for an older one before the oldest is
// paired. The runtime hands out each poll's batch of at most 128 ready
// connections last in, first out, so a stamp is rarely late by more.
const queueWindow = 1024

// queue measures the worker as a single server (Lindley 1952). Completion j,
// in the order handled, is paired with the j-th smallest stamp:
//
//	begin_j = max(D_{j−1}, A_j)    W_j = begin_j − A_j    S_j = D_j − begin_j
//
// Sums are exact integers, a row for each ipc.QueueInterval of the step.
type queue struct {
	mu    sync.Mutex
	epoch int64 // of the step, CLOCK_MONOTONIC ns
	rows  []ipc.QueueRow

	arrivals [queueWindow]int64 // sorted ring: stamps not yet paired
	handled  [queueWindow]int64 // ring: completions not yet paired, in order
	head, n  int
	last     int64 // D_{j−1}
	lastA    int64 // A_{j−1}
	any      bool
}

// observe books one output event that arrived at k and is handled now, and
// returns now. batch is the number of events of its stream that came at most
// ipc.BatchGap apart, this one included.
func (q *queue) observe(k int64, batch int) int64 {
	q.mu.Lock()
	now := clock.Now()
	q.push(k, now)
	row := q.row(now)
	if batch == 1 {
		row.Batches++
	}
	row.BatchSq += uint64(2*batch - 1) // Σx² of a growing batch: x² − (x−1)²
	q.mu.Unlock()
	return now
}

// push files a stamp at its place and a completion at the end, and pairs the
// oldest when the window is full.
func (q *queue) push(k, v int64) {
	if q.n == queueWindow {
		q.pair()
	}
	i := q.n
	for ; i > 0 && q.at(i-1) > k; i-- {
		q.arrivals[(q.head+i)%queueWindow] = q.at(i - 1)
	}
	q.arrivals[(q.head+i)%queueWindow] = k
	q.handled[(q.head+q.n)%queueWindow] = v
	q.n++
}

func (q *queue) at(i int) int64 { return q.arrivals[(q.head+i)%queueWindow] }

// pair takes the smallest stamp and the oldest completion and books W and S.
func (q *queue) pair() {
	a, d := q.arrivals[q.head], q.handled[q.head]
	q.head = (q.head + 1) % queueWindow
	q.n--
	row := q.row(d)
	if q.any && a < q.lastA {
		row.Late++
		a = q.lastA
	}
	if q.any {
		add(&row.Gap, a-q.lastA)
	}
	begin := a
	busy := q.any && q.last > a
	if busy {
		begin = q.last
	}
	wait, service := begin-a, max(d-begin, 0)
	if busy {
		add(&row.Busy, service)
	} else {
		add(&row.Idle, service)
	}
	add(&row.Wait, wait)
	addProduct(&row.SWHi, &row.SWLo, uint64(service), uint64(wait))
	q.last, q.lastA, q.any = d, a, true
}

// row returns the row of an instant; instants before the step's epoch count
// to the first.
func (q *queue) row(at int64) *ipc.QueueRow {
	interval := max(at-q.epoch, 0) / ipc.QueueInterval
	for i := len(q.rows) - 1; i >= 0; i-- {
		if q.rows[i].Interval == interval {
			return &q.rows[i]
		}
		if q.rows[i].Interval < interval {
			break
		}
	}
	q.rows = append(q.rows, ipc.QueueRow{Interval: interval})
	return &q.rows[len(q.rows)-1]
}

// take returns the rows that cannot change any more: those before the oldest
// event that waits for its pair. all pairs what waits and returns every row.
func (q *queue) take(all bool) []ipc.QueueRow {
	q.mu.Lock()
	defer q.mu.Unlock()
	if all {
		for q.n > 0 {
			q.pair()
		}
	}
	keep := len(q.rows)
	if !all {
		keep = max(0, len(q.rows)-1)
		if q.n > 0 {
			open := max(q.handled[q.head]-q.epoch, 0) / ipc.QueueInterval
			for keep > 0 && q.rows[keep-1].Interval >= open {
				keep--
			}
		}
	}
	done := append([]ipc.QueueRow(nil), q.rows[:keep]...)
	q.rows = append(q.rows[:0], q.rows[keep:]...)
	return done
}

// reset begins a step.
func (q *queue) reset(epoch int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.epoch, q.rows, q.head, q.n, q.any = epoch, q.rows[:0], 0, 0, false
}

// add books one value into exact power sums.
func add(m *ipc.Moments, x int64) {
	m.N++
	m.Sum += uint64(x)
	addProduct(&m.SqHi, &m.SqLo, uint64(x), uint64(x))
}

func addProduct(hi, lo *uint64, x, y uint64) {
	h, l := bits.Mul64(x, y)
	var carry uint64
	*lo, carry = bits.Add64(*lo, l, 0)
	*hi, _ = bits.Add64(*hi, h, carry)
}
