package sim

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tare/ipc/clock"
)

// benchEnv makes the test binary a simulator in a process of its own, so that
// its CPU time can be told from the client's.
const benchEnv = "TARE_SIM_BENCH"

func TestMain(m *testing.M) {
	if os.Getenv(benchEnv) == "" {
		os.Exit(m.Run())
	}
	s, err := New(Config{})
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Addr())
	ctx, cancel := context.WithCancel(context.Background())
	go func() { os.Stdin.Read(make([]byte, 1)); cancel() }() // ends with the parent
	if err := s.Serve(ctx); err != nil {
		panic(err)
	}
}

// child starts the simulator on one CPU with GOMAXPROCS=1. stop ends it and
// returns the CPU time that it used.
func child(b *testing.B) (addr string, stop func() time.Duration) {
	b.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), benchEnv+"=1", "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	onLastCPU(b, func() { err = cmd.Start() })
	if err != nil {
		b.Fatal(err)
	}
	addr, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(addr), func() time.Duration {
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
}

// onLastCPU calls start on a thread bound to the last allowed CPU: children
// inherit that.
func onLastCPU(b *testing.B, start func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		b.Fatal(err)
	}
	for cpu := range 1024 {
		if before.IsSet(cpu) {
			one.Zero()
			one.Set(cpu)
		}
	}
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		b.Fatal(err)
	}
	start()
	if err := unix.SchedSetaffinity(0, &before); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkServe reports the simulator's CPU time per streamed request, closed
// loop (rate 0) and at a constant rate.
func BenchmarkServe(b *testing.B) {
	for _, c := range []struct{ rate, tokens int }{{0, 1}, {0, 10}, {0, 100}, {1000, 10}, {5000, 1}, {5000, 10}} {
		b.Run(fmt.Sprintf("rate=%d/tokens=%d", c.rate, c.tokens), func(b *testing.B) {
			addr, stop := child(b)
			turns := make(chan struct{})
			var wg sync.WaitGroup
			for range 64 {
				wg.Go(func() { exchange(b, addr, c.tokens, turns) })
			}
			b.ResetTimer()
			pace(b, c.rate, turns)
			wg.Wait()
			b.StopTimer()
			b.ReportMetric(float64(stop().Microseconds())/float64(b.N), "cpu-µs/req")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}

// pace gives b.N turns, at a rate per second or as fast as they are taken.
func pace(b *testing.B, rate int, turns chan<- struct{}) {
	defer close(turns)
	alarm, err := clock.NewAlarm()
	if err != nil {
		b.Fatal(err)
	}
	defer alarm.Close()
	begin := clock.Now()
	for i := range b.N {
		if rate > 0 {
			if err := alarm.WaitUntil(begin + int64(i)*int64(time.Second)/int64(rate)); err != nil {
				b.Fatal(err)
			}
		}
		turns <- struct{}{}
	}
}

// exchange sends a request for each turn and reads the stream to its end.
func exchange(b *testing.B, addr string, tokens int, turns <-chan struct{}) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Error(err)
		return
	}
	defer conn.Close()
	request, buf := usualRequest(tokens), make([]byte, 64<<10)
	for range turns {
		if err := roundTrip(conn, request, buf); err != nil {
			b.Error(err)
			return
		}
	}
}

func usualRequest(tokens int) []byte {
	body := fmt.Sprintf(`{"model":"sim","prompt":"%s","max_tokens":%d,"stream":true,"stream_options":{"include_usage":true}}`,
		strings.Repeat("lorem ", 32), tokens)
	return fmt.Appendf(nil, "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body)
}

func roundTrip(conn net.Conn, request, buf []byte) error {
	if _, err := conn.Write(request); err != nil {
		return err
	}
	for {
		n, err := conn.Read(buf)
		if err != nil || bytes.HasSuffix(buf[:n], []byte("\r\n"+lastChunk)) {
			return err
		}
	}
}

// A request and its stream allocate nothing, with or without delays.
func TestServingAllocatesNothing(t *testing.T) {
	for _, itl := range []string{"0", "exp(10us)"} {
		s := startServer(t, Config{ITL: law(t, itl), Slots: 4, TruthPath: filepath.Join(t.TempDir(), "truth")})
		conn, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		request, buf := usualRequest(10), make([]byte, 64<<10)
		n := testing.AllocsPerRun(300, func() {
			if err := roundTrip(conn, request, buf); err != nil {
				t.Fatal(err)
			}
		})
		conn.Close()
		if n > 0 {
			t.Errorf("itl %s: %v allocations a request, want none", itl, n)
		}
	}
}
