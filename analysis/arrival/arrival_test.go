package arrival

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// all drains a cursor.
func all(c *Cursor) []Arrival {
	var list []Arrival
	for a, ok := c.Next(); ok; a, ok = c.Next() {
		list = append(list, a)
	}
	return list
}

func instants(s Spec) []int64 {
	var at []int64
	for _, a := range all(s.Slice(0, 1)) {
		at = append(at, a.At)
	}
	return at
}

func poisson(t testing.TB, r string, n int64) Spec {
	return Spec{Rate: rate(t, r), Seed: 1, Requests: n}
}

// 10⁹/3000 is 333,333⅓ ns: the floor of the true instant never drifts, where
// multiples of a rounded period would be a third of a second late after 10⁹.
func TestConstantIsExact(t *testing.T) {
	s := Spec{Law: Constant, Rate: rate(t, "3000"), Duration: time.Second}
	got := instants(s)
	if want := []int64{0, 333333, 666666, 1000000, 1333333}; !slices.Equal(got[:5], want) {
		t.Errorf("instants %v, want %v", got[:5], want)
	}
	if len(got) != 3000 || s.Count(math.MaxInt64) != 3000 {
		t.Errorf("%d arrivals, count %d, want 3000", len(got), s.Count(math.MaxInt64))
	}
	if at := s.Rate.grid().instant(1e9); at != 333333333333333 {
		t.Errorf("arrival 10⁹ at %d, want 333333333333333", at)
	}
}

// The draws of a seed are a contract: run directories hold the seed only.
func TestScheduleIsFixed(t *testing.T) {
	for _, c := range []struct {
		spec   Spec
		at     []int64
		owners []int // of indices 0..4 among 3 workers
	}{
		{poisson(t, "1000", 5), []int64{82995, 1653536, 3331817, 4909237, 4925179}, []int{2, 0, 1, 2, 2}},
		{Spec{Law: Gamma, Burstiness: 0.25, Rate: rate(t, "1000"), Seed: 1, Requests: 5}, []int64{2267223, 2840078, 2853445, 3130279, 9598713}, []int{2, 0, 1, 2, 2}},
		{Spec{Law: Constant, Rate: rate(t, "1000"), Requests: 5}, []int64{0, 1e6, 2e6, 3e6, 4e6}, []int{0, 1, 2, 0, 1}},
		{Spec{Law: Trace, Trace: []int64{5, 5, 9, 20, 30}, Seed: 1}, []int64{5, 5, 9, 20, 30}, []int{2, 0, 1, 2, 2}},
	} {
		if got := instants(c.spec); !slices.Equal(got, c.at) {
			t.Errorf("%v: instants %v, want %v", c.spec.Law, got, c.at)
		}
		for i, want := range c.owners {
			if got := c.spec.Owner(int64(i), 3); got != want {
				t.Errorf("%v: owner of %d is %d, want %d", c.spec.Law, i, got, want)
			}
		}
	}
}

