package metrics

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"tare/ipc"
)

// Batches of rows from which the interval of a ratio is found. Fewer than
// minBatches say too little about their own spread; more than maxBatches would
// make neighbours depend on each other.
const (
	minBatches = 10
	maxBatches = 20
	confidence = 0.95
)

// addInterval gives the ratio r its interval by batch means: the window is cut
// into B batches of successive rows, and with r_b the ratio without batch b the
// pseudo-values B·r − (B−1)·r_b behave like B independent values of the ratio
// (the jackknife; Tukey 1958, for steady-state output Miller 1974):
//
//	r ± t(B−1) · s/√B,   s² their variance.
//
// A plain mean of the batches' own ratios would be off: the prediction is not
// linear in its moments, and the two share their sampling error.
func (q *Queue) addInterval(rows []ipc.QueueRow, from, to int64) {
	batches := min(to-from, maxBatches)
	if q.Ratio == nil || batches < minBatches {
		return
	}
	n, sum, square := float64(batches), 0.0, 0.0
	for b := range batches {
		begin, end := from+b*(to-from)/batches, from+(b+1)*(to-from)/batches
		rest := sumRows(rows, func(i int64) bool { return from <= i && i < begin || end <= i && i < to })
		r := rest.figures(float64(to-from-(end-begin)) * ipc.QueueInterval).Ratio
		if r == nil {
			return
		}
		d := (n - 1) * (*q.Ratio - *r)
		sum += d
		square += d * d
	}
	s := math.Sqrt(max(0, square-sum*sum/n) / (n - 1))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.5 + confidence/2)
	q.RatioLo = defined(*q.Ratio - t*s/math.Sqrt(n))
	q.RatioHi = defined(*q.Ratio + t*s/math.Sqrt(n))
}
