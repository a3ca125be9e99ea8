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

	last  Stamp
	n     int
	errno syscall.Errno
	recv  func(fd uintptr) bool // bound once: a closure per read would allocate
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
	s.recv = s.receive
	return s, nil
}

// Last tells of the last Read that returned bytes.
func (c *Conn) Last() Stamp { return c.last }

// Read reads like net.TCPConn.Read and notes when the bytes arrived.
func (c *Conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c.iov.Base = &p[0]
	c.iov.SetLen(len(p))
	if err := c.raw.Read(c.recv); err != nil {
		return 0, err
	}
	switch {
	case c.errno != 0:
		return 0, &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: os.NewSyscallError("recvmsg", c.errno)}
	case c.n == 0:
		return 0, io.EOF
	}
	c.stamp()
	return c.n, nil
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
