package audit

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tare/analysis/arrival"
	"tare/analysis/internal/golden"
	"tare/analysis/layout"
)

// conventional is a model whose role event comes 5 ms before the first token
// and whose stream ends 3 ms after the last, at 200 requests/s.
func conventional(seed uint64) *model {
	m := newModel(seed, Poisson, 200, 1500)
	m.opening, m.trailer, m.connect = 5*mS, 3*mS, 2*mS
	m.open()
	return m
}

// Every convention that gives another figure is named, and what the client
// adds is left over.
func TestConventions(t *testing.T) {
	const late = 0.3
	tests := []struct {
		metric  Metric
		by      string
		perConn bool
		want    Kind
		like    []string
	}{
		{TTFT, "opening", false, TTFTOpening, []string{"opening+connect"}},
		{TTFT, "connect", true, TTFTConnect, nil},
		{TTFT, "opening+connect", true, TTFTOpening, nil},
		{E2E, "trailer", false, E2ETrailer, []string{"trailer+connect"}},
		{E2E, "trailer", true, E2ETrailer, nil},
		{E2E, "connect", true, Other, nil},
		{TPOT, "trailer", false, Other, nil},
		{TPOT, "opening", false, Other, nil},
		{TPOT, "opening+trailer", false, Other, nil},
		{TPOT, "over-n", false, Other, nil},
		{TPOT, "prefill", false, Other, nil},
		{TPOT, "prefill+trailer", false, Other, nil},
		{ITL, "trailer", false, Other, nil},
		{ITL, "trailer-gap", false, Other, nil},
		{ITL, "opening-gap", false, Other, nil},
		{NTPOT, "trailer", false, Other, []string{"trailer+connect"}},
		{NTPOT, "decode", false, Other, nil},
	}
	for _, tt := range tests {
		t.Run(string(tt.metric)+" "+tt.by, func(t *testing.T) {
			m := newModel(1, Poisson, 200, 1500)
			m.opening, m.trailer, m.connect, m.perConn = 5*mS, 3*mS, 2*mS, tt.perConn
			m.open()
			r := m.audited(t, func(in *Input) { in.Reported = m.said(late, map[Metric]string{tt.metric: tt.by}) })
			b := r.Bias[tt.metric]
			if b.Status != FitOther || b.Convention != tt.by {
				t.Fatalf("found %s %q, want %q", b.Status, b.Convention, tt.by)
			}
			if diff := cmp.Diff(append([]string{}, tt.like...), b.Like); diff != "" {
				t.Errorf("like: %s", diff)
			}
			if own, _ := b.key(b.Own); math.Abs(own-lateOf(tt.metric, late, m.tokens)) > 1e-9 {
				t.Errorf("the client's own part is %g ms, want that of %g", own, late)
			}
			i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Metric == tt.metric })
			if i < 0 || r.Findings[i].Kind != tt.want {
				t.Errorf("findings %v, want %s of %s", kinds(r), tt.want, tt.metric)
			}
			for other, b := range r.Bias {
				if other != tt.metric && (b.Status != FitPlain && b.Status != FitUnsure || b.Convention != plain) {
					t.Errorf("%s is found %s %q, want plain", other, b.Status, b.Convention)
				}
			}
		})
	}
}

// Where conventions give the same, none is claimed.
func TestConventionsThatCoincide(t *testing.T) {
	m := newModel(1, Poisson, 200, 1500) // no role event, and the trailer follows at once
	m.trailer = 5 * us
	m.open()
	r := m.audited(t, func(in *Input) { in.Reported = m.said(0.2, map[Metric]string{TTFT: "opening", E2E: "trailer"}) })
	for _, metric := range []Metric{TTFT, E2E} {
		b := r.Bias[metric]
		if b.Status != FitUnsure || b.Convention != plain || len(b.Like) == 0 {
			t.Errorf("%s: %s, %q, like %v; want that it cannot be told", metric, b.Status, b.Convention, b.Like)
		}
	}
	if len(r.Findings) != 0 {
		t.Errorf("findings %v, want none", kinds(r))
	}
}

// A client that is late for every event is so for the last as for the first:
// that E2E is late by as much as the trailer is no trailer.
func TestLateClientHasNoTrailer(t *testing.T) {
	m := conventional(1)
	r := m.audited(t, func(in *Input) { in.Reported = m.said(3, nil) })
	if b := r.Bias[E2E]; b.Convention != plain {
		t.Errorf("E2E is found %s %q, want plain", b.Status, b.Convention)
	}
	if !slices.Contains(kinds(r), ClientBias) {
		t.Errorf("findings %v, want %s: 3 ms on some 20", kinds(r), ClientBias)
	}
}

func TestNoConventionFits(t *testing.T) {
	m := conventional(1)
	r := m.audited(t, func(in *Input) {
		in.Reported = m.said(0, nil)
		in.Reported.Latency[TTFT] = added(in.Reported.Latency[TTFT], -8) // below the role event
	})
	if b := r.Bias[TTFT]; b.Status != FitNone {
		t.Errorf("TTFT is found %s %q, want none", b.Status, b.Convention)
	}
	if !slices.Contains(kinds(r), BelowTruth) {
		t.Errorf("findings %v, want %s", kinds(r), BelowTruth)
	}
}

