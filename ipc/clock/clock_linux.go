package clock

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

var (
	base   = time.Now()
	offset = monotonicOffset()
)

// Now returns CLOCK_MONOTONIC in ns.
func Now() int64 { return int64(time.Since(base)) + offset }

// samples is how often a pair of clocks is read to find the closest pair.
const samples = 7

// monotonicOffset finds CLOCK_MONOTONIC − time.Since(base).
func monotonicOffset() int64 {
	return between(func() int64 { return int64(time.Since(base)) }, func() int64 { return read(unix.CLOCK_MONOTONIC) })
}

// between returns b − a for two clocks: a is read before and after b, and of
// several tries the one with the least time between counts.
func between(a, b func() int64) int64 {
	var diff int64
	best := int64(1) << 62
	for range samples {
		before := a()
		middle := b()
		after := a()
		if after-before < best {
			best = after - before
			diff = middle - (before + (after-before)/2)
		}
	}
	return diff
}

func read(id int32) int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		panic("clock_gettime: " + err.Error()) // both clocks exist on every Linux
	}
	return ts.Nano()
}

// Wall converts CLOCK_REALTIME instants to the time line. Sample it each
// second or so; it is safe for concurrent use.
type Wall struct {
	offset atomic.Int64
	step   atomic.Int64
}

// NewWall returns a Wall that has been sampled once.
func NewWall() *Wall {
	w := &Wall{}
	w.offset.Store(wallOffset())
	return w
}

func wallOffset() int64 {
	return between(Now, func() int64 { return read(unix.CLOCK_REALTIME) })
}

// Sample measures the offset anew and remembers by how much it jumped.
func (w *Wall) Sample() {
	now := wallOffset()
	if jump := abs(now - w.offset.Swap(now)); jump > w.step.Load() {
		w.step.Store(jump)
	}
}

// Monotonic converts a CLOCK_REALTIME instant in ns to CLOCK_MONOTONIC.
func (w *Wall) Monotonic(realtime int64) int64 { return realtime - w.offset.Load() }

// Offset is realtime − monotonic in ns, as last sampled.
func (w *Wall) Offset() int64 { return w.offset.Load() }

// Step is the largest jump of the offset between two samples, in ns.
func (w *Wall) Step() int64 { return w.step.Load() }

func abs(x int64) int64 { return max(x, -x) }
