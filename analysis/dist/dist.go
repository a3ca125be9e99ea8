package dist

import (
	"fmt"
	"math"
)

// Kind names the family of a law.
type Kind uint8

// The families of the grammar. The zero Kind is a constant.
const (
	KindConstant Kind = iota
	KindUniform
	KindNormal
	KindExponential
	KindGamma
	KindLognormal
	KindHyperexponential
	KindEmpirical
)

// Unit tells what the numbers of a law are.
type Unit uint8

const (
	// Count is for lengths: plain numbers.
	Count Unit = iota
	// Duration is for times: a unit is written, nanoseconds are held.
	Duration
)

// Bounds of the parameters. MaxValue keeps every whole number exact in a
// float64 (104 days in nanoseconds); MaxSCV keeps third moments finite.
const (
	MaxValue = 1 << 53
	MaxSCV   = 1e6
)

// Dist is the law of a nonnegative random quantity: an immutable value, safe
// for concurrent use. Its zero value is the constant count 0.
type Dist struct {
	kind Kind
	unit Unit
	a, b float64    // parameters in the order of the grammar
	emp  *empirical // of KindEmpirical only
}

// Kind returns the family of the law.
func (d Dist) Kind() Kind { return d.kind }

// Unit returns what the numbers of the law are.
func (d Dist) Unit() Unit { return d.unit }

// As returns the same law with its numbers read as u. The constructors give
// counts: Exp(2e5) has mean 200,000, Exp(2e5) as a Duration has mean 200 µs.
func (d Dist) As(u Unit) Dist {
	d.unit = u
	return d
}

// Constant returns the law of which every draw is x, 0 ≤ x ≤ MaxValue.
func Constant(x float64) (Dist, error) {
	return make2(KindConstant, x, 0, value("the value", x))
}

// Uniform returns the uniform law on [low, high], 0 ≤ low ≤ high ≤ MaxValue.
func Uniform(low, high float64) (Dist, error) {
	err := firstOf(value("LOW", low), value("HIGH", high))
	if err == nil && low > high {
		err = fmt.Errorf("LOW %v is above HIGH %v; write the smaller first", low, high)
	}
	return make2(KindUniform, low, high, err)
}

// Normal returns the law of max(0, Z), Z normal with the given mean and
// standard deviation, both in [0, MaxValue]. Mean and Variance are those of
// the cut law, not of Z.
func Normal(mean, sd float64) (Dist, error) {
	return make2(KindNormal, mean, sd, firstOf(value("MEAN", mean), value("SD", sd)))
}

// Exp returns the exponential law with the given mean in [0, MaxValue].
func Exp(mean float64) (Dist, error) {
	return make2(KindExponential, mean, 0, value("MEAN", mean))
}

// Gamma returns the gamma law of shape 1/scv, scv in [0, MaxSCV]; 0 makes it
// a constant, 1 an exponential law.
func Gamma(mean, scv float64) (Dist, error) {
	return make2(KindGamma, mean, scv, firstOf(value("MEAN", mean), ratio(scv, 0)))
}

// Lognormal returns the lognormal law, scv in [0, MaxSCV].
func Lognormal(mean, scv float64) (Dist, error) {
	return make2(KindLognormal, mean, scv, firstOf(value("MEAN", mean), ratio(scv, 0)))
}

// Hyperexp returns the two-phase hyperexponential law with balanced means,
// scv in [1, MaxSCV]. A draw is exponential with rate 2p/mean with probability
// p and with rate 2(1−p)/mean otherwise, p = (1 + √((scv−1)/(scv+1)))/2, so
// that each phase carries half the mean.
func Hyperexp(mean, scv float64) (Dist, error) {
	return make2(KindHyperexponential, mean, scv, firstOf(value("MEAN", mean), ratio(scv, 1)))
}

func make2(k Kind, a, b float64, err error) (Dist, error) {
	if err != nil {
		return Dist{}, err
	}
	return Dist{kind: k, a: a, b: b}, nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// value checks one parameter; NaN fails the comparison too.
func value(name string, x float64) error {
	if !(x >= 0 && x <= MaxValue) {
		return fmt.Errorf("%s is %v; it must be from 0 to 2^53", name, x)
	}
	return nil
}

func ratio(scv, least float64) error {
	if !(scv >= least && scv <= MaxSCV) {
		return fmt.Errorf("SCV is %v; it must be from %v to %v", scv, least, MaxSCV)
	}
	return nil
}

// phase returns the probability p of the more likely phase of Hyperexp.
func phase(scv float64) float64 {
	return (1 + math.Sqrt((scv-1)/(scv+1))) / 2
}
