package profile

import (
	"cmp"
	"fmt"
	"slices"
)

// Knee is the load at which a latency curve turns up. It depends on the range
// of loads that the curve covers; the capacity does not. It is nil in all but
// Method where the curve has none, or the client was the limit.
type Knee struct {
	Rate   *float64 `json:"rate"` // load of the step at the knee
	Lo     *float64 `json:"lo"`   // load of the step before
	Hi     *float64 `json:"hi"`   // load of the step after
	Method string   `json:"method"`
	Note   string   `json:"note"`
}

// The parameters of Kneedle as used.
const (
	sensitivity = 1    // S: how many mean distances of points the curve must fall below its peak
	leastPoints = 5    // fewer make no curve
	leastRise   = 0.25 // of the latency over the curve, as a share of its lowest value: less is noise
)

// kneeOf finds the knee of mean wire E2E over the load. The points are the
// steps of valid clients up to the lowest saturated one, whose latency depends
// on how long it lasted, but not its place as the last point.
func kneeOf(c Capacity, steps []Step) Knee {
	k := Knee{Method: fmt.Sprintf("Kneedle, S=%d, on the mean of wire E2E over the load, up to the first saturated step", sensitivity)}
	if c.LimitedBy == ByClient {
		k.Note = "the client was the limit: the curve would show its knee, not the server's"
		return k
	}
	x, y := curve(steps)
	if len(x) < leastPoints {
		k.Note = fmt.Sprintf("%d points are no curve, %d are", len(x), leastPoints)
		return k
	}
	if slices.Max(y) < (1+leastRise)*slices.Min(y) {
		k.Note = fmt.Sprintf("the latency rises by less than %.0f %%", 100*leastRise)
		return k
	}
	at, ok := kneedle(x, y, sensitivity)
	if !ok {
		k.Note = "the latency rises without a knee"
		return k
	}
	k.Rate, k.Lo, k.Hi = &x[at], &x[max(at-1, 0)], &x[min(at+1, len(x)-1)]
	return k
}

// curve is the latency curve in ms, in the order of load. Of several steps at
// one load the first counts.
func curve(steps []Step) (x, y []float64) {
	var points []*Step
	limit := -1.0
	for i := range steps {
		s := &steps[i]
		if s.Status == Client || s.Status == Failing || s.Interrupted || s.Summary.Latency.E2E.Wire.Mean == nil {
			continue
		}
		points = append(points, s)
		if s.Saturated && (limit < 0 || s.load() < limit) {
			limit = s.load()
		}
	}
	slices.SortStableFunc(points, func(a, b *Step) int { return cmp.Compare(a.load(), b.load()) })
	for _, s := range points {
		if (limit < 0 || s.load() <= limit) && (len(x) == 0 || s.load() > x[len(x)-1]) {
			x, y = append(x, s.load()), append(y, *s.Summary.Latency.E2E.Wire.Mean)
		}
	}
	return x, y
}

// kneedle returns the knee of a convex rising curve by Satopää, Albrecht,
// Irwin and Raghavan ("Finding a 'Kneedle' in a haystack", ICDCS Workshops
// 2011), without smoothing: both axes are scaled to [0, 1]; the knee is the
// peak of d = x − y, the distance of the curve below its chord, if d falls
// from there by more than s mean distances of neighbouring x. Of several peaks
// it is the highest. x is rising and has at least three values.
func kneedle(x, y []float64, s float64) (at int, ok bool) {
	last := len(x) - 1
	low, high := slices.Min(y), slices.Max(y)
	d := make([]float64, len(x))
	for i := range x {
		d[i] = (x[i]-x[0])/(x[last]-x[0]) - (y[i]-low)/(high-low)
		if d[i] > d[at] {
			at = i
		}
	}
	threshold := d[at] - s/float64(last)
	return at, at > 0 && at < last && slices.Min(d[at:]) < threshold
}
