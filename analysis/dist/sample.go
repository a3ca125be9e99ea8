package dist

import (
	"math"
	"math/rand/v2"
	"time"
)

// Sample draws one value, in nanoseconds for a Duration. It does not allocate.
func (d Dist) Sample(r *rand.Rand) float64 {
	switch d.kind {
	case KindUniform:
		return d.a + (d.b-d.a)*r.Float64()
	case KindNormal:
		return max(0, d.a+d.b*normal(r))
	case KindExponential:
		return d.a * exponential(r)
	case KindGamma:
		return d.a * gamma(r, d.b)
	case KindLognormal:
		s2 := math.Log1p(d.b)
		return d.a * math.Exp(math.Sqrt(s2)*normal(r)-s2/2)
	case KindHyperexponential:
		return d.a * hyperexponential(r, d.b)
	case KindEmpirical:
		return d.emp.values[r.IntN(len(d.emp.values))]
	default:
		return d.a
	}
}

// Int draws one value and rounds it to the nearest whole number, half up.
func (d Dist) Int(r *rand.Rand) int64 { return whole(d.Sample(r)) }

// Duration draws one value of a Duration law, to the nearest nanosecond.
func (d Dist) Duration(r *rand.Rand) time.Duration { return time.Duration(whole(d.Sample(r))) }

// whole rounds x ≥ 0; what does not fit an int64 becomes 2^62.
func whole(x float64) int64 {
	return int64(min(math.Floor(x+0.5), 1<<62))
}

// exponential draws with mean 1 by inverse transform, −ln(1−U).
func exponential(r *rand.Rand) float64 { return -math.Log(1 - r.Float64()) }

// normal draws a standard normal by Marsaglia's polar method. The second of
// the pair is thrown away: keeping it would need state in an immutable value.
func normal(r *rand.Rand) float64 {
	for {
		u, v := 2*r.Float64()-1, 2*r.Float64()-1
		if s := u*u + v*v; s > 0 && s < 1 {
			return u * math.Sqrt(-2*math.Log(s)/s)
		}
	}
}

// gamma draws with mean 1 and the given SCV (shape 1/scv) by Marsaglia and
// Tsang, "A simple method for generating gamma variables", 2000. A shape
// below 1 is drawn at shape+1 and multiplied by U^(1/shape).
func gamma(r *rand.Rand, scv float64) float64 {
	switch {
	case scv == 0:
		return 1
	case scv == 1:
		return exponential(r)
	case scv > 1:
		shape := 1 / scv
		return scv * gammaShape(r, shape+1) * math.Pow(1-r.Float64(), scv)
	default:
		return scv * gammaShape(r, 1/scv)
	}
}

// gammaShape draws with scale 1 and shape ≥ 1, so with mean shape.
func gammaShape(r *rand.Rand, shape float64) float64 {
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := normal(r)
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-r.Float64()) < x*x/2+d*(1-v+math.Log(v)) {
			return d * v
		}
	}
}

// hyperexponential draws with mean 1: a phase of probability p has mean 1/(2p).
func hyperexponential(r *rand.Rand, scv float64) float64 {
	p := phase(scv)
	if r.Float64() >= p {
		p = 1 - p
	}
	return exponential(r) / (2 * p)
}
