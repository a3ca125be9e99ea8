package worker

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"tare/ipc"
)

// feed books events with given stamps and completions, without a clock, and
// takes all rows.
func feed(q *queue, arrivals, handled []int64) []ipc.QueueRow {
	push(q, arrivals, handled)
	return q.take(true)
}

func push(q *queue, arrivals, handled []int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range arrivals {
		q.push(arrivals[i], handled[i])
		q.row(handled[i])
	}
}

// total adds rows up.
func total(rows []ipc.QueueRow) (t ipc.QueueRow) {
	sum := func(into *ipc.Moments, m ipc.Moments) {
		into.N += m.N
		into.Sum += m.Sum
		into.SqLo += m.SqLo // small in these tests
	}
	for _, r := range rows {
		sum(&t.Busy, r.Busy)
		sum(&t.Idle, r.Idle)
		sum(&t.Wait, r.Wait)
		sum(&t.Gap, r.Gap)
		t.SWLo += r.SWLo
		t.Late += r.Late
	}
	return t
}

// Lindley by hand. Completions at 15, 19, 22, 105 (ns):
//
//	A     D    begin  W   S    found the worker
//	10    15   10     0   5    idle
//	11    19   15     4   4    busy
//	18    22   19     1   3    busy
//	100   105  100    0   5    idle
func TestQueueByHand(t *testing.T) {
	arrivals, handled := []int64{10, 11, 18, 100}, []int64{15, 19, 22, 105}
	for reason, order := range map[string][]int64{
		"stamps in order":                       arrivals,
		"a poll's batch handed out in reverse":  {18, 11, 10, 100},
		"the pairing sorts, whoever came first": {11, 18, 10, 100},
	} {
		got := total(feed(&queue{}, order, handled))
		want := ipc.QueueRow{
			Busy: ipc.Moments{N: 2, Sum: 7, SqLo: 16 + 9},
			Idle: ipc.Moments{N: 2, Sum: 10, SqLo: 50},
			Wait: ipc.Moments{N: 4, Sum: 5, SqLo: 17},
			Gap:  ipc.Moments{N: 3, Sum: 90, SqLo: 1 + 49 + 82*82},
			SWLo: 4*4 + 1*3,
		}
		if got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", reason, got, want)
		}
	}
}

// Whatever the order within the window, the sums are those of sorted stamps;
// rows taken in pieces add up to the same.
func TestQueueDoesNotDependOnOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 20_000
	arrivals, handled := make([]int64, n), make([]int64, n)
	var at, done int64
	for i := range n {
		at += r.Int64N(20_000)
		done = max(done, at) + r.Int64N(18_000)
		arrivals[i], handled[i] = at, done
	}
	want := total(feed(&queue{}, arrivals, handled))
	shuffled := slices.Clone(arrivals)
	for i := 0; i+128 <= n; i += 128 { // the runtime's batch
		r.Shuffle(128, func(a, b int) { shuffled[i+a], shuffled[i+b] = shuffled[i+b], shuffled[i+a] })
	}
	q := &queue{}
	var rows []ipc.QueueRow
	for i := range n {
		rows = append(rows, feedOpen(q, shuffled[i], handled[i])...)
	}
	if got := total(append(rows, q.take(true)...)); got != want {
		t.Errorf("shuffled and in pieces:\n got %+v\nwant %+v", got, want)
	}
	if !slices.IsSortedFunc(rows, func(a, b ipc.QueueRow) int { return int(a.Interval - b.Interval) }) {
		t.Error("rows came out of order")
	}
}

func feedOpen(q *queue, k, v int64) []ipc.QueueRow {
	q.mu.Lock()
	q.push(k, v)
	q.row(v)
	q.mu.Unlock()
	return q.take(false)
}

// A stamp that comes more than a window late is counted and taken as the
// newest already paired: sums stay those of a queue.
func TestQueueCountsLateStamps(t *testing.T) {
	q := &queue{}
	for i := range int64(queueWindow + 1) {
		feedOpen(q, 1000+i, 2000+i)
	}
	feedOpen(q, 1, 9000)
	feedOpen(q, 5000, 9001)
	if got := total(q.take(true)); got.Late != 1 {
		t.Errorf("late: %d, want 1", got.Late)
	}
}

// Squares of long times need more than 64 bits; nothing is rounded.
func TestMomentsAreExact(t *testing.T) {
	var m ipc.Moments
	want := new(big.Int)
	for _, x := range []int64{1 << 40, 3_600_000_000_000, 1<<62 + 12345} {
		add(&m, x)
		want.Add(want, new(big.Int).Mul(big.NewInt(x), big.NewInt(x)))
	}
	got := new(big.Int).SetUint64(m.SqHi)
	got.Lsh(got, 64).Add(got, new(big.Int).SetUint64(m.SqLo))
	if got.Cmp(want) != 0 {
		t.Errorf("Σx² = %v, want %v", got, want)
	}
}

// observe runs once a token event.
func TestObserveAllocatesNothing(t *testing.T) {
	q := &queue{}
	q.reset(0)
	k := int64(0)
	if n := testing.AllocsPerRun(1000, func() { k = q.observe(k, 1) }); n != 0 {
		t.Errorf("%v allocations an event, want none", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	q := &queue{}
	q.reset(0)
	b.ReportAllocs()
	k := int64(0)
	for b.Loop() {
		k = q.observe(k, 1)
		if len(q.rows) > 1000 {
			q.take(false)
		}
	}
}
