package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Test is the outcome of a test: Statistic is a rank correlation in [−1, 1],
// P the probability of one as far from 0 if there were none.
type Test struct{ Statistic, P float64 }

// Drift is a trend over a run.
type Drift struct {
	Test
	// Change is the robust slope times the length of the run, over the
	// median: 0.1 is a rise by a tenth from start to end; nil for a median
	// that is not above 0.
	Change *float64
}

// Trend tests whether x, in the order of time, is stationary in the mean: the
// rank correlation (Spearman) of block means with time, the blocks long
// enough to be nearly independent. Correlated values without trend do not
// alarm it as they would a test on the values themselves. False for fewer than
// MinValues.
func Trend(x []float64) (Drift, bool) {
	if len(x) < MinValues {
		return Drift{}, false
	}
	means := blockMeans(x, blocksFor(x))
	time := make([]float64, len(means))
	for i := range time {
		time[i] = float64(i)
	}
	rho := spearman(means, time)
	df := float64(len(means) - 2)
	t := math.Abs(rho) * math.Sqrt(df/max(1e-300, 1-rho*rho))
	d := Drift{Test: Test{Statistic: rho, P: 2 * distuv.StudentsT{Sigma: 1, Nu: df}.Survival(t)}}
	if m := middle(means); m > 0 {
		d.Change = new(theilSen(means) * float64(len(means)-1) / m)
	}
	return d, true
}

// Independence tests whether successive values of x are independent, by the
// rank correlation of each with the next. Open-loop latencies seldom are.
// False for fewer than MinValues.
func Independence(x []float64) (Test, bool) {
	if len(x) < MinValues {
		return Test{}, false
	}
	rho := spearman(x[1:], x[:len(x)-1])
	z := math.Abs(rho) * math.Sqrt(float64(len(x)-2))
	return Test{Statistic: rho, P: 2 * distuv.UnitNormal.Survival(z)}, true
}

// spearman returns the correlation of the ranks of x and y, 0 if either is
// constant.
func spearman(x, y []float64) float64 {
	rx, ry := midranks(x), midranks(y)
	mean := float64(len(x)-1) / 2
	var xx, yy, xy float64
	for i := range rx {
		a, b := rx[i]-mean, ry[i]-mean
		xx, yy, xy = xx+a*a, yy+b*b, xy+a*b
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// midranks returns ranks from 0; equal values share the mean of theirs.
func midranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	ranks := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return ranks
}

// theilSen returns the median slope between all pairs of the few values y at
// 0, 1, 2, …
func theilSen(y []float64) float64 {
	var slopes []float64
	for i := range y {
		for j := range i {
			slopes = append(slopes, (y[i]-y[j])/float64(i-j))
		}
	}
	return middle(slopes)
}

// middle returns the median of a nonempty list, the mean of the two middle
// values if there are two. It leaves the list as it was.
func middle(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
