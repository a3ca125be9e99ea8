package ntpot

import (
	"errors"
	"fmt"
	"math"

	"tare/analysis/metrics"
	"tare/analysis/stats"
)

const (
	level   = 0.95
	nsPerMs = 1e6
	// regressed is the most requests that enter a regression. Of more, every
	// k-th is taken.
	regressed = 1 << 15
)

// estimate is a figure with its interval, in ns or ns a token.
type estimate struct{ value, lo, hi float64 }

func (e estimate) ms() (value, lo, hi *float64) {
	return new(e.value / nsPerMs), new(e.lo / nsPerMs), new(e.hi / nsPerMs)
}

// Fit takes a run apart: rows are its requests, or a sample of them, in the
// order of their scheduled instants, sums are over all. It is nil if no request
// was streamed and had output.
func Fit(rows []metrics.Row, sums Sums) (*Parts, []Doubt) {
	if sums.n == 0 {
		return nil, nil
	}
	p := &Parts{
		N: sums.n, NTPOT: new(sums.mean(sums.ntpot) / nsPerMs),
		Input: new(sums.mean(sums.input)), Output: new(sums.mean(sums.output)),
		Inverse: new(sums.mean(sums.inverse)),
		TTFT:    new(sums.mean(sums.ttft) / nsPerMs),
	}
	p.Of.TTFT = new(sums.mean(sums.ttftShare) / nsPerMs)
	rows = thin(rows)
	doubts := append(p.first(rows, sums), p.rest(rows, sums)...)
	p.settle()
	return p, doubts
}

// thin leaves out requests that have no parts, and of many all but every k-th.
func thin(rows []metrics.Row) []metrics.Row {
	var kept []metrics.Row
	for i := range rows {
		if usable(&rows[i]) {
			kept = append(kept, rows[i])
		}
	}
	step := (len(kept) + regressed - 1) / regressed
	if step < 2 {
		return kept
	}
	few := kept[:0]
	for i := 0; i < len(kept); i += step {
		few = append(few, kept[i])
	}
	return few
}

// first takes TTFT apart.
func (p *Parts) first(rows []metrics.Row, sums Sums) []Doubt {
	y, input := make([]float64, len(rows)), make([]float64, len(rows))
	for i := range rows {
		y[i], input[i] = ttft(&rows[i]), float64(rows[i].Input)
	}
	if whole, ok := meanOf(y, sums.mean(sums.ttft)); ok {
		_, p.TTFTLo, p.TTFTHi = whole.ms()
	}
	ones := make([]float64, len(y))
	for i := range ones {
		ones[i] = 1
	}
	slope, err := regress(y, ones, input)
	if err != nil {
		return []Doubt{{"queue_fixed_ms", "not told from prefill: " + because(err, "input")}}
	}
	for i := range y {
		y[i] -= slope.value * input[i]
	}
	c, ok := meanOf(y, sums.mean(sums.ttft)-slope.value*sums.mean(sums.input))
	if !ok {
		return nil
	}
	c = c.beside(slope, sums.mean(sums.input))
	p.QueueFixed, p.QueueFixedLo, p.QueueFixedHi = c.ms()
	p.PrefillToken, p.PrefillTokenLo, p.PrefillTokenHi = slope.ms()
	p.Prefill = new(slope.value * sums.mean(sums.input) / nsPerMs)
	p.Of.QueueFixed = new(c.value * sums.mean(sums.inverse) / nsPerMs)
	p.Of.Prefill = new(slope.value * sums.mean(sums.inputs) / nsPerMs)
	return nil
}

// rest takes E2E − TTFT apart. A sum of M times of which each varies by itself
// varies as √M, so the regression is of the times and both columns over √M.
func (p *Parts) rest(rows []metrics.Row, sums Sums) []Doubt {
	var y, tokens, scaled, ones, roots []float64
	for i := range rows {
		if !rows[i].Decoded {
			continue
		}
		root := math.Sqrt(later(&rows[i]))
		y, tokens = append(y, decoding(&rows[i])), append(tokens, later(&rows[i]))
		scaled, ones, roots = append(scaled, decoding(&rows[i])/root), append(ones, 1/root), append(roots, root)
	}
	var doubts []Doubt
	slope, err := regress(scaled, ones, roots)
	if err != nil {
		ratio, ok := stats.RatioInterval(y, tokens, level)
		if !ok || ratio.Low == nil {
			return []Doubt{{"decode_ms_per_token", because(err, "output")}}
		}
		slope = estimate{ratio.Value, *ratio.Low, *ratio.High}
		doubts = append(doubts, Doubt{"decode_ms_per_token", "all of E2E − TTFT over its tokens: " + because(err, "output")})
	}
	p.DecodeToken, p.DecodeTokenLo, p.DecodeTokenHi = slope.ms()
	p.Decode = new(slope.value * sums.mean(sums.decoded) / nsPerMs)
	p.Of.Decode = new(slope.value * sums.mean(sums.decodings) / nsPerMs)
	return doubts
}

// settle sets the residual: what is left of the whole.
func (p *Parts) settle() {
	if p.Of.Decode == nil {
		return
	}
	explained := *p.Of.TTFT
	if p.Of.QueueFixed != nil {
		explained = *p.Of.QueueFixed + *p.Of.Prefill
	}
	p.Of.Residual = new(*p.NTPOT - explained - *p.Of.Decode)
}

// errVaries says that a column varies too little.
var errVaries = errors.New("too little variation")

// regress returns the robust slope of y over x, beside a constant.
func regress(y, constant, x []float64) (estimate, error) {
	f, err := stats.Regress(y, [][]float64{constant, x}, level)
	switch {
	case errors.Is(err, stats.ErrCollinear) || err == nil && len(f.Warnings) > 0:
		return estimate{}, errVaries
	case err != nil:
		return estimate{}, err
	}
	s := f.Coefficients[1]
	return estimate{s.Value, *s.Low, *s.High}, nil
}

// because puts the failure of a regression over lengths into words.
func because(err error, lengths string) string {
	if errors.Is(err, errVaries) {
		return fmt.Sprintf("the %s lengths vary too little", lengths)
	}
	return err.Error()
}

// meanOf is the interval of the mean of y, laid around the mean of all requests
// of which y are a sample; false where there are too few.
func meanOf(y []float64, mean float64) (estimate, bool) {
	i, ok := stats.MeanInterval(y, level)
	if !ok || i.Low == nil {
		return estimate{value: mean}, false
	}
	return estimate{mean, mean + *i.Low - i.Value, mean + *i.High - i.Value}, true
}

// beside widens the interval of a mean by that of a slope that was taken off
// at the distance x. At the mean of x the errors of the two are uncorrelated, so
// that squares add.
func (e estimate) beside(slope estimate, x float64) estimate {
	return estimate{
		e.value,
		e.value - math.Hypot(e.value-e.lo, x*(slope.hi-slope.value)),
		e.value + math.Hypot(e.hi-e.value, x*(slope.value-slope.lo)),
	}
}
