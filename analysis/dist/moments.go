package dist

import "math"

// Mean returns E[X], in nanoseconds for a Duration.
func (d Dist) Mean() float64 {
	switch d.kind {
	case KindUniform:
		return d.a + (d.b-d.a)/2
	case KindNormal:
		return d.a + d.b*cutExcess(d.a, d.b)
	case KindEmpirical:
		return d.emp.mean
	default:
		return d.a
	}
}

// Variance returns E[X²] − E[X]².
func (d Dist) Variance() float64 {
	switch d.kind {
	case KindUniform:
		return (d.b - d.a) * (d.b - d.a) / 12
	case KindNormal:
		return cutVariance(d.a, d.b)
	case KindExponential:
		return d.a * d.a
	case KindGamma, KindLognormal, KindHyperexponential:
		return d.a * d.a * d.b
	case KindEmpirical:
		return d.emp.variance
	default:
		return 0
	}
}

// SCV returns the squared coefficient of variation, Variance/Mean². It is 0
// for every law without variance, the constant 0 included.
func (d Dist) SCV() float64 {
	v := d.Variance()
	if v == 0 {
		return 0
	}
	m := d.Mean()
	return v / (m * m)
}

// SecondMoment returns E[X²].
func (d Dist) SecondMoment() float64 {
	m := d.Mean()
	return d.Variance() + m*m
}

// ThirdMoment returns E[X³], which the second moment of a wait needs. With
// mean m and SCV c: gamma m³(1+c)(1+2c), lognormal m³(1+c)³, hyperexponential
// with balanced means 3m³c(1+c); all three from the moments of their phases.
func (d Dist) ThirdMoment() float64 {
	m, c := d.a, d.b
	switch d.kind {
	case KindUniform:
		return (d.a + d.b) * (d.a*d.a + d.b*d.b) / 4
	case KindNormal:
		return cutThird(d.a, d.b)
	case KindExponential:
		return 6 * m * m * m
	case KindGamma:
		return m * m * m * (1 + c) * (1 + 2*c)
	case KindLognormal:
		return m * m * m * (1 + c) * (1 + c) * (1 + c)
	case KindHyperexponential:
		return 3 * m * m * m * c * (1 + c)
	case KindEmpirical:
		return d.emp.third
	default:
		return m * m * m
	}
}

// density and below are the standard normal density and distribution.
func density(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
func below(z float64) float64   { return math.Erfc(-z/math.Sqrt2) / 2 }

// cutExcess returns g = φ(z) − z·Φ(−z) with z = mean/sd: what cutting a
// normal law at 0 adds to its mean, in standard deviations.
func cutExcess(mean, sd float64) float64 {
	if sd == 0 {
		return 0
	}
	z := mean / sd
	return density(z) - z*below(-z)
}

// cutVariance returns sd²(Φ(z) − z·g − g²), g from cutExcess. The usual
// E[X²] − E[X]² is the same figure but loses all digits at large z.
func cutVariance(mean, sd float64) float64 {
	if sd == 0 {
		return 0
	}
	z, g := mean/sd, cutExcess(mean, sd)
	return sd * sd * (below(z) - z*g - g*g)
}

// cutThird returns E[max(0,Z)³] = (μ³+3μσ²)Φ(z) + (μ²σ+2σ³)φ(z).
func cutThird(mean, sd float64) float64 {
	if sd == 0 {
		return mean * mean * mean
	}
	z := mean / sd
	return mean*(mean*mean+3*sd*sd)*below(z) + sd*(mean*mean+2*sd*sd)*density(z)
}
