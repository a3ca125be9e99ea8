package capacity

import (
	"gonum.org/v1/gonum/stat/distuv"

	"tare/analysis/queueing"
)

// wait is how long an event waits for a worker to begin with it, in µs.
type wait struct {
	mean, p99 float64
}

// wait predicts the wait at a worker of rate requests/s with so many events
// each. The error wraps queueing.ErrUnstable where there is none.
func (l *Law) wait(rate, events float64) (wait, error) {
	q := l.queue(rate, events)
	mean, err := queueing.Welch(q.lambda, q.first, q.rest)
	if err != nil {
		return wait{}, err
	}
	p99, err := q.quantile(0.99)
	return wait{mean, p99}, err
}

// queue is a worker with events and sends as its customers: the service of one
// that finds it idle, and of the others, in µs.
type queue struct {
	lambda      float64 // customers/µs
	first, rest queueing.Moments
}

// queue mixes events and sends, which come 1 to events. The set-up is
// U = S₀ − S, independent of S, and a send pays it as an event does.
func (l *Law) queue(rate, events float64) queue {
	sends := 1 / (1 + events)
	setup := max(0, l.IdleMean-l.ServiceMean)
	setupSecond := max(setup*setup, l.IdleSecond-l.ServiceSecond-2*l.ServiceMean*setup)
	c := l.Send
	return queue{
		lambda: rate / usPerSecond * (1 + events),
		first:  mix(sends, gamma(c+setup, c*c+2*c*setup+setupSecond), l.idle()),
		rest:   mix(sends, gamma(c, c*c), l.service()),
	}
}

// mix are the moments of a with the given probability and of b otherwise.
func mix(share float64, a, b queueing.Moments) queueing.Moments {
	of := func(a, b float64) float64 { return share*a + (1-share)*b }
	return queueing.Moments{Mean: of(a.Mean, b.Mean), Second: of(a.Second, b.Second), Third: of(a.Third, b.Third)}
}

// quantile is the p-quantile of the wait of M/G/1 with exceptional first
// service, in order of arrival. From the transform of Lindley's recursion
//
//	W*(s) = p₀ + (1−p₀) · R₀*(s) · W_q*(s),  p₀ = (1−ρ)/(1−ρ+λE[S₀]),
//
// so that one who waits, waits for what is left of the first service, R₀ with
// moments E[S₀²]/2E[S₀] and E[S₀³]/3E[S₀], and independently for a wait of plain
// M/G/1. The law of their sum is taken as gamma with its exact first two
// moments, as queueing.MG1Quantile does for S₀ = S.
func (q queue) quantile(p float64) (float64, error) {
	w, err := queueing.MG1(q.lambda, q.rest)
	if err != nil {
		return 0, err
	}
	second, err := queueing.MG1Second(q.lambda, q.rest)
	if err != nil {
		return 0, err
	}
	rho := q.lambda * q.rest.Mean
	idle := (1 - rho) / (1 - rho + q.lambda*q.first.Mean)
	if p <= idle || q.first.Mean == 0 {
		return 0, nil
	}
	left := q.first.Second / (2 * q.first.Mean)
	mean := left + w
	variance := second - w*w + q.first.Third/(3*q.first.Mean) - left*left
	waits := distuv.Gamma{Alpha: mean * mean / variance, Beta: mean / variance}
	return waits.Quantile(1 - (1-p)/(1-idle)), nil
}
