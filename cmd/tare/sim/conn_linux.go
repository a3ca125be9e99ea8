package sim

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"tare/ipc/clock"
	"tare/worker/rxtime"
)

// conn is one connection. Its goroutine reads requests; while an answer is
// under way it goes on reading, so that it sees the client leave.
type conn struct {
	srv      *Server
	id       uint64 // from 1
	accepted int64  // when
	rx       *rxtime.Conn
	raw      syscall.RawConn
	in       reader
	req      request
	stream   stream

	// Of the owner of the stream.
	err     error  // of a write; nothing is written after it
	pending []byte // what the socket would not take
	out     []byte
	n       int
	errno   syscall.Errno
	write   func(fd uintptr) bool // bound once: a closure a write would allocate
}

// newConn wraps an accepted connection. Go has set TCP_NODELAY on it, so each
// write leaves at once as a segment of its own.
func newConn(srv *Server, tcp *net.TCPConn, id uint64) (*conn, error) {
	rx, err := rxtime.Wrap(tcp, srv.wall)
	if err != nil {
		return nil, err
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("raw connection: %w", err)
	}
	c := &conn{srv: srv, id: id, accepted: clock.Now(), rx: rx, raw: raw}
	c.in = reader{src: rx, proceed: c.proceed}
	c.write = c.writeOnce
	c.stream = stream{conn: c, wake: make(chan struct{}, 1)}
	return c, nil
}

// serve answers requests until the client, an answer or the server ends the
// connection.
func (c *conn) serve() {
	s := &c.stream
	err := c.requests()
	var bad *requestError
	switch {
	case errors.As(err, &bad):
		c.srv.sched.wait(s)
		c.reply(bad.status, problem(bad.status, bad.text), true)
	case errors.Is(err, os.ErrDeadlineExceeded): // set by the server's stop
		c.srv.sched.stop(s)
		c.srv.sched.wait(s)
	default:
		c.srv.sched.abort(s)
	}
	c.rx.Close()
	c.srv.sched.wait(s)
}

// requests reads and answers.
func (c *conn) requests() error {
	for {
		if err := c.in.next(&c.req); err != nil {
			return err
		}
		stamp := c.rx.Last()
		c.srv.sched.wait(&c.stream)
		if c.err != nil {
			return c.err
		}
		if !c.srv.handle(c, stamp) {
			return io.EOF
		}
	}
}

// proceed answers Expect: 100-continue.
func (c *conn) proceed() error {
	c.srv.sched.wait(&c.stream)
	c.send([]byte("HTTP/1.1 100 Continue\r\n\r\n"))
	c.flush()
	return c.err
}

// reply writes an answer that needs no service.
func (c *conn) reply(status int, body []byte, closing bool) {
	b := appendHead(nil, status, "application/json", closing)
	b = fmt.Appendf(b, "content-length: %d\r\n\r\n", len(body))
	if string(c.req.method) != http.MethodHead {
		b = append(b, body...)
	}
	c.send(b)
	c.flush()
}

// send writes p with one system call. What the socket does not take at once
// stays pending, and then so does all that follows.
func (c *conn) send(p []byte) {
	switch {
	case c.err != nil || len(p) == 0:
		return
	case len(c.pending) > 0:
		c.pending = append(c.pending, p...)
		return
	}
	c.out, c.n, c.errno = p, 0, 0
	if err := c.raw.Write(c.write); err != nil {
		c.err = err
		return
	}
	if c.errno != 0 && c.errno != unix.EAGAIN {
		c.err = os.NewSyscallError("send", c.errno)
		return
	}
	c.pending = append(c.pending, p[c.n:]...)
}

// writeOnce is one non-blocking send. The call never blocks, so the scheduler
// need not be told of it (RawSyscall).
func (c *conn) writeOnce(fd uintptr) bool {
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, fd, uintptr(unsafe.Pointer(&c.out[0])), uintptr(len(c.out)),
			unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		if errno == unix.EINTR {
			continue
		}
		if errno == 0 {
			c.n = int(n)
		}
		c.errno = errno
		return true
	}
}

// flush writes what is pending and waits for the client to take it.
func (c *conn) flush() {
	if len(c.pending) == 0 || c.err != nil {
		return
	}
	_, c.err = c.rx.Write(c.pending)
	c.pending = c.pending[:0]
}

// hangUp closes as an answer's end demands.
func (c *conn) hangUp(a action) {
	if a == reset {
		_ = c.rx.SetLinger(0) // an error means that the client closed first
	}
	_ = c.rx.Close()
}