// Requests that a tool sends before its load are not part of it.
func TestWindow(t *testing.T) {
	at := func(start, gap int64, n int) (log []Request) {
		for i := range n {
			log = append(log, Request{Arrival: start + int64(i)*gap, Status: 200, End: start + int64(i)*gap + gap/2})
		}
		return log
	}
	load := at(10e9, 10*mS, 1000)
	tests := []struct {
		name  string
		head  []Request
		asked Asked
		want  int64
	}{
		{"none", nil, Asked{Law: Constant, Rate: 100}, 0},
		{"a probe 2 s before", at(8e9, 1, 1), Asked{Law: Constant, Rate: 100}, 1},
		{"a batch of 20 warm-ups 1 s before", at(9e9, 1e6, 20), Asked{Law: Constant, Rate: 100}, 20},
		{"a request 20 ms before", at(10e9-20*mS, 1, 1), Asked{Law: Constant, Rate: 100}, 0},
		{"the same, known", at(10e9-20*mS, 1, 1), Asked{Law: Constant, Rate: 100, Warmup: new(int64(1))}, 1},
		{"the same, one more than asked for", at(10e9-20*mS, 10*mS, 1), Asked{Law: Constant, Rate: 100, Requests: 1000}, 1},
		{"0.5 s, which a Poisson law of 10/s has", at(10e9-500*mS, 1, 1), Asked{Law: Poisson, Rate: 10}, 0},
		{"known to be none", at(8e9, 1, 1), Asked{Law: Constant, Rate: 100, Warmup: new(int64(0))}, 0},
		{"a third of all is no head", at(1e9, 10*mS, 500), Asked{Law: Constant, Rate: 100}, 0},
	}
	for _, tt := range tests {
		log, w := window(byArrival(slices.Concat(tt.head, load)), tt.asked)
		if w.Trimmed != tt.want || int64(len(log)) != int64(len(tt.head)+len(load))-tt.want {
			t.Errorf("%s: %d left out, want %d", tt.name, w.Trimmed, tt.want)
		}
	}
}

// The level in flight and idle connections, by hand: requests at 0–30, 10–20
// and 40–50 ms; the last opens a connection while those of the others are idle
// (connection 1 brings another request at 60).
func TestFlightByHand(t *testing.T) {
	log := []Request{
		{Conn: 1, Arrival: 1, End: 30*mS + 1}, {Conn: 2, Arrival: 10*mS + 1, End: 20*mS + 1},
		{Conn: 3, Arrival: 40*mS + 1, End: 50*mS + 1}, {Conn: 1, Arrival: 60*mS + 1, End: 70*mS + 1},
	}
	f := inFlight(log)
	// 1 for 10, 2 for 10, 1 for 10, 0 for 10, 1 for 10, 0 for 10 of 60 ms.
	if f.Max != 2 || math.Abs(*f.Mean-50.0/60) > 1e-9 {
		t.Errorf("in flight: mean %g, max %d; want 0.833 and 2", *f.Mean, f.Max)
	}
	if c := connections(log); c.Opened != 3 || c.OpenedIdle != 1 || *c.Reused != 0.25 {
		t.Errorf("connections %+v, want 3, 1 of them beside an idle one, a quarter reused", c)
	}
}

// Pacing is told from cost.
func TestShortfall(t *testing.T) {
	slow := func(m *model) { m.drifting(mS) }
	busy := func(share float64) Client { return Client{Busiest: &share} }
	tests := []struct {
		name   string
		run    func(m *model)
		client Client
		light  func(m *model)
		lightC Client
		want   Cause
	}{
		{"as asked", (*model).open, busy(0.95), nil, Client{}, CauseNone},
		{"with CPU to spare", slow, busy(0.4), nil, Client{}, CausePacing},
		{"with none", slow, busy(0.95), nil, Client{}, CauseCost},
		{"all of two CPUs", slow, Client{CPU: new(19.0), Wall: new(10.0), CPUs: 2}, nil, Client{}, CauseCost},
		{"between", slow, busy(0.8), nil, Client{}, CauseUnknown},
		{"not known", slow, Client{}, nil, Client{}, CauseUnknown},
		{"between, and short when answers are light", slow, busy(0.8), slow, busy(0.5), CausePacing},
		{"between, and short for CPU when answers are light", slow, busy(0.8), slow, busy(0.95), CauseCost},
		{"none, but spare and short when answers are light", slow, busy(0.95), slow, busy(0.5), CausePacing},
		{"none, and not short when answers are light", slow, busy(0.95), (*model).open, busy(0.3), CauseCost},
		{"between, and not short when answers are light", slow, busy(0.8), (*model).open, busy(0.3), CauseCost},
		{"waiting for answers", func(m *model) { m.closed(10, mS/10) }, busy(0.2), nil, Client{}, CauseWaiting},
		{"a late server", func(m *model) {
			slow(m)
			for i := range m.log {
				m.log[i].Read += 10 * mS
			}
		}, busy(0.4), nil, Client{}, CauseServer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(1, Poisson, 1000, 2000)
			tt.run(m)
			r := m.audited(t, func(in *Input) {
				in.Client, in.LightClient = tt.client, tt.lightC
				if tt.light != nil {
					light := newModel(2, Poisson, 1000, 2000)
					light.ttft, light.tokens = 0, 1
					tt.light(light)
					in.Light = light.log
				}
			})
			if r.Short.Cause != tt.want {
				t.Errorf("cause %q (%s), want %q", r.Short.Cause, r.Short.Text, tt.want)
			}
		})
	}
}

