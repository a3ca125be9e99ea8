package capacity

import (
	"gonum.org/v1/gonum/stat/distuv"

	"tare/analysis/queueing"
)

// wait is how long an event waits for a worker to begin with it, in µs. The mean
// does not depend on the order of service. The Go scheduler hands out what came
// together last in, first out, so that the p99 lies between that of service in
// order of arrival and that of the last come, first served.
type wait struct {
	mean, inOrder, lastFirst float64
}

// wait predicts the wait at a worker of rate requests/s with so many events
// each, times WaitFactor. The error wraps queueing.ErrUnstable where there is
// none.
func (l *Law) wait(rate, events float64) (wait, error) {
	q := l.queue(rate, events)
	mean, err := queueing.Welch(q.lambda, q.first, q.rest)
	if err != nil {
		return wait{}, err
	}
	p99, err := q.quantiles(0.99)
	if err != nil {
		return wait{}, err
	}
	k := l.WaitFactor
	return wait{k * mean, k * p99[0], k * p99[1]}, nil
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

// quantiles are the p-quantiles of the wait of M/G/1 with exceptional first
// service, in order of arrival and with the last come first served. One who
// waits, which is a share 1−p₀ of all, p₀ = (1−ρ)/(1−ρ+λE[S₀]),
//
//   - in order waits for what is left of a first service and then as in plain
//     M/G/1, independently: by the transform of Lindley's recursion
//     W*(s) = p₀ + (1−p₀)·R₀*(s)·W_q*(s), R₀ with moments E[S₀²]/2E[S₀] and
//     E[S₀³]/3E[S₀];
//   - with the last first waits for what is left of the service that is under
//     way, R, and for all who come meanwhile and after them: a busy period that
//     begins with R, with moments E[R]/(1−ρ) and
//     E[R²]/(1−ρ)² + λE[S²]E[R]/(1−ρ)³ (Takács 1963).
//
// Both have the mean of Welch. Their laws are taken as gamma with these exact
// moments, as queueing.MG1Quantile does for S₀ = S.
func (q queue) quantiles(p float64) (both [2]float64, err error) {
	w, err := queueing.MG1(q.lambda, q.rest)
	if err != nil {
		return both, err
	}
	second, err := queueing.MG1Second(q.lambda, q.rest)
	if err != nil {
		return both, err
	}
	free := 1 - q.lambda*q.rest.Mean
	idle := free / (free + q.lambda*q.first.Mean)
	if p <= idle || q.first.Mean == 0 {
		return both, nil
	}
	tail := (1 - p) / (1 - idle)

	first := residual(q.first)
	both[0] = gammaQuantile(first.Mean+w, second+2*w*first.Mean+first.Second, tail)

	left := mix(idle*q.first.Mean/(idle*q.first.Mean+(1-idle)*q.rest.Mean), first, residual(q.rest))
	both[1] = gammaQuantile(left.Mean/free, left.Second/(free*free)+q.lambda*q.rest.Second*left.Mean/(free*free*free), tail)
	return both, nil
}

// residual are the first two moments of what is left of a service at a moment
// within it: E[S²]/2E[S] and E[S³]/3E[S].
func residual(s queueing.Moments) queueing.Moments {
	if s.Mean == 0 {
		return queueing.Moments{}
	}
	return queueing.Moments{Mean: s.Second / (2 * s.Mean), Second: s.Third / (3 * s.Mean)}
}

// gammaQuantile is what a gamma law with the given moments exceeds with
// probability tail.
func gammaQuantile(mean, second, tail float64) float64 {
	variance := second - mean*mean
	return distuv.Gamma{Alpha: mean * mean / variance, Beta: mean / variance}.Quantile(1 - tail)
}
