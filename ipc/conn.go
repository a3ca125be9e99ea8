package ipc

import (
	"fmt"
	"net"
	"os"
	"sync"
)

// ChildFD is the file descriptor on which a worker finds its socket.
const ChildFD = 3

// Conn carries frames over one end of a socketpair. Send may be called by
// several goroutines, Receive by one.
type Conn struct {
	conn net.Conn
	in   *FrameReader

	mu sync.Mutex // one frame at a time
}

// NewConn takes over f, a connected stream socket, and closes the file.
func NewConn(f *os.File) (*Conn, error) {
	c, err := net.FileConn(f) // dups: the file itself would keep the socket open
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("take over socket: %w", err)
	}
	return &Conn{conn: c, in: NewFrameReader(c)}, nil
}

// Send writes one message. It blocks while the other side does not read.
func (c *Conn) Send(t Type, worker int, message any) error {
	f, err := Marshal(t, worker, message)
	if err != nil {
		return err
	}
	return c.SendFrame(f)
}

// SendFrame writes one frame.
func (c *Conn) SendFrame(f Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.conn.Write(f); err != nil {
		return fmt.Errorf("send frame: %w", err)
	}
	return nil
}

// Receive returns the next frame, valid until the next call. Errors are those
// of FrameReader.Next.
func (c *Conn) Receive() (Frame, error) { return c.in.Next() }

// Close ends both directions; a Receive that waits returns.
func (c *Conn) Close() error { return c.conn.Close() }
