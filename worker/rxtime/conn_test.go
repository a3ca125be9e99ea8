package rxtime

import (
	"net"
	"testing"
	"time"

	"tare/ipc/clock"
)

// pair returns two ends of a loopback connection, the first one stamped.
func pair(t testing.TB) (*Conn, net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	there, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	here, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Wrap(here.(*net.TCPConn), clock.NewWall())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); there.Close() })
	return c, there
}

// Bytes that lay in the kernel for 30 ms say so: the stamp is of their
// arrival, the read is later. This is what no user-space clock can see.
func TestStampIsOfTheArrival(t *testing.T) {
	c, there := pair(t)
	before := clock.Now()
	if _, err := there.Write([]byte("token")); err != nil {
		t.Fatal(err)
	}
	after := clock.Now()
	time.Sleep(30 * time.Millisecond)
	if _, err := c.Read(make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	s := c.Last()
	if !s.Kernel {
		t.Skip("this kernel gives no receive stamps")
	}
	const slack = int64(time.Millisecond) // between the two clocks' samples
	if s.Arrival < before-slack || s.Arrival > after+slack {
		t.Errorf("arrival %d ns after the write began, which took %d ns", s.Arrival-before, after-before)
	}
	if lag := s.Read - s.Arrival; lag < int64(29*time.Millisecond) {
		t.Errorf("read %d ns after the arrival, want at least the 30 ms slept", lag)
	}
	if s.Seq != 1 {
		t.Errorf("read number %d, want 1", s.Seq)
	}
}

// A read allocates nothing: it happens once or more per token event.
func TestReadAllocatesNothing(t *testing.T) {
	c, there := pair(t)
	buf, msg := make([]byte, 64), []byte("token")
	n := testing.AllocsPerRun(100, func() {
		if _, err := there.Write(msg); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(buf); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations a read, want none", n)
	}
}
