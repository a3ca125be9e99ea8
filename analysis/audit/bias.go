package audit

import (
	"math"
	"slices"
	"strings"
)

// Bias holds a metric as the tool reported it against what the server saw.
type Bias struct {
	Name     string  `json:"name"` // the tool's own, or the metric's
	Reported Summary `json:"reported"`
	Truth    Summary `json:"truth"`
	Bias     Summary `json:"bias"`   // reported − truth
	Factor   Factors `json:"factor"` // reported over truth
	// Status tells what is known of the convention behind Reported.
	Status Fit `json:"status"`
	// Convention is the one that lies nearest, plain if none does better.
	Convention string `json:"convention"`
	Text       string `json:"text"` // what it measures
	// Like are the conventions that give the same here: which of them it is
	// cannot be told.
	Like []string `json:"like"`
	// Explained is the convention's part of Bias; Own the rest, which is the
	// client's.
	Explained Summary `json:"explained"`
	Own       Summary `json:"own"`
	// Candidates are the values under each convention, from the server's log.
	Candidates map[string]Summary `json:"candidates"`

	metric Metric
}

// Factors are ratios of the figures of a Summary.
type Factors struct {
	Mean *float64 `json:"mean"`
	P50  *float64 `json:"p50"`
	P90  *float64 `json:"p90"`
	P95  *float64 `json:"p95"`
	P99  *float64 `json:"p99"`
}

// Fit tells how a reported figure and the conventions go together.
type Fit string

// The outcomes.
const (
	FitPlain  Fit = "plain"                // as here, and no other convention lies near
	FitOther  Fit = "other"                // clearly another convention
	FitUnsure Fit = "cannot be told apart" // as here or like others that give the same
	FitNone   Fit = "none"                 // no convention lies near
)

// resolution of a convention: values nearer than 0.02 ms, which is less than
// what a wake-up costs any client, or 1 %, are the same.
const resolution, resolutionShare = 0.02, 0.01

// nearer: another convention is taken for the tool's if what it leaves is less
// than half of what the plain one leaves.
const nearer = 0.5

// biases compares all the metrics that tool and server have. TTFT comes first:
// a client that handles the first event some time late will handle the last
// one about as late, and that is not for a convention to explain.
func (a *audit) biases() map[Metric]*Bias {
	found := map[Metric]*Bias{}
	if a.Reported == nil {
		return found
	}
	late := 0.0
	for _, m := range []Metric{TTFT, E2E, NTPOT, TPOT, ITL} {
		said, ok := a.Reported.Latency[m]
		if !ok || a.Truth[m].N == 0 {
			continue
		}
		expected := 0.0
		switch m {
		case E2E:
			expected = late
		case NTPOT:
			expected = late / a.meanTokens()
		}
		b := biasOf(m, said, a.whole, expected)
		if name := a.Reported.Names[m]; name != "" {
			b.Name = name
		}
		if own, ok := b.key(b.Own); m == TTFT && ok && b.Status != FitNone {
			late = max(0, own)
		}
		found[m] = b
	}
	return found
}

func (a *audit) meanTokens() float64 {
	sum := 0.0
	for i := range a.whole {
		sum += float64(a.whole[i].Tokens)
	}
	return sum / float64(len(a.whole))
}

// biasOf finds the convention behind what was said of a metric. expected is
// the client's own part as another metric shows it, ms. Of ITL only means are
// compared: tools give percentiles of single gaps, which the log has not.
func biasOf(m Metric, said Summary, whole []Request, expected float64) *Bias {
	b := &Bias{Name: strings.ToUpper(string(m)), Reported: said, Like: []string{}, Candidates: map[string]Summary{}, metric: m}
	if m == ITL {
		said = Summary{Mean: said.Mean}
	}
	all := conventions[m]
	for _, c := range all {
		b.Candidates[c.name] = c.dist(whole).Summary
	}
	b.Truth = b.Candidates[plain]
	b.Bias = said.less(b.Truth)
	b.Factor = said.over(b.Truth)
	b.choose(all, expected)
	for _, c := range all {
		if c.name == b.Convention {
			b.Text = c.text
		} else if b.Status != FitNone && b.same(c.name, b.Convention) {
			b.Like = append(b.Like, c.name)
		}
	}
	if len(b.Like) > 0 && b.Status == FitPlain {
		b.Status = FitUnsure
	}
	b.Explained = b.Candidates[b.Convention].less(b.Truth)
	b.Own = said.less(b.Candidates[b.Convention])
	return b
}

// choose sets Convention and Status; of conventions that give the same the first
// is named, which is the simplest. A client cannot see an event before it is
// written: a convention above what it said is impossible, unless the metric is
// a difference of two events.
func (b *Bias) choose(all []convention, expected float64) {
	difference := b.metric == TPOT || b.metric == ITL
	b.Convention, b.Status = plain, FitPlain
	said, ok := b.key(b.Reported)
	if !ok {
		b.Status = FitUnsure
		return
	}
	rest := func(name string) float64 {
		x, _ := b.key(b.Candidates[name])
		if !difference && x > said+b.resolution() {
			return math.Inf(1)
		}
		return math.Abs(said - x - expected)
	}
	best := plain
	for _, c := range all {
		if rest(c.name) < rest(best) {
			best = c.name
		}
	}
	switch {
	case math.IsInf(rest(best), 1):
		b.Status = FitNone
	case b.same(best, plain):
	case rest(best) <= nearer*rest(plain) && rest(plain) > b.resolution():
		simplest := slices.IndexFunc(all, func(c convention) bool { return b.same(c.name, best) })
		b.Convention, b.Status = all[simplest].name, FitOther
	default:
		b.Status = FitNone
	}
}

// same tells if two conventions give the same value here.
func (b *Bias) same(one, other string) bool {
	x, _ := b.key(b.Candidates[one])
	y, ok := b.key(b.Candidates[other])
	return ok && math.Abs(x-y) <= b.resolution()
}

func (b *Bias) resolution() float64 {
	x, _ := b.key(b.Truth)
	return max(resolution, resolutionShare*math.Abs(x))
}

// key is the figure by which conventions are told apart: the median where the
// tool gives one, since a client's own stalls are in its mean; of ITL the mean.
func (b *Bias) key(s Summary) (float64, bool) {
	for i, said := range b.figures(b.Reported) {
		if x := b.figures(s)[i]; said != nil && x != nil {
			return *x, true
		}
	}
	return 0, false
}

// figures are those of a summary in the order in which they are trusted.
func (b *Bias) figures(s Summary) []*float64 {
	if b.metric == ITL {
		return []*float64{s.Mean}
	}
	return []*float64{s.P50, s.Mean, s.P90, s.P95, s.P99}
}

// less is s − t, where both have the figure.
func (s Summary) less(t Summary) Summary {
	return Summary{minus(s.Mean, t.Mean), minus(s.P50, t.P50), minus(s.P90, t.P90), minus(s.P95, t.P95), minus(s.P99, t.P99)}
}

// over is s/t, where both have the figure and that of t is above 0.
func (s Summary) over(t Summary) Factors {
	return Factors{ratio(s.Mean, t.Mean), ratio(s.P50, t.P50), ratio(s.P90, t.P90), ratio(s.P95, t.P95), ratio(s.P99, t.P99)}
}

func minus(x, y *float64) *float64 {
	if x == nil || y == nil {
		return nil
	}
	return new(*x - *y)
}

func ratio(x, y *float64) *float64 {
	if x == nil || y == nil || *y <= 0 {
		return nil
	}
	return new(*x / *y)
}
