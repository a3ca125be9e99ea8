package profile

import (
	"testing"

	"tare/analysis"
	"tare/analysis/metrics"
	"tare/ipc"
)

// lagging is a step of so many requests, each sent 1 ms late, but for some that
// were sent 5 s late and cut off.
func lagging(n, late int) (*Step, *Flow) {
	f := NewFlow(0, ipc.SLO{})
	for i := range n {
		r := served{int64(i) * 1e7, int64(i)*1e7 + 1e8, ipc.OK}.record(new(ipc.Record))
		r.Sent += 1e6
		if i < late {
			r.Class = ipc.Cancelled
			r.Sent += 5e9
		}
		f.Due(r.Scheduled)
		f.End(r, false)
	}
	f.sort()
	s := tells(Saturated)
	s.Summary = summary(100, 1)
	return &s, f
}

// summary has a p99 of wire TTFT and of client lag, in ms.
func summary(ttft, clientLag float64) (s analysis.Summary) {
	s.Latency.TTFT.Wire = metrics.Dist{P50: &ttft, P90: &ttft, P95: &ttft, P99: &ttft, N: 5000}
	s.Latency.ClientLag = metrics.Dist{P50: new(0.1), P90: new(0.1), P95: new(0.1), P99: &clientLag, N: 5000}
	return s
}

// The limits are the verdict's: biased is what lags by more than half of a
// TTFT of 100 ms.
func TestJudgeClient(t *testing.T) {
	for _, c := range []struct {
		why       string
		n, late   int
		clientLag float64
		want      Status
		limit     bool
	}{
		{"all is well", 2000, 0, 1, Saturated, false},
		{"client lag is high, in one event of a hundred and with thousands behind it", 2000, 0, 60, Client, true},
		{"a third was sent late and cut off: in no percentile of the summary", 2000, 700, 1, Client, true},
		// 3 % of 300: beyond p99, which 300 do not back, not beyond p95.
		{"a stall of a moment", 300, 9, 1, Client, false},
	} {
		s, f := lagging(c.n, c.late)
		s.Summary.Latency.ClientLag.P99 = &c.clientLag
		s.judgeClient(f)
		if s.Status != c.want || s.limit != c.limit {
			t.Errorf("%s: %s, limit %v; want %s, %v: %q", c.why, s.Status, s.limit, c.want, c.limit, s.Reasons)
		}
	}
}

// A client that drove a higher rate is not the limit at a lower one, however
// often it was not valid there.
func TestClientIsNoLimitBelowWhatItDrove(t *testing.T) {
	p := auto(30, 240)
	steps, course := follow(t, p, func(rate float64, n int) Step {
		if 70 < rate && rate < 90 {
			return limited(true)
		}
		return sharp(80)(rate, n)
	})
	if want := "30 60 120 78.2 78.2 81.8 81.8 | the interval is as narrow as asked for"; course != want {
		t.Errorf("course %q\nwant   %q", course, want)
	}
	if c := Conclude(p, ipc.SLO{}, steps).Capacity; c.LimitedBy != ByServer || c.ClientLimit != nil || !near(c.Rate, 80) {
		t.Errorf("capacity %s by %s", show(c), c.LimitedBy)
	}
}

// At 400/s of 2 events with 1.5 ms each the client has 1.2 s of work a second:
// at half a load each that is three workers.
func TestAdvice(t *testing.T) {
	s := tells(Client)
	s.Asked = new(400.0)
	s.Summary.Load.OK, s.Summary.Tokens.Output = 100, 200
	s.Summary.Client.Workers = []analysis.Worker{{}}
	s.Summary.Client.Workers[0].ServiceMean = new(1500.0)
	if n, ok := workersFor(&s); !ok || n != 3 {
		t.Errorf("%d workers, %v", n, ok)
	}
	if _, ok := workersFor(&Step{}); ok {
		t.Error("a step without figures has an advice")
	}
}
