package bench

import (
	"bytes"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

const (
	streams  = 64
	readSize = 16 << 10
)

// event is a completions event of usual size, as one HTTP chunk.
var event = chunk(`data: {"id":"cmpl-5f0c2f6f0d4b4c0f9c53","object":"text_completion","created":1764444444,"model":"bare","choices":[{"index":0,"text":" token","logprobs":null,"finish_reason":null,"stop_reason":null}],"usage":null}` + "\n\n")

func chunk(s string) []byte { return fmt.Appendf(nil, "%x\r\n%s\r\n", len(s), s) }

// answer is what the server writes for n events, a slice for each write.
func answer(n int) [][]byte {
	head := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n")
	writes := [][]byte{append(head, event...)}
	for range n - 1 {
		writes = append(writes, event)
	}
	end := chunk(`data: {"id":"cmpl-5f0c2f6f0d4b4c0f9c53","object":"text_completion","created":1764444444,"model":"bare","choices":[{"index":0,"text":"","logprobs":null,"finish_reason":"length","stop_reason":null}],"usage":null}` + "\n\n")
	return append(writes, bytes.Join([][]byte{end, chunk("data: [DONE]\n\n"), []byte("0\r\n\r\n")}, nil))
}

// serve is the bare server: it takes whatever one read gives for a request.
func serve(events int) error {
	runtime.LockOSThread()
	ln, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.Bind(ln, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	if err := unix.Listen(ln, 2*streams); err != nil {
		return err
	}
	name, err := unix.Getsockname(ln)
	if err != nil {
		return err
	}
	fmt.Println(name.(*unix.SockaddrInet4).Port)
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	if err := watch(ep, ln); err != nil {
		return err
	}
	return loop(ep, func(fd int, buf []byte) error {
		if fd != ln {
			return reply(fd, buf, answer(events))
		}
		c, _, err := unix.Accept4(ln, unix.SOCK_CLOEXEC)
		if err != nil {
			return err
		}
		if err := unix.SetsockoptInt(c, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			return err
		}
		return watch(ep, c)
	})
}

func reply(fd int, buf []byte, writes [][]byte) error {
	n, err := unix.Read(fd, buf)
	if n <= 0 || err != nil {
		return unix.Close(fd)
	}
	for _, w := range writes {
		if _, err := unix.Write(fd, w); err != nil {
			return unix.Close(fd)
		}
	}
	return nil
}

func watch(ep, fd int) error {
	return unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
}

// loop calls f for every readable descriptor.
func loop(ep int, f func(fd int, buf []byte) error) error {
	events, buf := make([]unix.EpollEvent, streams), make([]byte, readSize)
	for {
		n, err := unix.EpollWait(ep, events, -1)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return os.NewSyscallError("epoll_wait", err)
		}
		for _, e := range events[:n] {
			if err := f(int(e.Fd), buf); err != nil {
				return err
			}
		}
	}
}
