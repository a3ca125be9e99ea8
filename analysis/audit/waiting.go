package audit

import (
	"math"
	"slices"
	"sort"

	"tare/analysis/stats"
)

// Waiting is the evidence that arrivals waited for answers. In an open loop
// they do not: with gaps of their own law, whatever the server does, arrivals
// that meet k requests in flight or more are as many as are due in the time
// that it has k or more. So for each k
//
//	E_k = Σ H(time that gap i had k or more in flight),
//
// H being the cumulative hazard of the gaps (Nelson–Aalen; for exponential
// gaps H(x) = λx, and E_k = λ·time), is compared with the number O_k that did
// arrive: O_k − E_k is a martingale with variance E_k. A client with at most C
// requests under way has O_C = 0, however long the server had C of them.
// Gaps must not depend on one another, though: a burst after each pause gives the
// same picture. So answers must be followed by arrivals as well (Follow).
//
// Where the server takes the same time for each request and the gaps are
// constant, H tells nothing. There the small differences do: if arrival i+C
// waits for answer i, the time from arrival i to it grows with the service of
// i by as much (Slope 1), else not at all (0).
type Waiting struct {
	Level    *int     `json:"level"`    // k of the strongest evidence; null: none
	Due      *float64 `json:"due"`      // E_k
	Arrived  *int64   `json:"arrived"`  // O_k
	Share    *float64 `json:"share"`    // E_k over all requests: how much of the load stood before that limit
	Slope    *float64 `json:"slope"`    // null where order or spread of services do not allow it
	Follow   *float64 `json:"follow"`   // median time from an answer's end to the next arrival, in mean gaps
	Waits    bool     `json:"waits"`    // conclusion: arrivals waited for answers
	Constant bool     `json:"constant"` // and nearly always: the number in flight hardly varied
}

// Limits of Waiting.
const (
	// waitErrors: (E−O)/√E; a normal variable exceeds 6 once in 10⁹, and as
	// many levels as there are requests in flight are looked at.
	waitErrors = 6.0
	// waitRatio: at most half of the arrivals that were due came.
	waitRatio = 0.5
	// waitShare: what is lost in less than 2 % of the load changes no rate.
	waitShare = 0.02
	// slopeLevel is the confidence of the interval of Slope, which decides
	// where it excludes 0 or 1.
	slopeLevel = 0.999
	// followGap: an arrival within a twentieth of a gap after an answer
	// follows it, save for 1 in 20 by chance. The last resort.
	followGap = 0.05
	// followAny: the next arrival after an answer is on average a mean gap
	// away where it does not wait for it (half of that if gaps are equal), and
	// its median is not beyond unless arrivals come in bursts.
	followAny = 1.0
	// followHalf: equal gaps that wait for an answer end within half a gap of
	// it. If it takes longer the answers are not what holds them up, and a stop
	// of the whole host, which makes services and gaps longer alike, may feign
	// a Slope.
	followHalf = 0.5
	// constantTime and constantSpread: a client stands at its limit half of
	// the time, or the variance of the number in flight is a quarter of what
	// Poisson arrivals give.
	constantTime   = 0.5
	constantSpread = 0.25
	// Slope is computed of so many requests, in the order of arrival.
	leastPairs, mostPairs = 100, 20000
)

// waiting looks for arrivals that wait for answers.
func (a *audit) waiting() Waiting {
	var w Waiting
	if a.Asked.Law == Closed || len(a.log) < leastPairs {
		return w
	}
	at := arrivals(a.log)
	tally := tallyOf(a.log, at)
	w.Follow = follow(a.log, at)
	found := tally.find(&w, len(at)) && w.Follow != nil && *w.Follow <= followAny
	switch {
	case found && a.Asked.Law != Constant:
		w.Waits = true
	case a.off():
		// Equal gaps are not independent: a late one is followed by a short
		// one. And in step with equal services they harm nothing unless they
		// left their schedule.
		w.Waits = a.followsService(&w, tally, found)
	}
	spread := a.Traffic.InFlight.Dispersion
	w.Constant = w.Waits && (w.Share == nil || *w.Share >= constantTime || spread != nil && *spread <= constantSpread)
	return w
}

// off tells if the arrivals left what was asked in any way that waiting for
// answers can have caused. A constant schedule that is kept, in rate and to the
// instant, waits for nobody, however its gaps jitter.
func (a *audit) off() bool {
	t := &a.Traffic
	jitter := len(t.Offences) > 0 && a.Asked.Law != Constant
	return t.short() || t.over() || a.late() || jitter
}

// late tells if the arrivals of a constant rate came late against their
// schedule by more than a latency may be biased.
func (a *audit) late() bool {
	lag := a.Traffic.Lag
	return lag != nil && *lag.P99 > a.lagLimit()
}

// lagLimit is what sends may be late, in ms.
func (a *audit) lagLimit() float64 {
	if p99 := a.Truth[TTFT].P99; p99 != nil {
		return max(suspectBiasMS, suspectBias**p99)
	}
	return suspectBiasMS
}

// tally holds E_k and O_k by level k, and how often an arrival made the level.
type tally struct {
	due     []float64
	arrived []int64
	made    []int64
}

