package metrics

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
)

// distRow is a Dist with its pointers followed.
func distRow(d Dist) [7]float64 {
	return [7]float64{*d.Mean, *d.P50, *d.P90, *d.P95, *d.P99, *d.P999, *d.Max}
}

func TestDistIsOfNearestRank(t *testing.T) {
	up := func(n int64) *Column { // n, n−1, … 1 ms
		c := &Column{}
		for i := n; i > 0; i-- {
			c.Add(i * 1e6)
		}
		return c
	}
	tests := []struct {
		why  string
		n    int64
		want [7]float64
	}{
		{"one value is every percentile", 1, [7]float64{1, 1, 1, 1, 1, 1, 1}},
		{"⌈0.5·2⌉ = 1: the median of two is the smaller, one that was measured", 2, [7]float64{1.5, 1, 2, 2, 2, 2, 2}},
		{"⌈0.9·10⌉ = 9, ⌈0.95·10⌉ = 10", 10, [7]float64{5.5, 5, 9, 10, 10, 10, 10}},
		{"whole ranks are not rounded up", 1000, [7]float64{500.5, 500, 900, 950, 990, 999, 1000}},
		{"⌈0.999·1001⌉ = 1000", 1001, [7]float64{501, 501, 901, 951, 991, 1000, 1001}},
	}
	for _, tt := range tests {
		if got := distRow(distOf(whole(up(tt.n)))); got != tt.want {
			t.Errorf("%s: of 1…%d ms got %v, want %v", tt.why, tt.n, got, tt.want)
		}
	}
}

func TestDistOfNothingIsNull(t *testing.T) {
	got, err := json.Marshal(distOf(whole(&Column{})))
	want := `{"mean_ms":null,"p50_ms":null,"p90_ms":null,"p95_ms":null,"p99_ms":null,"p999_ms":null,"max_ms":null,"n":0}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// A mixture is what one gets by writing out every value as often as it counts.
func TestMixtureIsTheMultisetWrittenOut(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		m, want, sum := mixture{}, []float64{}, 0.0
		for range 1 + r.IntN(4) {
			tokens := 1 + r.Int64N(5)
			c := &Column{}
			for range 1 + r.IntN(30) {
				v := r.Int64N(1e7) - 1e6
				c.Add(v)
				sum += float64(v)
				for range tokens {
					want = append(want, float64(v)/float64(tokens))
				}
			}
			c.Sort()
			m.parts = append(m.parts, part{column: c, tokens: tokens})
		}
		slices.Sort(want)
		if n := int64(len(want)); m.len() != n {
			t.Fatalf("%d values, want %d", m.len(), n)
		}
		if got, want := m.mean(), sum/float64(len(want)); got != want {
			t.Fatalf("mean %v, want %v", got, want)
		}
		for i, w := range want {
			// Times per token are found to 1/1024 ns.
			if got := m.at(int64(i)); got < w || got > w+1.0/fine {
				t.Fatalf("value of rank %d is %v, want %v", i, got, w)
			}
		}
	}
}

func TestQuotientRoundsToNearest(t *testing.T) {
	tests := []struct{ num, den, want int64 }{
		{10, 5, 2 * fine},
		{1, 3, 341},   // 341.33/1024
		{2, 3, 683},   // 682.67/1024
		{-2, 3, -683}, // signed alike
		{MaxInstant, 1, MaxInstant * fine},
	}
	for _, tt := range tests {
		if got := quotient(tt.num, tt.den); got != tt.want {
			t.Errorf("%d/%d ns: got %d, want %d", tt.num, tt.den, got, tt.want)
		}
	}
}
