package profile

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the confidence of every interval of the package. It is higher than
// the usual 95 % because a search takes several decisions and one wrong one
// spoils it.
const Level = 0.99

// An Estimate is a figure with its interval at Level, in requests/s or as a
// share of 1, as is said where it stands.
type Estimate struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// width is the length of the interval.
func (e Estimate) width() float64 { return e.Hi - e.Lo }

// blocks is into how many pieces a window is cut to see how much a figure
// varies; fine is into how many to see a level return.
const (
	blocks = 16
	fine   = 8 * blocks
)

// levels cuts [from, to) into n equal pieces and returns the mean over each of
// N(t), the number of instants up to t. instants is sorted.
func levels(instants []int64, from, to int64, n int) []float64 {
	means := make([]float64, n)
	length := float64(to-from) / float64(n)
	at, _ := slices.BinarySearch(instants, from+1)
	for i := range means {
		end := float64(from) + float64(i+1)*length
		area := float64(at) * length
		for ; at < len(instants) && float64(instants[at]) < end; at++ {
			area += end - float64(instants[at])
		}
		means[i] = area / length
	}
	return means
}

// coarse averages fine levels in groups, so that blocks of them remain.
func coarse(y []float64) []float64 {
	k := len(y) / blocks
	means := make([]float64, blocks)
	for i := range means {
		for _, v := range y[i*k : (i+1)*k] {
			means[i] += v / float64(k)
		}
	}
	return means
}

// drift is how fast a counting process went up over a window, as its block
// means tell.
type drift struct {
	rise     float64 // of the block means from the first to the last
	n        float64 // differences of successive means
	seconds  float64 // a block
	variance float64 // of one difference, as that of a random walk's
}

// driftOf takes the drift of y, means over blocks of so many seconds.
//
// The means of a random walk over successive blocks differ by steps of two
// thirds of the variance of the walk over a block, hence the factor of 1.5.
// Where the noise is bounded, as that of a constant service is, its
// differences cancel in the sum, and the interval is too wide, not too narrow.
// Means over blocks and not values at their edges are used because services
// that end in step would put a whole batch on either side of an edge.
func driftOf(y []float64, seconds float64) drift {
	d := drift{rise: y[len(y)-1] - y[0], n: float64(len(y) - 1), seconds: seconds}
	for i := 1; i < len(y); i++ {
		off := y[i] - y[i-1] - d.rise/d.n
		d.variance += 1.5 * off * off / (d.n - 1)
	}
	return d
}

// rate is the drift per second.
func (d drift) rate() Estimate { return pool(d) }

// perSecond is the drift per second without an interval.
func (d drift) perSecond() float64 {
	if d.n == 0 {
		return 0
	}
	return d.rise / (d.n * d.seconds)
}

// diffusion is the variance that the process gains in a second.
func (d drift) diffusion() float64 { return d.variance / d.seconds }

// pool is the drift per second of several windows taken together, each
// weighted with its length: Student's t on the sum of their variances. Whole
// requests are counted, so that nothing is known better than to one of them.
func pool(all ...drift) Estimate {
	var rise, seconds, variance, df float64
	for _, d := range all {
		rise += d.rise
		seconds += d.n * d.seconds
		variance += d.n * d.variance
		df += d.n - 1
	}
	mean := rise / seconds
	half := max(quantile(df)*math.Sqrt(variance), 1) / seconds
	return Estimate{Value: mean, Lo: mean - half, Hi: mean + half}
}

// quantile is that of Student's t for a two-sided interval at Level.
func quantile(df float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile((1 + Level) / 2)
}

// returns counts how often y falls from its upper quartile to its lower one.
// The count does not depend on the scale of y. A random walk, and all the more
// a growing backlog, returns once or twice however long it is watched; a
// process with a mean returns again and again.
func returns(y []float64) int {
	sorted := slices.Sorted(slices.Values(y))
	low, high := sorted[len(y)/4], sorted[len(y)-1-len(y)/4]
	n, up := 0, false
	for _, v := range y {
		switch {
		case up && v <= low:
			n++
			up = false
		case v >= high:
			up = true
		}
	}
	return n
}

// exponent is β where y grows like t^β from the begin of the window: 1 for a
// backlog under overload, ½ for one at exactly the capacity, 0 for a process
// with a mean. With the means of the two halves, t^β gives
//
//	second/first = 2^(β+1) − 1.
//
// False where y is not above 0.
func exponent(y []float64) (float64, bool) {
	half := len(y) / 2
	first, second := sum(y[:half]), sum(y[half:])
	if first <= 0 || second <= 0 {
		return 0, false
	}
	return math.Log2(second/first+1) - 1, true
}

func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}

// ratio is Σnum/Σden over blocks with its interval; false for Σden = 0.
func ratio(num, den []float64) (Estimate, bool) {
	n, total := float64(len(num)), sum(den)
	if total == 0 {
		return Estimate{}, false
	}
	r := sum(num) / total
	square := 0.0
	for i := range num {
		off := num[i] - r*den[i]
		square += off * off
	}
	half := quantile(n-1) * math.Sqrt(square/(n-1)*n) / total
	return Estimate{Value: r, Lo: r - half, Hi: r + half}, true
}