// tallyOf walks the gaps of a sorted log. In each the level only falls: the
// time with k or more in flight is from its beginning to the end of one answer.
func tallyOf(log []Request, at []int64) tally {
	h := hazardOf(gaps(at))
	end := ends(log)
	highest := sweep(log, func(int, int64) {})
	t := tally{make([]float64, highest+2), make([]int64, highest+2), make([]int64, highest+2)}
	whole := make([]float64, highest+2) // H of gaps that kept a level to their end
	level, next := 0, 0
	for i := range at[:len(at)-1] {
		level++
		t.made[level]++
		for ; next < len(end) && end[next] <= at[i+1]; next++ {
			t.due[level] += h.at(float64(end[next] - at[i]))
			level--
		}
		whole[level] += h.at(float64(at[i+1] - at[i]))
		t.arrived[level]++
	}
	for k := highest - 1; k >= 0; k-- { // a level that was kept keeps all below it
		whole[k] += whole[k+1]
		t.arrived[k] += t.arrived[k+1]
	}
	for k := range t.due {
		t.due[k] += whole[k]
	}
	return t
}

// find sets the level with the strongest evidence, if any is strong enough.
func (t tally) find(w *Waiting, n int) bool {
	strongest := waitErrors
	for k := 1; k < len(t.due); k++ {
		due, arrived := t.due[k], float64(t.arrived[k])
		z := (due - arrived) / math.Sqrt(due)
		if due < waitShare*float64(n) || arrived > waitRatio*due || !(z > strongest) {
			continue
		}
		strongest = z
		w.Level, w.Due, w.Arrived, w.Share = new(k), new(due), new(t.arrived[k]), new(due/float64(n))
	}
	return w.Level != nil
}

// usual is the median level that arrivals make.
func (t tally) usual() int {
	var n, sum int64
	for _, k := range t.made {
		n += k
	}
	for level, k := range t.made {
		if sum += k; 2*sum >= n {
			return level
		}
	}
	return 0
}

// hazard is a cumulative hazard as a step function.
type hazard struct{ x, sum []float64 }

// hazardOf estimates it: Σ 1/(number of gaps not shorter), over the gaps up
// to x.
func hazardOf(gaps []float64) hazard {
	slices.Sort(gaps)
	h := hazard{gaps, make([]float64, len(gaps)+1)}
	for i := range gaps {
		h.sum[i+1] = h.sum[i] + 1/float64(len(gaps)-i)
	}
	return h
}

func (h hazard) at(x float64) float64 {
	return h.sum[sort.Search(len(h.x), func(i int) bool { return h.x[i] > x })]
}

// followsService decides by Slope if arrivals wait, or where that says nothing
// by what else there is.
func (a *audit) followsService(w *Waiting, t tally, found bool) bool {
	if w.Follow == nil || *w.Follow > followHalf {
		return false // what makes them late is longer than the wait for an answer
	}
	decided := false
	for level := t.usual(); level <= t.usual()+1; level++ {
		slope, low, high, ok := slope(a.log, level)
		if !ok {
			continue
		}
		if w.Slope == nil || math.Abs(slope-1) < math.Abs(*w.Slope-1) {
			w.Slope = &slope
		}
		if low > 0 && slope > 0.5 {
			return true
		}
		decided = decided || high < 1
	}
	return !decided && (found || *w.Follow < followGap)
}

// slope regresses the time from arrival i to arrival i+level on the service
// of request i. Services in the outer tenth are left out: a stop of the whole
// host lengthens both. False where answers overtake one another, or services
// are equal.
func slope(log []Request, level int) (slope, low, high float64, ok bool) {
	n := min(len(log)-level, mostPairs)
	if n < leastPairs || overtaken(log[:n]) {
		return 0, 0, 0, false
	}
	service := make([]float64, n)
	for i := range service {
		service[i] = float64(log[i].end()-log[i].Arrival) / 1e6
	}
	sorted := slices.Sorted(slices.Values(service))
	from, to := sorted[n/20], sorted[n-1-n/20]
	var x, ones, y []float64
	for i, s := range service {
		if s >= from && s <= to {
			x, ones = append(x, s-from), append(ones, 1)
			y = append(y, float64(log[i+level].Arrival-log[i].Arrival)/1e6)
		}
	}
	fit, err := stats.Regress(y, [][]float64{ones, x}, slopeLevel)
	if err != nil || fit.Coefficients[1].Low == nil || fit.Coefficients[1].High == nil {
		return 0, 0, 0, false
	}
	c := fit.Coefficients[1]
	return c.Value, *c.Low, *c.High, true
}

// overtaken tells if more than one answer in a hundred ended before that of an
// earlier request.
func overtaken(log []Request) bool {
	n, latest := 0, int64(0)
	for i := range log {
		if log[i].end() < latest {
			n++
		}
		latest = max(latest, log[i].end())
	}
	return 100*n > len(log)
}

// follow is the median time from an answer's end to the next arrival, in mean
// gaps.
func follow(log []Request, at []int64) *float64 {
	var after []float64
	next := 0
	for _, e := range ends(log) {
		for next < len(at) && at[next] < e {
			next++
		}
		if next == len(at) {
			break
		}
		after = append(after, float64(at[next]-e))
	}
	slices.Sort(after)
	median, ok := stats.Percentile(after, 0.5)
	if !ok || at[len(at)-1] == at[0] {
		return nil
	}
	return new(median * float64(len(at)-1) / float64(at[len(at)-1]-at[0]))
}
