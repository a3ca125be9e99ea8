package worker

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// cause says why a stream was cut off from outside.
type cause uint8

const (
	causeNone cause = iota
	causeTimeout
	causeIdle
	causeCancelled
)

// deadlines cut a stream off. The watchdog looks at them some times a second,
// which is cheaper than a runtime timer moved with every event.
type deadlines struct {
	idle atomic.Int64 // CLOCK_MONOTONIC ns, moved by each read

	mu     sync.Mutex
	poked  int64 // value of idle at the last poke
	active bool  // a request is under way
	total  int64 // CLOCK_MONOTONIC ns
	conn   net.Conn
	pokes  bool
	cut    cause
}

// arm begins a request.
func (d *deadlines) arm(now int64, total, idle time.Duration) {
	d.idle.Store(now + int64(idle))
	d.mu.Lock()
	d.active, d.total, d.cut = true, now+int64(total), causeNone
	d.mu.Unlock()
}

// extend moves the total deadline.
func (d *deadlines) extend(to int64) {
	d.mu.Lock()
	d.total = to
	d.mu.Unlock()
}

// on names the connection that a deadline ends; nil: none. A request that was
// cut off before it had one, while it dialled, is ended now. pokes tells that
// the connection's end may go unseen until it is looked at (rxtime.Wait).
func (d *deadlines) on(c net.Conn, pokes bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conn, d.pokes = c, pokes
	if c != nil && d.active && d.cut != causeNone {
		c.SetDeadline(past) //nolint:errcheck // as in end
	}
}

// disarm ends a request and tells whether it was cut off, after which the
// connection is of no use.
func (d *deadlines) disarm() cause {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.active = false
	return d.cut
}

// why tells what cut the request off, if anything did.
func (d *deadlines) why() cause {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cut
}

// expire cuts the request off if a deadline has passed, and has a connection
// looked at once that has been silent up to lookBefore ns ahead of its idle
// deadline.
func (d *deadlines) expire(now, lookBefore int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	idle := d.idle.Load()
	switch {
	case !d.active || d.cut != causeNone:
	case now >= d.total:
		d.end(causeTimeout)
	case now >= idle:
		d.end(causeIdle)
	case now >= idle-lookBefore && d.pokes && d.poked != idle:
		d.poked = idle
		d.conn.SetReadDeadline(past) //nolint:errcheck // as in end
	}
}

// poke ends a read deadline that was a poke and no cut, and tells whether it
// was.
func (d *deadlines) poke() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cut != causeNone || !d.pokes {
		return false
	}
	return d.conn.SetReadDeadline(time.Time{}) == nil
}

// past is a deadline that wakes whoever waits.
var past = time.Unix(1, 0)

// cancel cuts the request off now.
func (d *deadlines) cancel() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.active {
		d.end(causeCancelled)
	}
}

// end wakes whoever reads or writes the connection. The caller holds mu.
func (d *deadlines) end(why cause) {
	if d.cut != causeNone {
		return
	}
	d.cut = why
	if d.conn != nil {
		d.conn.SetDeadline(past) //nolint:errcheck // fails only on a closed connection, which has woken already
	}
}
