package audit

import (
	"math"
	"strconv"
	"time"

	"tare/analysis/arrival"
	"tare/analysis/stats"
)

// Traffic is the load as it reached the server, within the Window.
type Traffic struct {
	Window   Window           `json:"window"`
	Requests int64            `json:"requests"` // that arrived
	OK       int64            `json:"ok"`       // that got a whole answer
	Failed   map[string]int64 `json:"failed"`   // by HTTP status, or by the fault that broke the answer
	Cut      int64            `json:"cut"`      // that the client left before their end
	// Rate is (requests−1)/(last arrival − first), in requests/s.
	Rate *float64 `json:"delivered_rate"`
	// Share is Rate over the rate asked for.
	Share *float64 `json:"delivered_share"`
	// ShareError is the standard error that the law asked for gives Share.
	ShareError *float64 `json:"delivered_share_se"`
	// OKRate is that of the requests that got a whole answer.
	OKRate *float64 `json:"ok_rate"`

	PerSecond []int64 `json:"per_second"` // arrivals in each whole second of the window
	// RateCV is the standard deviation of PerSecond over its mean.
	RateCV *float64 `json:"rate_cv"`
	// Drift is the rate of the second half of the window over that of the
	// first, less 1.
	Drift *float64 `json:"rate_drift"`

	Law      arrival.Stats     `json:"arrival"`          // KSD is the distance to the law asked for, at the delivered rate
	Offences []arrival.Finding `json:"arrival_findings"` // where the arrivals left it
	// Lag is how late arrivals are against the constant schedule, at the rate
	// asked for, that the earliest of them fits; of that law only.
	Lag *Dist `json:"schedule_lag"`

	Connections Connections `json:"connections"`
	InFlight    InFlight    `json:"in_flight"`
}

// Connections are those that brought requests.
type Connections struct {
	Opened   int64    `json:"opened"`
	Requests *float64 `json:"requests_per_connection"`
	// Reused is the share of requests that came on a connection which had
	// brought one before.
	Reused *float64 `json:"reused_share"`
	// OpenedIdle counts connections that brought their first request while
	// another one, which brought a request later, had nothing to do.
	OpenedIdle int64 `json:"opened_while_idle"`
}

// traffic describes a sorted log without its head.
func traffic(log []Request, w Window, asked Asked) Traffic {
	t := Traffic{Window: w, Requests: int64(len(log)), Failed: map[string]int64{}, PerSecond: []int64{}, Offences: []arrival.Finding{}}
	t.count(log)
	t.Connections = connections(log)
	t.InFlight = inFlight(log)
	if len(log) < 2 || w.Length <= 0 {
		return t
	}
	at := arrivals(log)
	t.rates(at, asked)
	t.Law = arrival.Measure(at)
	if spec, open := asked.spec(*t.Rate); open {
		t.Law = spec.Measure(at)
		t.Offences = append(t.Offences, spec.Judge(at, at)...)
	}
	if asked.Law == Constant {
		t.Lag = lag(at, asked.Rate)
	}
	return t
}

// count books every request under its outcome.
func (t *Traffic) count(log []Request) {
	for i := range log {
		switch r := &log[i]; {
		case r.ok():
			t.OK++
		case r.failed() && r.Status != answered && r.Status != 0:
			t.Failed[strconv.Itoa(r.Status)]++
		case r.failed() && r.Fault != "":
			t.Failed[r.Fault]++
		case r.failed():
			t.Failed["no answer"]++
		default:
			t.Cut++
		}
	}
}

// failures is the number of requests that the server failed.
func (t *Traffic) failures() (n int64) {
	for _, k := range t.Failed {
		n += k
	}
	return n
}

func (t *Traffic) rates(at []int64, asked Asked) {
	n := float64(len(at))
	t.Rate = new((n - 1) / t.Window.Length)
	t.OKRate = new(*t.Rate * float64(t.OK) / n)
	if asked.Rate > 0 {
		t.Share = new(*t.Rate / asked.Rate)
		t.ShareError = new(math.Sqrt(asked.scv()/n) * *t.Share)
	}
	t.PerSecond = perSecond(at)
	if mean, ok := stats.Mean(t.PerSecond); ok && mean > 0 {
		if v, ok := stats.Variance(t.PerSecond); ok {
			t.RateCV = new(math.Sqrt(v) / mean)
		}
	}
	first := 0
	for _, x := range at {
		if x-at[0] < at[len(at)-1]-x { // nearer to the first
			first++
		}
	}
	t.Drift = new(float64(len(at)-first)/float64(first) - 1)
}

// lag is how late arrivals are against the instants t₀ + i/rate, with t₀ such
// that none is early.
func lag(at []int64, rate float64) *Dist {
	late := make([]float64, len(at))
	least := math.Inf(1)
	for i, t := range at {
		late[i] = float64(t-at[0])/float64(time.Millisecond) - float64(i)*1e3/rate
		least = min(least, late[i])
	}
	for i := range late {
		late[i] -= least
	}
	d := distOf(late)
	return &d
}

// connections describes those of a sorted log. Each is known to be idle from
// the end of a request to the arrival of its next.
func connections(log []Request) Connections {
	last := map[uint64]int64{} // end of the newest request of a connection
	var firsts []int64         // arrivals on new connections
	var idle []span
	for i := range log {
		r := &log[i]
		if end, known := last[r.Conn]; !known {
			firsts = append(firsts, r.Arrival)
		} else if r.Arrival > end {
			idle = append(idle, span{end, r.Arrival})
		}
		last[r.Conn] = max(last[r.Conn], r.end())
	}
	c := Connections{Opened: int64(len(last))}
	if len(log) > 0 {
		c.Requests = new(float64(len(log)) / float64(len(last)))
		c.Reused = new(1 - float64(len(last))/float64(len(log)))
	}
	c.OpenedIdle = covered(firsts, idle)
	return c
}
