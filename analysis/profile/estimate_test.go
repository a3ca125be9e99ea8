package profile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var roughly = cmpopts.EquateApprox(0, 1e-9)

// N(t) of events at 1, 2 and 3 s is 0, 1, 2, 3; its means over pieces are
// areas over lengths.
func TestLevels(t *testing.T) {
	at := []int64{1e9, 2e9, 3e9}
	for _, c := range []struct {
		why      string
		from, to int64
		n        int
		want     []float64
	}{
		{"a piece a second", 0, 4e9, 4, []float64{0, 1, 2, 3}},
		{"over two seconds", 0, 4e9, 2, []float64{0.5, 2.5}},
		{"events before the window count", 25e8, 45e8, 2, []float64{2.5, 3}},
		{"none after it", 5e9, 7e9, 2, []float64{3, 3}},
		{"an event at the begin counts from there on", 1e9, 2e9, 1, []float64{1}},
	} {
		if diff := cmp.Diff(c.want, levels(at, c.from, c.to, c.n), roughly); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.why, diff)
		}
	}
}

// A straight line has its slope and an interval of one event over its length.
func TestDriftOfALine(t *testing.T) {
	y := make([]float64, blocks)
	for i := range y {
		y[i] = 3 + 10*float64(i)
	}
	got := driftOf(y, 0.5).rate() // 10 a block of 0.5 s: 20/s, over 15 blocks
	if want := (Estimate{20, 20 - 1/7.5, 20 + 1/7.5}); !cmp.Equal(got, want, roughly) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The interval of the drift of a random walk holds the true one in as many
// cases as its level says, to the noise of 3,000 cases.
func TestDriftCovers(t *testing.T) {
	const trials, fineSteps, mean = 3000, 50, 0.3
	r := rand.New(rand.NewPCG(1, 2))
	hits := 0.0
	for range trials {
		y := make([]float64, blocks)
		level := 0.0
		for i := range y {
			for range fineSteps {
				y[i] += level / fineSteps
				level += mean + 5*r.NormFloat64()
			}
		}
		if e := driftOf(y, fineSteps).rate(); e.Lo <= mean && mean <= e.Hi {
			hits++
		}
	}
	if share := hits / trials; math.Abs(share-Level) > 0.008 {
		t.Errorf("the interval holds the drift in %.3f of cases, want %.2f", share, Level)
	}
}

// Two windows of which one is twice as long: (10 + 40)/(1 + 2) = 16.7/s.
func TestPoolWeighsByLength(t *testing.T) {
	a := drift{rise: 10, n: 10, seconds: 0.1}
	b := drift{rise: 40, n: 10, seconds: 0.2}
	if got := pool(a, b).Value; math.Abs(got-50.0/3) > 1e-9 {
		t.Errorf("%v", got)
	}
}

func TestReturns(t *testing.T) {
	wave := func(n int, f func(i int) float64) []float64 {
		y := make([]float64, n)
		for i := range y {
			y[i] = f(i)
		}
		return y
	}
	for _, c := range []struct {
		why string
		y   []float64
		min int
		max int
	}{
		{"growth never returns", wave(128, func(i int) float64 { return float64(i) }), 0, 0},
		{"growth with ripples that are small against it", wave(128, func(i int) float64 { return float64(i) + 3*math.Sin(float64(i)) }), 0, 0},
		{"eight periods return eight times", wave(128, func(i int) float64 { return math.Sin(2 * math.Pi * float64(i) / 16) }), 7, 8},
		{"the scale does not matter", wave(128, func(i int) float64 { return math.Exp(10 * math.Sin(2*math.Pi*float64(i)/16)) }), 7, 8},
		{"what never moves has always returned", wave(128, func(int) float64 { return 3 }), leastReturns, 128},
	} {
		if got := returns(c.y); got < c.min || got > c.max {
			t.Errorf("%s: %d, want %d to %d", c.why, got, c.min, c.max)
		}
	}
}

// t^β for β = 0, ½ and 1, by block means: ∫t^β over each of 16 blocks.
func TestExponent(t *testing.T) {
	for _, beta := range []float64{0, 0.5, 1} {
		y := make([]float64, blocks)
		for i := range y {
			y[i] = (math.Pow(float64(i+1), beta+1) - math.Pow(float64(i), beta+1)) / (beta + 1)
		}
		if got, ok := exponent(y); !ok || math.Abs(got-beta) > 1e-9 {
			t.Errorf("%v, want %v", got, beta)
		}
	}
	if _, ok := exponent(make([]float64, blocks)); ok {
		t.Error("an empty queue has an exponent")
	}
}

func TestRatio(t *testing.T) {
	got, ok := ratio([]float64{1, 2, 3}, []float64{2, 4, 6})
	if want := (Estimate{0.5, 0.5, 0.5}); !ok || !cmp.Equal(got, want, roughly) {
		t.Errorf("blocks of one share: %v, want %v", got, want)
	}
	if _, ok := ratio([]float64{0}, []float64{0}); ok {
		t.Error("nothing has a share")
	}
}