// Four runs that all end on time are no chance, and four that do not are none
// of that.
func TestConditionedCount(t *testing.T) {
	for _, tt := range []struct {
		run  func(m *model)
		want bool
	}{{(*model).open, false}, {(*model).rescaled, true}} {
		found, n := 0, seeds(40)
		for seed := range n {
			var totals []arrival.Total
			for k, rate := range []float64{10, 100, 1000} {
				m := newModel(uint64(100*seed+k), Poisson, rate, int(30*rate))
				tt.run(m)
				span := float64(m.log[len(m.log)-1].Arrival-m.log[0].Arrival) / 1e9
				totals = append(totals, arrival.Total{Count: int64(len(m.log) - 1), Expected: rate * span})
			}
			m := newModel(uint64(seed), Poisson, 3000, 3000)
			tt.run(m)
			if slices.Contains(kinds(m.audited(t, func(in *Input) { in.Totals = totals })), Conditioned) {
				found++
			}
		}
		if tt.want && 2*found < n || !tt.want && found > 0 {
			t.Errorf("found in %d of %d, want it: %t", found, n, tt.want)
		}
	}
}

// A tool that counts its latency from when requests were due hides nothing.
func TestLatencyFromTheSchedule(t *testing.T) {
	m := newModel(1, Constant, 1000, 3000)
	m.slow(5)
	m.capped(m.due(), 3, 100*us)
	for late, want := range map[float64]Severity{0.1: Misleading, 1500: Suspect} {
		r := m.audited(t, func(in *Input) { in.Reported = m.said(late, nil) })
		i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Kind == Omission })
		if i < 0 || r.Findings[i].Severity != want {
			t.Errorf("latency %g ms above the server's: findings %+v, want %s %s", late, r.Findings, want, Omission)
		}
	}
}

func TestAskedMakesSense(t *testing.T) {
	for name, in := range map[string]Input{
		"no request":              {Asked: Asked{Law: Poisson, Rate: 1}},
		"no law":                  {Log: []Request{{Arrival: 1}}},
		"no rate":                 {Log: []Request{{Arrival: 1}}, Asked: Asked{Law: Poisson}},
		"a rate that is none":     {Log: []Request{{Arrival: 1}}, Asked: Asked{Law: Poisson, Rate: math.NaN()}},
		"a closed loop at a rate": {Log: []Request{{Arrival: 1}}, Asked: Asked{Law: Closed, Rate: 1}},
		"warm-up":                 {Log: []Request{{Arrival: 1}}, Asked: Asked{Law: Closed, Warmup: new(int64(-1))}},
	} {
		if _, err := Audit(in); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A page of each kind of tool.
func TestTable(t *testing.T) {
	good := conventional(1)
	bad := newModel(2, Poisson, 1000, 5000)
	bad.opening, bad.trailer, bad.failing = 5*mS, 3*mS, 0.01
	bad.drifting(400 * us)
	for name, r := range map[string]Result{
		"faithful.txt": good.audited(t, func(in *Input) {
			in.Reported = good.said(0.05, nil)
			in.Reported.Tool, in.Reported.Version = "tare", "1"
			in.Asked.Requests = 1500
			in.Asked.Server = map[string]string{"ttft": "20ms", "itl": "1ms"}
		}),
		"misleading.txt": bad.audited(t, func(in *Input) {
			in.Reported = bad.said(2, map[Metric]string{TTFT: "opening", E2E: "trailer", TPOT: "prefill"})
			in.Reported.Tool = "slowbench"
			in.Reported.Names = map[Metric]string{TPOT: "time per token"}
			in.Client.Busiest, in.Client.Exit = new(0.41), new(1)
		}),
		"closed.txt": good.audited(t, func(in *Input) { in.Asked = Asked{Law: Closed, Concurrency: 8} }),
	} {
		var b bytes.Buffer
		if err := r.Table(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if utf8.RuneCountInString(line) > layout.LineLen+1 {
				t.Errorf("%s: a line of %d columns: %s", name, utf8.RuneCountInString(line), line)
			}
		}
		golden.Compare(t, "testdata/"+name, b.String())
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	}
}
