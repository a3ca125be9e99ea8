package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// requests returns a made-up run: TTFT = c + I·p + queue, I from 10 to 1000.
func requests(n int, seed uint64, noise func(r *rand.Rand) float64) (ttft, one, length []float64) {
	r := rand.New(rand.NewPCG(seed, 6))
	for range n {
		i := float64(10 + r.IntN(990))
		length, one = append(length, i), append(one, 1)
		ttft = append(ttft, 20+0.05*i+noise(r))
	}
	return ttft, one, length
}

// Without noise the coefficients come out exactly, with no width.
func TestRegressExact(t *testing.T) {
	y, one, length := requests(500, 1, func(*rand.Rand) float64 { return 0 })
	f, err := Regress(y, [][]float64{one, length}, 0.95)
	if err != nil || !near(f.Coefficients[0].Value, 20, 1e-9) || !near(f.Coefficients[1].Value, 0.05, 1e-9) {
		t.Fatalf("%+v, %v", f, err)
	}
	if w := *f.Coefficients[1].High - *f.Coefficients[1].Low; w > 1e-9 || f.Warnings != nil {
		t.Errorf("width %v, warnings %v", w, f.Warnings)
	}
}

// One value in twenty off by a thousand times the noise moves least squares by
// far and this fit hardly.
func TestRegressResistsOutliers(t *testing.T) {
	y, one, length := requests(2000, 2, func(r *rand.Rand) float64 {
		if r.IntN(20) == 0 {
			return 1000
		}
		return r.NormFloat64()
	})
	f, err := Regress(y, [][]float64{one, length}, 0.95)
	if err != nil || !near(f.Coefficients[0].Value, 20, 0.02) || math.Abs(f.Coefficients[1].Value-0.05) > 0.001 {
		t.Errorf("%+v, %v", f.Coefficients, err)
	}
	if !near(f.Residual, 50, 0.2) { // what was left to the outliers, 1000/20
		t.Errorf("mean residual %v, want some 50", f.Residual)
	}
}

// The slope is covered as stated when residuals are skewed and correlated, as
// those of a queue are: an AR(1) to the exponential.
func TestRegressCoverage(t *testing.T) {
	hits, runs := 0, 400
	for seed := range uint64(400) {
		queue := autoregressive(0.9, 0).series(3000, rand.New(rand.NewPCG(seed, 8)))
		k := -1
		y, one, length := requests(3000, seed, func(*rand.Rand) float64 { k++; return 5 * math.Exp(queue[k]) })
		f, err := Regress(y, [][]float64{one, length}, 0.95)
		if c := f.Coefficients[1]; err == nil && *c.Low <= 0.05 && 0.05 <= *c.High {
			hits++
		}
	}
	if hits < runs*92/100 || hits > runs*985/1000 {
		t.Errorf("%d of %d intervals hold the slope", hits, runs)
	}
}

// A constant beside a length that hardly varies: a warning, then an error.
func TestRegressCollinear(t *testing.T) {
	y, one, length := requests(500, 3, func(r *rand.Rand) float64 { return r.NormFloat64() })
	for i := range length {
		length[i] = 500 + length[i]/100
	}
	f, err := Regress(y, [][]float64{one, length}, 0.95)
	if err != nil || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "vary too little") {
		t.Errorf("length from 500 to 510: %v, %v", f.Warnings, err)
	}
	for i := range length {
		length[i] = 500
	}
	if _, err := Regress(y, [][]float64{one, length}, 0.95); !errors.Is(err, ErrCollinear) {
		t.Errorf("equal lengths: %v", err)
	}
	if _, err := Regress(y, [][]float64{make([]float64, 500)}, 0.95); !errors.Is(err, ErrCollinear) {
		t.Errorf("a column of zeros: %v", err)
	}
}

func TestRegressRefuses(t *testing.T) {
	y, one, _ := requests(50, 3, func(*rand.Rand) float64 { return 0 })
	for why, call := range map[string]func() (Fit, error){
		"no column":     func() (Fit, error) { return Regress(y, nil, 0.95) },
		"short column":  func() (Fit, error) { return Regress(y, [][]float64{one[1:]}, 0.95) },
		"too few":       func() (Fit, error) { return Regress(y[:10], [][]float64{one[:10]}, 0.95) },
		"level of zero": func() (Fit, error) { return Regress(y, [][]float64{one}, 0) },
	} {
		if f, err := call(); err == nil {
			t.Errorf("%s: %+v", why, f)
		}
	}
}
