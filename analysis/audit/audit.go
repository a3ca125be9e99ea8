package audit

import (
	"errors"

	"tare/analysis/arrival"
)

// Result is the outcome of an audit. Its keys are stable; undefined figures
// are null.
type Result struct {
	Verdict  Verdict          `json:"verdict"`
	Asked    Asked            `json:"asked"`
	Traffic  Traffic          `json:"traffic"`
	Truth    map[Metric]Dist  `json:"truth"`
	Client   Client           `json:"client"`
	Reported *Reported        `json:"reported"`
	Bias     map[Metric]*Bias `json:"bias"` // of the metrics that both sides have
	Waiting  Waiting          `json:"waiting"`
	Short    Shortfall        `json:"shortfall"`
	Light    *Light           `json:"light"`
	Findings []Finding        `json:"findings"`
}

// Light is what the second run, against a server that answers at once, shows.
type Light struct {
	Requests int64    `json:"requests"`
	Rate     *float64 `json:"delivered_rate"`
	Share    *float64 `json:"delivered_share"`
	Client   Client   `json:"client"`
}

// audit is an Input on its way to a Result.
type audit struct {
	Result
	log    []Request // sorted, without its head
	whole  []Request // those that latencies are taken of
	light  *Traffic
	server lateness
	totals []arrival.Total
}

// Audit judges a load generator by what the server saw of it. It fails if
// Asked makes no sense or the log holds no request.
func Audit(in Input) (Result, error) {
	if err := in.Asked.validate(); err != nil {
		return Result{}, err
	}
	if len(in.Log) == 0 {
		return Result{}, errors.New("no request reached the server")
	}
	a := newAudit(in)
	a.Bias = a.biases()
	a.Waiting = a.waiting()
	a.Short = a.shortfall()
	a.Findings = a.findings()
	a.Verdict = verdictOf(a.Findings)
	return a.Result, nil
}

// newAudit describes both runs, before anything is concluded from them.
func newAudit(in Input) *audit {
	a := &audit{totals: in.Totals}
	a.Asked, a.Client, a.Reported = in.Asked, in.Client, in.Reported
	log := byArrival(in.Log)
	firstOnly(log)
	var w Window
	a.log, w = window(log, in.Asked)
	a.Traffic = traffic(a.log, w, in.Asked)
	a.whole = measured(a.log)
	a.Truth = truth(a.whole)
	a.server = latenessOf(a.log)
	if len(in.Light) > 0 {
		log, w := window(byArrival(in.Light), in.Asked)
		t := traffic(log, w, in.Asked)
		a.light = &t
		a.Light = &Light{Requests: t.Requests, Rate: t.Rate, Share: t.Share, Client: in.LightClient}
	}
	return a
}

// short tells if a rate fell short of what was asked, by more than chance.
func (t *Traffic) short() bool {
	return t.Share != nil && 1-*t.Share > t.allowed()
}

// over tells if more was sent than asked for.
func (t *Traffic) over() bool {
	return t.Share != nil && *t.Share-1 > t.allowed()
}

// allowed is how far the delivered share may be from 1.
func (t *Traffic) allowed() float64 { return max(shortShare, rateErrors**t.ShareError) }
