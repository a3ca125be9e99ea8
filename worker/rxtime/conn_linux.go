package rxtime

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"tare/ipc/clock"
)

// Stamp tells of the last read.
type Stamp struct {
	Arrival int64  // k, CLOCK_MONOTONIC ns; = Read if the kernel gave none
	Read    int64  // u, CLOCK_MONOTONIC ns
	Seq     uint64 // number of this read on the connection, from 1
	Kernel  bool   // Arrival is the kernel's
}

// Conn is a TCP connection whose reads are stamped. Like any net.Conn it may
// be written and read at once; only one goroutine reads.
type Conn struct {
	*net.TCPConn
	raw  syscall.RawConn
	wall *clock.Wall

	gate func()
	each func(n int) Next // of ReadEach

	last  Stamp
	n     int
	errno syscall.Errno
	recv  func(fd uintptr) bool // bound once, like the next two: a closure per call would allocate
	recvs func(fd uintptr) bool
	send  func(fd uintptr) bool
	out   []byte // what send still has to write
	msg   unix.Msghdr
	iov   unix.Iovec
	oob   [controlLen]byte
}

// controlLen has room for one SCM_TIMESTAMPING message: three timespecs.
const controlLen = unix.SizeofCmsghdr + 3*int(unsafe.Sizeof(unix.Timespec{})) + 16

const stampFlags = unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE

// Wrap turns on stamps for c. Where the kernel refuses, stamps are the
// user's.
func Wrap(c *net.TCPConn, wall *clock.Wall) (*Conn, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("raw connection: %w", err)
	}
	err = raw.Control(func(fd uintptr) {
		// An error is no fault: reads then bear no stamp and Kernel stays false.
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPING_NEW, stampFlags)
	})
	if err != nil {
		return nil, fmt.Errorf("set socket options: %w", err)
	}
	s := &Conn{TCPConn: c, raw: raw, wall: wall}
	s.recv, s.recvs, s.send = s.receive, s.receiveEach, s.transmit
	return s, nil
}

// Last tells of the last Read that returned bytes.
func (c *Conn) Last() Stamp { return c.last }

// Read reads like net.TCPConn.Read and notes when the bytes arrived.
func (c *Conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c.into(p)
	if err := c.raw.Read(c.recv); err != nil {
		return 0, err
	}
	if err := c.failure(); err != nil {
		return 0, err
	}
	c.stamp()
	return c.n, nil
}

// into says where the next recvmsg puts bytes.
func (c *Conn) into(p []byte) {
	c.iov.Base = &p[0]
	c.iov.SetLen(len(p))
}

// failure is what the last recvmsg said instead of bytes.
func (c *Conn) failure() error {
	switch {
	case c.errno != 0:
		return &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: os.NewSyscallError("recvmsg", c.errno)}
	case c.n == 0:
		return io.EOF
	}
	return nil
}

// Next is what ReadEach does after a read.
type Next uint8

const (
	// Stop ends ReadEach.
	Stop Next = iota
	// Wait waits for more bytes. A read that did not fill its buffer has
	// emptied the queue, so no second call asks whether it is empty. An end of
	// the connection that came together with those bytes is seen only after
	// Poke.
	Wait
	// Again reads until the queue is empty or the end is seen.
	Again
)

// ReadEach reads into p again and again and calls f with the length of each
// piece, until f says Stop (then nil is returned) or the connection ends. It
// saves one system call in two where events come one at a time.
func (c *Conn) ReadEach(p []byte, f func(n int) Next) error {
	c.into(p)
	c.each = f
	if err := c.raw.Read(c.recvs); err != nil {
		return err
	}
	return c.failure()
}

// receiveEach reads until the queue is empty; false asks the poller to wait.
// It waits within one call of raw.Read: between two calls a wake-up could be
// lost.
func (c *Conn) receiveEach(fd uintptr) bool {
	for {
		if !c.receive(fd) {
			return false
		}
		if c.errno != 0 || c.n == 0 {
			return true
		}
		c.stamp()
		switch c.each(c.n) {
		case Stop:
			return true
		case Wait:
			if uint64(c.n) < c.iov.Len {
				return false
			}
		}
	}
}

// Write writes all of p. What the socket takes at once goes in one call that
// never blocks and of which the scheduler is not told.
func (c *Conn) Write(p []byte) (int, error) {
	c.out = p
	if err := c.raw.Write(c.send); err != nil {
		return len(p) - len(c.out), err
	}
	if len(c.out) == 0 {
		return len(p), nil
	}
	n, err := c.TCPConn.Write(c.out) // waits for room, or says what is wrong
	return len(p) - len(c.out) + n, err
}

// transmit is one non-blocking send.
func (c *Conn) transmit(fd uintptr) bool {
	if len(c.out) == 0 {
		return true
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, fd, uintptr(unsafe.Pointer(&c.out[0])), uintptr(len(c.out)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
	if errno == 0 {
		c.out = c.out[n:]
	}
	return true
}

// Gate sets a function that is called once bytes or the end lie ready, before
// they are read. It may block.
func (c *Conn) Gate(f func()) { c.gate = f }

// receive is one non-blocking recvmsg; false asks the poller to wait. The call
// never blocks, so the scheduler need not be told of it (RawSyscall).
func (c *Conn) receive(fd uintptr) bool {
	if c.gate != nil && !c.pass(fd) {
		return false
	}
	for {
		c.msg.Iov, c.msg.Iovlen = &c.iov, 1
		c.msg.Control = &c.oob[0]
		c.msg.SetControllen(len(c.oob))
		n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&c.msg)), unix.MSG_DONTWAIT)
		switch errno {
		case unix.EAGAIN:
			return false
		case unix.EINTR:
			continue
		}
		c.n, c.errno = int(n), errno
		return true
	}
}

// pass goes through the gate if there is something to read.
func (c *Conn) pass(fd uintptr) bool {
	var b [1]byte
	_, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	if err == unix.EAGAIN {
		return false
	}
	c.gate()
	return true
}

// stamp takes the time and the kernel's stamp of the read just made.
func (c *Conn) stamp() {
	c.last.Seq++
	c.last.Read = clock.Now()
	if realtime, ok := c.kernelStamp(); ok {
		c.last.Arrival, c.last.Kernel = c.wall.Monotonic(realtime), true
		return
	}
	c.last.Arrival, c.last.Kernel = c.last.Read, false
}

// kernelStamp finds the software receive stamp in the control message:
// CLOCK_REALTIME ns.
func (c *Conn) kernelStamp() (int64, bool) {
	if c.msg.Controllen < unix.SizeofCmsghdr+16 {
		return 0, false
	}
	h := (*unix.Cmsghdr)(unsafe.Pointer(&c.oob[0]))
	if h.Level != unix.SOL_SOCKET || h.Type != unix.SO_TIMESTAMPING_NEW {
		return 0, false
	}
	at := c.oob[unix.SizeofCmsghdr:]
	sec := int64(binary.NativeEndian.Uint64(at))
	nsec := int64(binary.NativeEndian.Uint64(at[8:]))
	return sec*1e9 + nsec, sec != 0
}

// Peek tells how many bytes lie ready, 0 if none do yet, without taking them.
// The error is io.EOF where the peer has closed.
func (c *Conn) Peek() (int, error) {
	var b [1]byte
	var n int
	var errno error
	err := c.raw.Control(func(fd uintptr) {
		n, _, errno = unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	})
	switch {
	case err != nil:
		return 0, err
	case errno == unix.EAGAIN:
		return 0, nil
	case errno != nil:
		return 0, os.NewSyscallError("recv", errno)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}
