package wire

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
)

// The values of Result.Sub for a connection that gave not one byte. On a
// connection that had served before, this is the race of a server that hangs up
// as the request is written.
const (
	ClosedBeforeResponse = "closed before response"
	ResetBeforeResponse  = "reset before response"
)

// Close says that no more bytes will come: the peer closed (io.EOF) or reset
// the connection, a deadline passed (os.ErrDeadlineExceeded), or the caller
// gave up (context.Canceled). It settles the class. A Reader that is not going
// to be used again must be closed.
func (r *Reader) Close(err error) State {
	switch {
	case r.phase == ended || r.phase == broken:
	case r.phase == inToClose && errors.Is(err, io.EOF):
		r.end()
	case r.phase == inHead:
		r.phase = broken
		r.closeInHead(err)
	default:
		r.phase = broken
		r.closeInBody(err)
	}
	r.stopInflate()
	return r.state()
}

// closeInHead judges an answer whose final header never came.
func (r *Reader) closeInHead(err error) {
	class, sub := closeCause(err, Connection)
	if len(r.head) > 0 {
		r.settle(class, sub+" in response header", err.Error())
		return
	}
	r.settle(class, sub+" before response", err.Error())
}

// closeInBody judges a body that was cut. If the peer did it, the body is at
// its end, and an event that lacks only its line ends still counts; if we did,
// more might have come.
func (r *Reader) closeInBody(err error) {
	class, sub := closeCause(err, Truncated)
	if class == Truncated {
		r.flushSSE()
	}
	switch {
	case r.settled:
	case r.failedStatus():
		r.settleStatus()
	case failedFinish(r.answer.finish):
		r.settleDone()
	default:
		r.settle(class, sub+" in body", err.Error())
	}
}

// closeCause tells the ends that come from our side from those of the peer,
// whose class is given. ETIMEDOUT is the kernel's giving up on the peer: no
// deadline of ours.
func closeCause(err error, peer ErrorClass) (ErrorClass, string) {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return Timeout, "deadline"
	case errors.Is(err, context.Canceled):
		return Cancelled, "cancelled"
	case errors.Is(err, syscall.ECONNRESET):
		return peer, "reset"
	}
	return peer, "closed"
}
