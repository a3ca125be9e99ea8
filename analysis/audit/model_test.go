package audit

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// This file is a small model of clients and a server on virtual time, whose
// truth logs the tests judge. Times are in ns.

const (
	us = int64(time.Microsecond)
	mS = int64(time.Millisecond)
)

// model is a server and what a run asks of its client.
type model struct {
	*rand.Rand
	law      Law
	rate     float64
	n        int
	ttft     int64
	itl      int64
	random   bool  // TTFT and ITL are exponential, not constant
	tokens   int64 // 10 if 0
	opening  int64 // how long before the first token the role event is written; 0: there is none
	trailer  int64 // how long after the last token the stream ends
	failing  float64
	perConn  bool   // the client opens a connection for each request
	connect  int64  // how long before the arrival a connection is accepted
	bodies   uint32 // how many different ones the client has; 0: each request has its own
	log      []Request
	freeConn []conn
	conns    uint64
}

type conn struct {
	id   uint64
	free int64
}

// newModel is a server of 20 ms to the first of 10 tokens, 1 ms apart.
func newModel(seed uint64, law Law, rate float64, n int) *model {
	return &model{Rand: rand.New(rand.NewPCG(seed, 1)), law: law, rate: rate, n: n,
		ttft: 20 * mS, itl: mS, tokens: 10, trailer: 20 * us, connect: 80 * us}
}

// exp draws an exponential time.
func (m *model) exp(mean int64) int64 { return int64(m.ExpFloat64() * float64(mean)) }

// drawn is a service time: constant with the lateness of a timer, or random.
func (m *model) drawn(mean int64) int64 {
	if m.random {
		return m.exp(mean)
	}
	return mean + m.exp(20*us)
}

// serve logs a request that arrives at an instant and returns its end.
func (m *model) serve(at int64, body uint32) *Request {
	r := Request{Number: uint64(len(m.log)), Arrival: at, Read: at + 15*us, Status: 200, Tokens: m.tokens, Input: 32, BodyCRC: body, Stream: new(true)}
	if m.bodies > 0 {
		r.BodyCRC = 1 + body%m.bodies
	}
	r.Conn, r.Accepted = m.connFor(at)
	r.First = at + max(20*us, m.drawn(m.ttft))
	r.Scheduled = r.First - 10*us
	if m.opening > 0 {
		r.Opening = max(r.Read, r.First-m.opening)
	}
	r.Last = r.First
	for range m.tokens - 1 {
		r.Last += m.drawn(m.itl)
	}
	r.End = r.Last + m.trailer
	if m.Float64() < m.failing {
		r.Status, r.Tokens, r.Opening, r.First, r.Last, r.End = 503, 0, 0, 0, 0, at+200*us
	}
	m.log = append(m.log, r)
	m.freeConn = append(m.freeConn, conn{r.Conn, r.end()})
	return &m.log[len(m.log)-1]
}

// connFor takes an idle connection, or a new one, and says when it was accepted.
func (m *model) connFor(at int64) (uint64, int64) {
	for i := len(m.freeConn) - 1; i >= 0 && !m.perConn; i-- {
		if m.freeConn[i].free < at {
			c := m.freeConn[i]
			m.freeConn = slices.Delete(m.freeConn, i, i+1)
			return c.id, 1
		}
	}
	if m.perConn {
		m.freeConn = nil
	}
	m.conns++
	return m.conns, at - m.connect
}

// due is a schedule of the law asked for, which begins at 1 s.
func (m *model) due() []int64 {
	at, t := make([]int64, m.n), float64(time.Second)
	for i := range at {
		at[i] = int64(t)
		if m.law == Constant {
			t = 1e9 + float64(i+1)*1e9/m.rate
		} else {
			t += m.ExpFloat64() * 1e9 / m.rate
		}
	}
	return at
}

// open sends when it is due, late by a wake-up, whatever the server does.
func (m *model) open() { m.send(m.due()) }

// send sends at the given instants, late by a wake-up.
func (m *model) send(at []int64) {
	at = slices.Clone(at)
	for i := range at {
		at[i] += m.exp(20 * us)
	}
	slices.Sort(at)
	for _, t := range at {
		m.serve(t, m.Uint32())
	}
}

// slots are the instants at which the slots of a client become free.
type slots []int64

func (s slots) Len() int           { return len(s) }
func (s slots) Less(i, j int) bool { return s[i] < s[j] }
func (s slots) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *slots) Push(x any)        { *s = append(*s, x.(int64)) }
func (s *slots) Pop() any {
	x := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return x
}

// capped sends when it is due and one of its slots is free, the mean time
// turn after an answer.
func (m *model) capped(due []int64, limit int, turn int64) {
	free := make(slots, limit)
	for _, t := range due {
		at := max(t+m.exp(20*us), heap.Pop(&free).(int64))
		heap.Push(&free, m.serve(at, m.Uint32()).end()+turn/2+m.exp(turn/2))
	}
}

