package metrics

import (
	"math/rand/v2"
	"testing"
)

// However the instants come and the window grows, the sum is that of the
// instants within it, both ends included.
func TestMeterSumsTheWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	const from = 1000
	for range 20 {
		m, end := NewMeter(from), int64(from)
		type booked struct {
			at     int64
			weight float64
		}
		var all []booked
		for range 20000 {
			if r.IntN(10) == 0 {
				end += r.Int64N(20)
				m.Extend(end)
			}
			b := booked{at: end - 500 + r.Int64N(3000), weight: float64(r.IntN(4))}
			all = append(all, b)
			m.Add(b.at, b.weight)
		}
		end += r.Int64N(100)
		want := 0.0
		for _, b := range all {
			if b.at >= from && b.at <= end {
				want += b.weight
			}
		}
		if got := m.Sum(end); got != want {
			t.Fatalf("sum to %d is %v, want %v", end, got, want)
		}
	}
}

// What waits is only what may lie beyond the window: a long run does not pile
// up its events.
func TestMeterForgets(t *testing.T) {
	m := NewMeter(0)
	for at := range int64(1e6) {
		m.Extend(at)
		m.Add(at+100, 1)
	}
	if n := len(m.waiting); n > 2*tidyLen {
		t.Errorf("%d instants wait, want at most %d", n, 2*tidyLen)
	}
}
