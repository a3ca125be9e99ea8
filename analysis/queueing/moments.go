package queueing

import (
	"errors"
	"fmt"
	"math"
)

// ErrUnstable says that work comes in at least as fast as it can be done, so
// that waits grow without end.
var ErrUnstable = errors.New("unstable queue")

// Moments are the raw moments of a nonnegative quantity: E[X], E[X²] and
// E[X³]. Third may be left 0 where a formula does not need it.
type Moments struct{ Mean, Second, Third float64 }

// slack forgives rounding where moments meet their bounds exactly, as those
// of a constant do.
const slack = 1e-9

// check refuses moments that no quantity has: they must be finite and
// nonnegative with E[X²] ≥ E[X]².
func (m Moments) check(what string) error {
	if !finite(m.Mean, m.Second, m.Third) {
		return fmt.Errorf("%s has moments %v: each must be a finite number of at least 0", what, m)
	}
	if m.Second < m.Mean*m.Mean*(1-slack) {
		return fmt.Errorf("%s has E[X²] = %v below E[X]² = %v", what, m.Second, m.Mean*m.Mean)
	}
	return nil
}

// checkThird also wants E[X]·E[X³] ≥ E[X²]² (Cauchy–Schwarz).
func (m Moments) checkThird(what string) error {
	if err := m.check(what); err != nil {
		return err
	}
	if m.Mean*m.Third < m.Second*m.Second*(1-slack) {
		return fmt.Errorf("%s has E[X³] = %v, too small for its other moments", what, m.Third)
	}
	return nil
}

// finite reports whether all of xs are numbers from 0 up.
func finite(xs ...float64) bool {
	for _, x := range xs {
		if !(x >= 0 && x <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// load returns ρ = λ·mean/servers for a queue that has a mean wait.
func load(lambda, mean float64, servers int) (float64, error) {
	if !finite(lambda) {
		return 0, fmt.Errorf("arrival rate %v must be a finite number of at least 0", lambda)
	}
	if servers < 1 {
		return 0, fmt.Errorf("%d servers: at least one is needed", servers)
	}
	rho := lambda * mean / float64(servers)
	if !(rho < 1) {
		return 0, fmt.Errorf("%w: ρ = %.4g (λ = %.6g, E[S] = %.6g, servers %d)", ErrUnstable, rho, lambda, mean, servers)
	}
	return rho, nil
}