// closed is a closed loop.
func (m *model) closed(clients int, turn int64) {
	due := make([]int64, m.n)
	for i := range due {
		due[i] = int64(time.Second) + int64(m.Float64()*float64(mS))*int64(min(1, clients-1))
	}
	m.capped(due, clients, turn)
}

// drifting sleeps for each gap after it has sent, and takes some time besides.
func (m *model) drifting(overhead int64) {
	t := int64(time.Second)
	for range m.n {
		gap := int64(1e9 / m.rate)
		if m.law == Poisson {
			gap = m.exp(gap)
		}
		t += gap + overhead/2 + m.exp(overhead/2)
		m.serve(t, m.Uint32())
	}
}

// sharedSeed has workers that draw the same gaps and take turns.
func (m *model) sharedSeed(workers int) {
	t := float64(time.Second)
	var at []int64
	for len(at) < m.n {
		gap := m.ExpFloat64() * 1e9 / m.rate
		for range workers {
			t += gap
			at = append(at, int64(t))
		}
	}
	m.send(at[:m.n])
}

// stalling stops now and then and then sends all that is due.
func (m *model) stalling(every, pause int64) {
	at := m.due()
	next := at[0] + every
	for i := range at {
		if at[i] > next+pause {
			next += every + m.exp(every)
		}
		if at[i] > next {
			at[i] = next + pause
		}
	}
	m.send(at)
}

// rescaled stretches its schedule to end at n/rate.
func (m *model) rescaled() {
	at := m.due()
	first := at[0] - int64(m.ExpFloat64()*1e9/m.rate)
	scale := float64(m.n) / m.rate * 1e9 / float64(at[m.n-1]-first)
	for i := range at {
		at[i] = int64(float64(at[i]-first)*scale) + int64(time.Second)
	}
	m.send(at)
}

// retrying sends a failed request again after a while.
func (m *model) retrying(backoff int64) {
	type try struct {
		at   int64
		body uint32
	}
	var all []try
	for _, t := range m.due() {
		all = append(all, try{t, m.Uint32()})
	}
	for len(all) > 0 {
		i := 0
		for k := range all {
			if all[k].at < all[i].at {
				i = k
			}
			if all[k].at > all[i].at+int64(time.Second) {
				break
			}
		}
		x := all[i]
		all = slices.Delete(all, i, i+1)
		if r := m.serve(x.at+m.exp(20*us), x.body); r.failed() {
			again := try{r.end() + backoff, x.body}
			k, _ := slices.BinarySearchFunc(all, again, func(a, b try) int { return int((a.at - b.at) / mS) })
			all = slices.Insert(all, k, again)
		}
	}
}

func (m *model) asked() Asked { return Asked{Law: m.law, Rate: m.rate} }

// spare is a client with CPU to spare.
func spare() Client {
	return Client{CPU: new(1.0), Wall: new(10.0), Busiest: new(0.1), CPUs: 1, Exit: new(0)}
}

// said is what a tool reports that computes each metric by a convention, plain
// if not given, and handles events late by the mean time late, in ms.
func (m *model) said(late float64, by map[Metric]string) *Reported {
	log := byArrival(m.log)
	firstOnly(log)
	whole := measured(log)
	r := &Reported{OK: new(int64(len(whole))), Failed: new(int64(0)), Latency: map[Metric]Summary{}}
	for _, metric := range Metrics {
		name := by[metric]
		if name == "" {
			name = plain
		}
		for _, c := range conventions[metric] {
			if c.name == name {
				r.Latency[metric] = added(c.dist(whole).Summary, lateOf(metric, late, m.tokens))
			}
		}
	}
	return r
}

// lateOf is what a constant lateness does to a metric: differences lose it.
func lateOf(m Metric, late float64, tokens int64) float64 {
	switch m {
	case TPOT, ITL:
		return 0
	case NTPOT:
		return late / float64(tokens)
	}
	return late
}

func added(s Summary, x float64) Summary {
	return s.less(Summary{Mean: new(-x), P50: new(-x), P90: new(-x), P95: new(-x), P99: new(-x)})
}

// audited judges what the model's client did.
func (m *model) audited(t *testing.T, change func(*Input)) Result {
	t.Helper()
	in := Input{Log: m.log, Asked: m.asked(), Client: spare()}
	if change != nil {
		change(&in)
	}
	r, err := Audit(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// kinds are those of the findings.
func kinds(r Result) []Kind {
	found := []Kind{}
	for _, f := range r.Findings {
		found = append(found, f.Kind)
	}
	return found
}

// Beyond the model itself: a service takes as long as it says.
func TestModel(t *testing.T) {
	m := newModel(1, Poisson, 100, 1000)
	m.open()
	got := m.audited(t, nil)
	// 9 gaps of 1 ms, each with a mean lateness of 20 µs.
	if mean := *got.Truth[E2E].Mean; math.Abs(mean-29.2) > 0.05 {
		t.Errorf("E2E is %g ms, want 29.2", mean)
	}
}
