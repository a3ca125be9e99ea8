package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tare/analysis/dist"
)

func law(t testing.TB, text string) dist.Dist {
	t.Helper()
	d, err := dist.Parse(text, dist.Duration)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const ms = int64(time.Millisecond)

// plan returns the instants of the tokens of one request.
func plan(l *laws, number uint64, start int64, input, tokens int) []int64 {
	var s service
	s.begin(l, number)
	at := []int64{start + s.first(input)}
	for len(at) < tokens {
		at = append(at, at[len(at)-1]+s.gap())
	}
	return at
}

func TestTimetable(t *testing.T) {
	l := &laws{ttft: law(t, "20ms"), itl: law(t, "5ms"), prefill: law(t, "100us")}
	// 1000 + 30·0.1 ms + 20 ms, then 5 ms each.
	want := []int64{1000 + 23*ms, 1000 + 28*ms, 1000 + 33*ms}
	if diff := cmp.Diff(want, plan(l, 7, 1000, 30, 3)); diff != "" {
		t.Error(diff)
	}
	var s service
	s.begin(l, 7)
	if got := s.total(30, 3); got != 33*ms {
		t.Errorf("a unary answer takes %d ns, want as long as the stream, 33 ms", got)
	}
	if got := plan(&laws{}, 0, 1000, 30, 2); got[0] != 1000 || got[1] != 1000 {
		t.Errorf("without laws: %v, want no delay", got)
	}
}

// Draws depend on the seed and the request's number, not on what was drawn
// before, and a change of one law leaves the draws of the others alone.
func TestDrawsRepeat(t *testing.T) {
	l := &laws{ttft: law(t, "exp(20ms)"), itl: law(t, "exp(5ms)"), seed: 1}
	a := plan(l, 3, 0, 0, 20)
	plan(l, 4, 0, 0, 5)
	if diff := cmp.Diff(a, plan(l, 3, 0, 0, 20)); diff != "" {
		t.Error("the same number gave another timetable", diff)
	}
	for _, other := range []*laws{{ttft: l.ttft, itl: l.itl, seed: 2}, l} {
		if b := plan(other, 4, 0, 0, 20); slices.Equal(a, b) {
			t.Errorf("another seed or number gave the same timetable %v", b)
		}
	}
	shifted := &laws{ttft: law(t, "0"), itl: l.itl, seed: 1}
	for i, at := range plan(shifted, 3, 0, 0, 20) {
		if at != a[i]-a[0] {
			t.Fatalf("token %d at %d, want %d: the gaps depend on the ttft law", i, at, a[i]-a[0])
		}
	}
}

// First draws of successive requests are a sample of the law: mean 1 and
// standard deviation 1 of exp(1), and no correlation from one to the next or
// between two laws. Each figure lies within 4.5 standard errors.
func TestDrawsAreIndependent(t *testing.T) {
	const n = 20000
	l := &laws{ttft: law(t, "exp(1s)"), itl: law(t, "exp(1s)"), seed: 42}
	first, gap := make([]float64, n), make([]float64, n)
	var s service
	for i := range n {
		s.begin(l, uint64(i))
		first[i], gap[i] = float64(s.first(0))/1e9-1, float64(s.gap())/1e9-1
	}
	mean := func(x, y []float64) (m float64) {
		for i := range x {
			m += x[i] * y[i] / float64(len(x))
		}
		return m
	}
	ones := slices.Repeat([]float64{1}, n)
	se := 4.5 / math.Sqrt(n)
	for _, c := range []struct {
		what      string
		got, want float64
		se        float64
	}{
		{"mean", mean(first, ones), 0, se},
		{"variance", mean(first, first), 1, se * math.Sqrt(8)}, // Var[(X−1)²] = 8
		{"lag 1", mean(first[1:], first[:n-1]), 0, se},
		{"lag 2", mean(first[2:], first[:n-2]), 0, se},
		{"between laws", mean(first, gap), 0, se},
	} {
		if math.Abs(c.got-c.want) > c.se {
			t.Errorf("%s: %.4f, want %.0f ± %.4f", c.what, c.got, c.want, c.se)
		}
	}
}

// fifo is the queue of n servers in theory (Kiefer and Wolfowitz 1955): each
// request in the order of arrival takes the server that is free first.
func fifo(arrivals, services []int64, n int) (starts []int64) {
	free := slices.Repeat([]int64{math.MinInt64}, n)
	for i, a := range arrivals {
		slices.Sort(free)
		start := max(a, free[0])
		free[0] = start + services[i]
		starts = append(starts, start)
	}
	return starts
}

// However late the simulator notices that services have ended, the starts of
// the next ones are those of the theory.
func TestSlotsAreFIFO(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		n, requests := 1+r.IntN(5), 60
		arrivals, services := make([]int64, requests), make([]int64, requests)
		for i := range arrivals {
			arrivals[i] = r.Int64N(1000)
			services[i] = r.Int64N(int64(40 * n))
		}
		slices.Sort(arrivals)
		got := drive(r, &slots{limit: n}, arrivals, services)
		if diff := cmp.Diff(fifo(arrivals, services, n), got); diff != "" {
			t.Fatalf("trial %d, %d slots: %s", trial, n, diff)
		}
	}
}

// drive plays the scheduler: at instants of its own it takes note of what has
// arrived since and then of what has ended, each in order.
func drive(r *rand.Rand, q *slots, arrivals, services []int64) []int64 {
	starts := make([]int64, len(arrivals))
	var running queue
	admit := func(s *stream, start int64) {
		i := s.ask.number
		starts[i] = start
		running.add(s, start+services[i])
	}
	arrived := 0
	for now := int64(0); arrived < len(arrivals) || running.Len() > 0; now += r.Int64N(200) {
		for arrived < len(arrivals) && arrivals[arrived] <= now {
			s := &stream{ask: ask{number: uint64(arrived)}}
			if start, ok := q.enter(s, arrivals[arrived]); ok {
				admit(s, start)
			}
			arrived++
		}
		for s := running.first(); s != nil && s.key <= now; s = running.first() {
			running.remove(s)
			if next, start := q.leave(s.key); next != nil {
				admit(next, start)
			}
		}
	}
	return starts
}

// Slots make exactly slots/service: 8 of them and 100 ms are 80 a second.
func TestCapacity(t *testing.T) {
	const n, service, requests = 8, 1000, 800 // in a thousandth of 100 ms
	arrivals, services := make([]int64, requests), slices.Repeat([]int64{service}, requests)
	starts := drive(rand.New(rand.NewPCG(1, 1)), &slots{limit: n}, arrivals, services)
	if end := slices.Max(starts) + service; end != requests*service/n {
		t.Errorf("%d requests took %d ns, want %d", requests, end, requests*service/n)
	}
}
