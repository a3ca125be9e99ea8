package sim

import (
	"container/heap"
	"slices"
)

// queue is a heap of streams by key, ties by the request's number.
type queue struct{ streams []*stream }

// Len is the number of streams in the queue.
func (q *queue) Len() int { return len(q.streams) }

// Less implements heap.Interface.
func (q *queue) Less(i, j int) bool {
	a, b := q.streams[i], q.streams[j]
	if a.key != b.key {
		return a.key < b.key
	}
	return a.ask.number < b.ask.number
}

// Swap implements heap.Interface; a stream knows its place, so that it can be
// taken out when its client leaves.
func (q *queue) Swap(i, j int) {
	s := q.streams
	s[i], s[j] = s[j], s[i]
	s[i].index, s[j].index = i, j
}

// Push implements heap.Interface; use add.
func (q *queue) Push(x any) {
	s := x.(*stream)
	s.index = len(q.streams)
	q.streams = append(q.streams, s)
}

// Pop implements heap.Interface; use remove.
func (q *queue) Pop() any {
	last := len(q.streams) - 1
	s := q.streams[last]
	q.streams[last] = nil
	q.streams = q.streams[:last]
	return s
}

// add enters s under a key and tells if it is now the first.
func (q *queue) add(s *stream, key int64) bool {
	s.key, s.in = key, q
	heap.Push(q, s)
	return s.index == 0
}

// remove takes s out, wherever it stands.
func (q *queue) remove(s *stream) {
	heap.Remove(q, s.index)
	s.in = nil
}

// first returns the stream with the least key, or nil.
func (q *queue) first() *stream {
	if len(q.streams) == 0 {
		return nil
	}
	return q.streams[0]
}

// slots are the places in which requests are served, with one queue before
// them: first come first served by the kernel's stamps. A service starts at
//
//	max(arrival, instant at which the slot became free)
//
// where that instant is the scheduled one. So n slots and services of T make
// exactly n/T, however late the simulator's own timers are. (Only a request
// that is noticed so late that a service which began after its arrival is over
// by then may change places with its neighbour.)
type slots struct {
	limit   int     // 0: as many as wanted
	used    int     // slots that were ever taken
	free    []int64 // instants at which idle slots became free, in order
	waiting queue   // by arrival
}

// enter takes a slot for a request and returns the start of its service, or
// makes it wait.
func (q *slots) enter(s *stream, arrival int64) (start int64, ok bool) {
	switch {
	case q.limit == 0:
		return arrival, true
	case q.used < q.limit: // free since ever: before any slot that was in use
		q.used++
		return arrival, true
	case len(q.free) > 0:
		start = max(arrival, q.free[0])
		q.free = slices.Delete(q.free, 0, 1)
		return start, true
	}
	q.waiting.add(s, arrival)
	return 0, false
}

// leave gives a slot back that is free from that instant on. If a request
// waits it is returned, with the start of its service.
func (q *slots) leave(at int64) (next *stream, start int64) {
	if q.limit == 0 {
		return nil, 0
	}
	if next = q.waiting.first(); next != nil {
		arrival := next.key
		q.waiting.remove(next)
		return next, max(arrival, at)
	}
	i, _ := slices.BinarySearch(q.free, at)
	q.free = slices.Insert(q.free, i, at)
	return nil, 0
}
