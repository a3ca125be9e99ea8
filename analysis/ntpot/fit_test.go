package ntpot

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tare/analysis/metrics"
)

// server is a server of known laws. Times are in ms.
type server struct {
	fixed, prefill, decode float64 // the last two a token
	slots                  int     // requests prefilled at once; 0: no queue
	rate                   float64 // requests/s
	input, output          [2]int64
	firstTokens            int64
}

// truth are the means of what a run really held.
type truth struct{ queue, fixed float64 }

// run is n requests with Poisson arrivals, a queue for the slots, exponential
// fixed cost, prefill ± 20 % and exponential times between tokens.
func (s server) run(n int, r *rand.Rand) (rows []metrics.Row, sums Sums, was truth) {
	free := make([]float64, max(1, s.slots)) // when each slot is free, ms
	at := 0.0
	for i := range n {
		at += r.ExpFloat64() * 1000 / s.rate
		row := metrics.Row{
			Index: int64(i), Scheduled: ns(at), Sent: ns(at), Begun: true, Ended: true, Decoded: true, FirstTokens: max(1, s.firstTokens),
			Input: s.input[0] + r.Int64N(s.input[1]-s.input[0]+1), Tokens: s.output[0] + r.Int64N(s.output[1]-s.output[0]+1),
		}
		fixed := s.fixed * r.ExpFloat64()
		service := float64(row.Input) * s.prefill * (0.8 + 0.4*r.Float64())
		begin := at
		if s.slots > 0 {
			k := 0
			for j := range free {
				if free[j] < free[k] {
					k = j
				}
			}
			begin = max(at, free[k])
			free[k] = begin + service
		}
		first := begin + service + fixed
		last := first
		for range row.Tokens - row.FirstTokens {
			last += s.decode * r.ExpFloat64()
		}
		row.First, row.Last = metrics.Stamps{Arrival: ns(first)}, metrics.Stamps{Arrival: ns(last)}
		was.queue += (begin - at) / float64(n)
		was.fixed += fixed / float64(n)
		rows = append(rows, row)
		sums.Add(row)
	}
	return rows, sums, was
}

func ns(ms float64) int64 { return int64(ms * 1e6) }

// settings are the three of the tests: much prefill, several tokens in the
// first event, and a queue before two slots at ρ = 0.75.
var settings = map[string]server{
	"prefill":      {fixed: 4, prefill: 0.05, decode: 8, rate: 100, input: [2]int64{16, 2048}, output: [2]int64{8, 64}},
	"first events": {fixed: 10, prefill: 0.01, decode: 3, rate: 100, input: [2]int64{100, 400}, output: [2]int64{20, 40}, firstTokens: 3},
	"queue":        {fixed: 2, prefill: 0.1, decode: 5, slots: 2, rate: 100, input: [2]int64{50, 250}, output: [2]int64{4, 32}},
}

func within(x float64, lo, hi *float64) bool { return lo != nil && hi != nil && *lo <= x && x <= *hi }

// In many runs of each setting the 95 % intervals hold the slopes in about 95 %,
// and so, against an idle run, that of the fixed cost. c and T_queue are held
// against what the run had and not against a law. A share of
// 0.85 of 100 runs is four standard errors below 0.95, of 30 two and a half.
func TestPartsLieWithinTheirIntervals(t *testing.T) {
	runs := 100
	if testing.Short() {
		runs = 30
	}
	for name, s := range settings {
		idle := s
		idle.rate = 2
		held := map[string]int{}
		for i := range runs {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			rows, sums, was := s.run(2000, r)
			p, doubts := Fit(rows, sums)
			base, _, _ := fitted(idle, 1000, r)
			if doubts = append(doubts, p.Against(base)...); len(doubts) > 0 {
				t.Fatalf("%s: %v", name, doubts)
			}
			count := func(key string, ok bool) {
				if ok {
					held[key]++
				}
			}
			count("prefill", within(s.prefill, p.PrefillTokenLo, p.PrefillTokenHi))
			count("decode", within(s.decode, p.DecodeTokenLo, p.DecodeTokenHi))
			count("queue+fixed", within(was.queue+was.fixed, p.QueueFixedLo, p.QueueFixedHi))
			count("queue", within(was.queue, p.QueueLo, p.QueueHi))
			count("fixed", within(s.fixed, p.FixedLo, p.FixedHi))
		}
		t.Logf("%s: %v", name, held)
		for _, key := range []string{"prefill", "decode", "queue+fixed", "queue", "fixed"} {
			if float64(held[key]) < 0.85*float64(runs) {
				t.Errorf("%s: the interval of %s holds the truth in %d of %d runs", name, key, held[key], runs)
			}
		}
	}
}

func fitted(s server, n int, r *rand.Rand) (*Parts, []Doubt, truth) {
	rows, sums, was := s.run(n, r)
	p, doubts := Fit(rows, sums)
	return p, doubts, was
}