// FuzzSlices: whatever the law and the number of workers, the slices merge to
// the one schedule, each arrival with its owner, and Count and Last agree.
func FuzzSlices(f *testing.F) {
	f.Add(uint8(0), uint64(1), uint16(3), uint16(500), int64(0))
	f.Add(uint8(1), uint64(2), uint16(8), uint16(3000), int64(7))
	f.Add(uint8(2), uint64(3), uint16(2), uint16(999), int64(100))
	f.Add(uint8(3), uint64(4), uint16(5), uint16(10), int64(0))
	f.Fuzz(func(t *testing.T, law uint8, seed uint64, workers, perSecond uint16, requests int64) {
		m := 1 + int(workers%64)
		s := Spec{Law: Law(law % 4), Seed: seed, Requests: (requests & math.MaxInt64) % 500}
		switch s.Law {
		case Trace:
			s.Trace, s.Requests = instants(poisson(t, "10", 50)), s.Requests%50
		case Gamma:
			s.Burstiness = 0.1 + float64(seed%50)/10
			fallthrough
		default:
			s.Rate, s.Duration = newRate(rateUnit*(1+uint64(perSecond))/7), 50*time.Millisecond
		}
		whole := all(s.Slice(0, 1))
		var merged []Arrival
		for w := range m {
			for _, a := range all(s.Slice(w, m)) {
				if s.Owner(a.Index, m) != w {
					t.Fatalf("worker %d was given arrival %d of worker %d", w, a.Index, s.Owner(a.Index, m))
				}
				merged = append(merged, a)
			}
		}
		slices.SortFunc(merged, func(a, b Arrival) int { return int(a.Index - b.Index) })
		if diff := cmp.Diff(whole, merged); diff != "" {
			t.Fatalf("%d slices of %+v merge to another schedule:\n%s", m, s, diff)
		}
		if n := s.Count(math.MaxInt64); n != int64(len(whole)) {
			t.Fatalf("Count %d of %d", n, len(whole))
		}
		last, ok := s.Last()
		if ok != (len(whole) > 0) || ok && last != whole[len(whole)-1] {
			t.Fatalf("Last %v %v of %d arrivals", last, ok, len(whole))
		}
		for _, a := range whole[:min(3, len(whole))] {
			before := slices.IndexFunc(whole, func(b Arrival) bool { return b.At >= a.At })
			if n := s.Count(a.At); n != int64(before) {
				t.Fatalf("Count(%d) = %d, want %d", a.At, n, before)
			}
		}
	})
}

// A thinned Poisson process is Poisson at λ/m: over 20,000 gaps the mean lies
// within 4/√n of m/λ and the CV, whose standard error is near 1/√n, near 1.
func TestPoissonSlices(t *testing.T) {
	const m, n = 4, 80_000
	s := poisson(t, "5000", n)
	for w := range m {
		sum, squares, before, count := 0.0, 0.0, int64(0), 0.0
		for _, a := range all(s.Slice(w, m)) {
			gap := float64(a.At-before) / 1e9
			sum, squares, before, count = sum+gap, squares+gap*gap, a.At, count+1
		}
		mean := sum / count
		cv := math.Sqrt(squares/count-mean*mean) / mean
		if math.Abs(mean*5000/m-1) > 4/math.Sqrt(count) || math.Abs(cv-1) > 4/math.Sqrt(count) {
			t.Errorf("slice %d: mean gap %v s and CV %v, want %v s and 1", w, mean, cv, m/5000.)
		}
	}
}

func TestGammaSpread(t *testing.T) {
	for _, burstiness := range []float64{0.25, 1, 4} {
		at := instants(Spec{Law: Gamma, Rate: rate(t, "1000"), Burstiness: burstiness, Seed: 3, Requests: 50_000})
		if cv, want := *Measure(at).CV, 1/math.Sqrt(burstiness); math.Abs(cv/want-1) > 0.03 {
			t.Errorf("burstiness %v: CV %v, want %v", burstiness, cv, want)
		}
	}
}

// Different seeds give different schedules and different thinning.
func TestSeedMatters(t *testing.T) {
	a, b := poisson(t, "1000", 64), poisson(t, "1000", 64)
	b.Seed = 2
	if slices.Equal(instants(a), instants(b)) {
		t.Error("two seeds give one schedule")
	}
	same := 0
	for i := range int64(1000) {
		if a.Owner(i, 2) == b.Owner(i, 2) {
			same++
		}
	}
	if same < 430 || same > 570 { // 500 ± 4.4 standard deviations
		t.Errorf("two seeds give one owner in %d of 1000 cases", same)
	}
}

