package bench

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// cost is what a client spent.
type cost struct {
	requests int64
	cpu      time.Duration
}

// perRequest is CPU time in µs.
func (c cost) perRequest() float64 { return float64(c.cpu.Microseconds()) / float64(c.requests) }

// request is of the size that the worker sends.
var request = fmt.Appendf(nil, "POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:80000\r\nUser-Agent: tare\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%0*d", 280, 280, 0)

var errEnough = errors.New("time is up")

// floor is the bare client: it prints its count and CPU time.
func floor(port, events int, d time.Duration) error {
	runtime.LockOSThread()
	length := 0
	for _, w := range answer(events) {
		length += len(w)
	}
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	left := map[int]int{}
	for range streams {
		fd, err := dial(port)
		if err != nil {
			return err
		}
		if err := watch(ep, fd); err != nil {
			return err
		}
		left[fd] = length
	}
	return drive(ep, left, length, d)
}

func dial(port int) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return 0, err
	}
	return fd, unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING_NEW, unix.SOF_TIMESTAMPING_RX_SOFTWARE|unix.SOF_TIMESTAMPING_SOFTWARE)
}

// drive keeps every stream busy for d.
func drive(ep int, left map[int]int, length int, d time.Duration) error {
	begin, end := cpuTime(), time.Now().Add(d)
	for fd := range left {
		if _, err := unix.Write(fd, request); err != nil {
			return err
		}
	}
	var done int64
	var oob [64]byte
	var iov unix.Iovec
	msg := unix.Msghdr{Iov: &iov, Iovlen: 1, Control: &oob[0]}
	err := loop(ep, func(fd int, buf []byte) error {
		iov.Base = &buf[0]
		iov.SetLen(len(buf))
		msg.SetControllen(len(oob))
		n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&msg)), 0)
		if errno != 0 || n == 0 {
			return fmt.Errorf("recvmsg: %d bytes, %w", n, errno)
		}
		if left[fd] -= int(n); left[fd] > 0 {
			return nil
		}
		left[fd] = length
		if done++; done%64 == 0 && time.Now().After(end) {
			return errEnough
		}
		_, err := unix.Write(fd, request)
		return err
	})
	if !errors.Is(err, errEnough) {
		return err
	}
	fmt.Println(done, int64(cpuTime()-begin))
	return nil
}

func cpuTime() time.Duration {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