// The shares sum to the whole, and the residual is small where the model holds.
func TestPartsSumToTheWhole(t *testing.T) {
	for name, s := range settings {
		p, _, _ := fitted(s, 3000, rand.New(rand.NewPCG(1, 2)))
		o := p.Of
		sum := *o.QueueFixed + *o.Prefill + *o.Decode + *o.Residual
		if math.Abs(sum-*p.NTPOT) > 1e-9 {
			t.Errorf("%s: parts sum to %v, the whole is %v", name, sum, *p.NTPOT)
		}
		if math.Abs(*o.Residual) > 0.03**p.NTPOT {
			t.Errorf("%s: residual %v of %v", name, *o.Residual, *p.NTPOT)
		}
		idle := s
		idle.rate = 2
		base, _, _ := fitted(idle, 1000, rand.New(rand.NewPCG(2, 2)))
		p.Against(base)
		if o := p.Of; math.Abs(*o.Queue+*o.Fixed-*o.QueueFixed) > 1e-9 {
			t.Errorf("%s: queue %v and fixed %v are not %v", name, *o.Queue, *o.Fixed, *o.QueueFixed)
		}
	}
}

// One request in 500 hangs for 10 s before its first token and for 10 s between
// its tokens: the slopes stay where they are.
func TestSlopesWithstandOutliers(t *testing.T) {
	s := settings["prefill"]
	rows, _, _ := s.run(4000, rand.New(rand.NewPCG(3, 3)))
	var sums Sums
	for i := range rows {
		if i%500 == 7 {
			rows[i].First.Arrival += ns(10e3)
			rows[i].Last.Arrival += ns(20e3)
		}
		sums.Add(rows[i])
	}
	p, _ := Fit(rows, sums)
	if math.Abs(*p.PrefillToken/s.prefill-1) > 0.03 || math.Abs(*p.DecodeToken/s.decode-1) > 0.03 {
		t.Errorf("prefill %v, decode %v, want %v, %v", *p.PrefillToken, *p.DecodeToken, s.prefill, s.decode)
	}
	if *p.Of.Residual < 0.2 { // 20 ms a request over its tokens: E[1/N] = 0.038, but eight requests make it
		t.Errorf("residual %v does not show the outliers", *p.Of.Residual)
	}
}

func TestEqualLengthsTellNothing(t *testing.T) {
	s := settings["queue"]
	s.input, s.output = [2]int64{100, 100}, [2]int64{16, 16}
	p, doubts, was := fitted(s, 2000, rand.New(rand.NewPCG(4, 4)))
	if p.QueueFixed != nil || p.PrefillToken != nil || p.Of.Prefill != nil {
		t.Errorf("equal inputs: %v, %v", p.QueueFixed, p.PrefillToken)
	}
	keys := map[string]string{}
	for _, d := range doubts {
		keys[d.Key] = d.Text
	}
	if !strings.Contains(keys["queue_fixed_ms"], "input lengths vary too little") || !strings.Contains(keys["decode_ms_per_token"], "output lengths vary too little") {
		t.Errorf("doubts: %v", keys)
	}
	if !within(s.decode, p.DecodeTokenLo, p.DecodeTokenHi) {
		t.Errorf("decoding alone: %v in %v to %v", s.decode, *p.DecodeTokenLo, *p.DecodeTokenHi)
	}
	if sum := *p.Of.TTFT + *p.Of.Decode + *p.Of.Residual; math.Abs(sum-*p.NTPOT) > 1e-9 {
		t.Errorf("parts sum to %v, the whole is %v", sum, *p.NTPOT)
	}
	// Prefill is the same in an idle run, and cancels.
	idle := s
	idle.rate = 2
	base, _, _ := fitted(idle, 1000, rand.New(rand.NewPCG(5, 5)))
	if d := p.Against(base); d != nil || !within(was.queue, p.QueueLo, p.QueueHi) {
		t.Errorf("queue %v in %v to %v: %v", was.queue, p.QueueLo, p.QueueHi, d)
	}
	idle.input = [2]int64{200, 200}
	base, _, _ = fitted(idle, 1000, rand.New(rand.NewPCG(6, 6)))
	p, _, _ = fitted(s, 2000, rand.New(rand.NewPCG(4, 4)))
	if d := p.Against(base); len(d) != 1 || p.Queue != nil {
		t.Errorf("other inputs: queue %v, %v", p.Queue, d)
	}
}

func TestFitOfNothing(t *testing.T) {
	if p, _ := Fit(nil, Sums{}); p != nil {
		t.Errorf("no request: %+v", p)
	}
	unary := metrics.Row{Ended: true, Tokens: 5}
	var sums Sums
	sums.Add(unary)
	if p, _ := Fit([]metrics.Row{unary}, sums); p != nil {
		t.Errorf("not streamed: %+v", p)
	}
	p, doubts, _ := fitted(settings["prefill"], 10, rand.New(rand.NewPCG(1, 1)))
	if p.NTPOT == nil || p.QueueFixed != nil || len(doubts) == 0 {
		t.Errorf("ten requests: %+v, %v", p, doubts)
	}
	if diff := cmp.Diff([]Doubt{{"queue_ms", "the baseline has no request with streamed output"}}, p.Against(nil)); diff != "" {
		t.Error(diff)
	}
}
