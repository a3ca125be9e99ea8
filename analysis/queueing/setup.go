package queueing

import (
	"errors"
	"fmt"
)

// Welch returns the mean wait of M/G/1 with exceptional first service (Welch,
// "On a generalized M/G/1 queuing process", Operations Research 12, 1964): an
// event that arrives at an idle server has service S₀ (first), the others S
// (rest). With ρ = λ·E[S] and the share of events that find the server idle
//
//	p₀ = (1−ρ) / (1−ρ+λ·E[S₀])
//	E[W] = λ·(p₀·E[S₀²] + (1−p₀)·E[S²]) / (2(1−ρ)).
//
// A wake-up inside S₀ is service here, not wait.
func Welch(lambda float64, first, rest Moments) (float64, error) {
	if err := first.check("service of an event that arrived idle"); err != nil {
		return 0, err
	}
	if err := rest.check("service of an event that arrived busy"); err != nil {
		return 0, err
	}
	rho, err := load(lambda, rest.Mean, 1)
	if err != nil {
		return 0, err
	}
	idle := (1 - rho) / (1 - rho + lambda*first.Mean)
	return WelchMixed(lambda, rest.Mean, idle*first.Second+(1-idle)*rest.Second)
}

// WelchMixed is Welch in the figures that a measurement has: busyMean is E[S]
// of events that arrived busy, allSecond is E[S²] over all events, those that
// arrived idle included,
//
//	E[W] = λ·E[S²] / (2(1−λ·E[S | busy])).
//
// It takes the share of idle arrivals as it was, instead of from theory.
func WelchMixed(lambda, busyMean, allSecond float64) (float64, error) {
	if !finite(busyMean, allSecond) {
		return 0, fmt.Errorf("service has E[S | busy] = %v and E[S²] = %v: each must be a finite number of at least 0", busyMean, allSecond)
	}
	rho, err := load(lambda, busyMean, 1)
	if err != nil {
		return 0, err
	}
	return lambda * allSecond / (2 * (1 - rho)), nil
}

// Batches describes a queue whose events come in batches, with a set-up
// before the first service after idleness.
type Batches struct {
	Lambda  float64 // events per unit of time; batches come at Lambda/E[X]
	Service Moments // S, the work of one event
	Size    Moments // X, the events of a batch, at least 1 each
	Setup   Moments // U; zero for none
}

// MXG1Setup returns the mean wait of M^[X]/G/1 with set-up: Poisson batches,
// λ_b = λ/E[X] of them per unit of time,
//
//	E[W] = λ·E[S²]/(2(1−ρ))
//	     + E[S]·(E[X²]−E[X]) / (2·E[X]·(1−ρ))
//	     + (2·E[U]+λ_b·E[U²]) / (2(1+λ_b·E[U])).
//
// The terms are Pollaczek and Khinchine, the others of the own batch and of
// the batches ahead (Burke 1975), and set-up (Doshi 1985). Every event of the
// batch that ends an idle time waits for the whole set-up here, its first
// event too. Where U is booked as part of that first event's service, as in
// Welch and in measured waits, use MXG1SetupServed.
func MXG1Setup(b Batches) (float64, error) {
	rho, err := b.check()
	if err != nil {
		return 0, err
	}
	batches := b.Lambda / b.Size.Mean
	queue := b.Lambda * b.Service.Second / (2 * (1 - rho))
	batch := b.Service.Mean * (b.Size.Second - b.Size.Mean) / (2 * b.Size.Mean * (1 - rho))
	setup := (2*b.Setup.Mean + batches*b.Setup.Second) / (2 * (1 + batches*b.Setup.Mean))
	return queue + batch + setup, nil
}

// MXG1SetupServed is MXG1Setup with the set-up counted as service of the event
// that finds the server idle, as max(D_{j−1}, A_j) − A_j measures it. That
// event then waits E[U] less, and it is a share p₀/E[X] of all,
//
//	p₀ = (1−ρ) / (1+λ_b·E[U])
//
// being the share of batches that find the server idle. With batches of one it
// equals Welch with S₀ = S + U.
func MXG1SetupServed(b Batches) (float64, error) {
	w, err := MXG1Setup(b)
	if err != nil {
		return 0, err
	}
	idle := (1 - b.Lambda*b.Service.Mean) / (1 + b.Lambda/b.Size.Mean*b.Setup.Mean)
	return w - idle/b.Size.Mean*b.Setup.Mean, nil
}

func (b Batches) check() (rho float64, err error) {
	if err := errors.Join(b.Service.check("service"), b.Size.check("batch size"), b.Setup.check("set-up")); err != nil {
		return 0, err
	}
	if b.Size.Mean < 1-slack || b.Size.Second < b.Size.Mean*(1-slack) {
		return 0, fmt.Errorf("batch size has E[X] = %v and E[X²] = %v: a batch holds at least one event", b.Size.Mean, b.Size.Second)
	}
	return load(b.Lambda, b.Service.Mean, 1)
}
