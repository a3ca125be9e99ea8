package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"tare/supervisor"
)

// plainEvery is the time between progress lines where stderr is no terminal.
const plainEvery = 5 * time.Second

// progress shows how a run is going: one line that is written over on a
// terminal, plain lines elsewhere.
type progress struct {
	out      io.Writer
	terminal bool
	last     time.Duration
}

func newProgress(out io.Writer) *progress {
	f, ok := out.(*os.File)
	terminal := false
	if ok {
		_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
		terminal = err == nil
	}
	return &progress{out: out, terminal: terminal}
}

func (p *progress) show(l supervisor.Live) {
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K%s", line(l))
		if l.InFlight == 0 && l.Load.Duration > 0 && l.Elapsed >= l.Load.Duration {
			fmt.Fprintln(p.out)
		}
		return
	}
	if l.Elapsed-p.last >= plainEvery || l.Elapsed < p.last {
		p.last = l.Elapsed
		fmt.Fprintln(p.out, line(l))
	}
}

// clear makes room for a line of its own.
func (p *progress) clear() {
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

func line(l supervisor.Live) string {
	asked := "closed loop of " + fmt.Sprint(l.Load.Concurrency)
	if l.Load.Open() {
		asked = "asked " + l.Load.Rate + "/s"
	}
	reached := 0.0
	if l.Elapsed > 0 {
		reached = float64(l.Sent) / l.Elapsed.Seconds()
	}
	return fmt.Sprintf("%5.1fs  %s, reached %.1f/s | due %d sent %d ok %d failed %d dropped %d in flight %d | wire ttft p50 %s p99 %s | send lag p99 %s",
		l.Elapsed.Seconds(), asked, reached, l.Due, l.Sent, l.OK, l.Failed, l.Dropped, l.InFlight,
		micros(l.TTFT.ValueAtQuantile(50), l.TTFT.TotalCount()), micros(l.TTFT.ValueAtQuantile(99), l.TTFT.TotalCount()),
		micros(l.SendLag.ValueAtQuantile(99), l.SendLag.TotalCount()))
}

// micros writes µs in ms; n counts what the figure rests on.
func micros(us, n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3fms", float64(us)/1000)
}