func TestBounds(t *testing.T) {
	s := Spec{Law: Constant, Rate: rate(t, "10"), Duration: time.Second}
	for _, c := range []struct {
		why         string
		requests    int64
		until, want int64
	}{
		{"an arrival at Duration itself is not part", 0, math.MaxInt64, 10},
		{"nothing is due before 0", 0, 0, 0},
		{"instant 0 is due before 1 ns", 0, 1, 1},
		{"due before 100 ms: only instant 0", 0, 100e6, 1},
		{"Requests take the place of Duration", 25, math.MaxInt64, 25},
	} {
		s.Requests = c.requests
		if got := s.Count(c.until); got != c.want {
			t.Errorf("Count(%d) = %d, want %d: %s", c.until, got, c.want, c.why)
		}
	}
}

func TestValidateTellsEveryFault(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		says []string
	}{
		{poisson(t, "1", 1), nil},
		{Spec{Law: Trace, Trace: []int64{1}}, nil},
		{Spec{Rate: rate(t, "1"), Burstiness: 1, Requests: 1}, nil},
		{Spec{}, []string{"needs a rate", "give a duration or a number"}},
		{Spec{Law: Gamma, Duration: -1, Requests: -1, Burstiness: math.NaN()},
			[]string{"needs a rate", "duration -1ns is negative", "requests -1 is negative", "burstiness NaN"}},
		{Spec{Rate: rate(t, "1"), Requests: 1, Burstiness: 2, Trace: []int64{1}}, []string{"only gamma takes it", "takes no trace"}},
		{Spec{Law: Trace, Rate: rate(t, "1")}, []string{"has its own rate", "the trace is empty"}},
		{Spec{Law: Trace, Trace: []int64{2, 1}}, []string{"rising order"}},
		{Spec{Law: Trace, Trace: []int64{-2, 1}}, []string{"rising order"}},
		{Spec{Law: Trace, Trace: []int64{1}, Requests: 2}, []string{"fewer than the 2 requests"}},
		{Spec{Law: 9, Rate: rate(t, "1"), Requests: 1}, []string{"law 9 is unknown"}},
	} {
		faults := c.spec.Validate()
		if len(faults) != len(c.says) {
			t.Errorf("%+v: faults %v, want %q", c.spec, faults, c.says)
			continue
		}
		for i, f := range faults {
			if !strings.Contains(f.Error(), c.says[i]) {
				t.Errorf("%+v: fault %v does not say %q", c.spec, f, c.says[i])
			}
		}
	}
}

func TestSpecJSON(t *testing.T) {
	for _, in := range []Spec{
		{Law: Gamma, Rate: rate(t, "2500.5"), Burstiness: 0.5, Seed: 1 << 63, Duration: 10 * time.Second},
		{Law: Trace, Trace: []int64{0, 7}, Requests: 2},
		{},
	} {
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var out Spec
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(in, out, cmp.AllowUnexported(Rate{})); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
	var l Law
	if err := l.UnmarshalText([]byte("weekly")); err == nil {
		t.Error("an unknown law was read")
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		total int64
		want  []int64
	}{
		{10, []int64{4, 3, 3}},
		{2, []int64{1, 1, 0}},
		{0, []int64{0, 0, 0}},
		{math.MaxInt64, []int64{3074457345618258603, 3074457345618258602, 3074457345618258602}},
	} {
		var got []int64
		for w := range c.want {
			got = append(got, Share(c.total, w, len(c.want)))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("shares of %d are %v, want %v", c.total, got, c.want)
		}
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	for _, s := range []Spec{
		poisson(t, "1000", 1e6),
		{Law: Gamma, Burstiness: 2, Rate: rate(t, "1000"), Requests: 1e6},
		{Law: Constant, Rate: rate(t, "1000"), Requests: 1e6},
	} {
		c := s.Slice(1, 3)
		if n := testing.AllocsPerRun(100, func() { c.Next() }); n != 0 {
			t.Errorf("%v: %v allocations an arrival", s.Law, n)
		}
	}
}

func TestSlicePanicsOnMisuse(t *testing.T) {
	for why, call := range map[string]func(){
		"worker out of range": func() { poisson(t, "1", 1).Slice(2, 2) },
		"invalid spec":        func() { Spec{}.Slice(0, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", why)
				}
			}()
			call()
		}()
	}
}
