package queueing

import (
	"errors"
	"math"
	"testing"
)

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want)
}

// value is a formula's answer in a table.
type value func() (float64, error)

// Answers worked out by hand, most of them exercises of the textbooks.
func TestByHand(t *testing.T) {
	exp := func(mean float64) Moments { return Moments{mean, 2 * mean * mean, 6 * mean * mean * mean} }
	constant := func(x float64) Moments { return Moments{x, x * x, x * x * x} }
	for _, c := range []struct {
		why  string
		get  value
		want float64
	}{
		{"M/M/1, ρ = ½: W = ½·1/½", func() (float64, error) { return MM1(0.5, 1) }, 1},
		{"M/M/1, ρ = 0.8: the 4.0 of thinning", func() (float64, error) { return MM1(0.8, 1) }, 4},
		{"M/D/1 waits half of M/M/1", func() (float64, error) { return MD1(0.8, 1) }, 2},
		{"M/G/1, λ = 3/h, S uniform on 0…20 min, E[S²] = 400/3: 0.05·133.3/(2·½) min",
			func() (float64, error) { return MG1(0.05, Moments{10, 400. / 3, 0}) }, 20. / 3},
		{"M/G/1, hyperexponential of SCV 4 at ρ = ½: 0.5·5/(2·0.5)", func() (float64, error) { return MG1(0.5, Moments{1, 5, 0}) }, 2.5},
		{"second moment, M/M/1 at ρ = ½: P(W>x) = ρe^(−x/2), so 2ρ·4", func() (float64, error) { return MG1Second(0.5, exp(1)) }, 4},
		{"second moment, M/D/1 at ρ = ½: 2·¼ + 0.5/(3·0.5)", func() (float64, error) { return MG1Second(0.5, constant(1)) }, 0.5 + 1./3},
		{"p99 of M/M/1 at ρ = ½: −2·ln(0.01/ρ)", func() (float64, error) { return MG1Quantile(0.5, exp(1), 0.99) }, 2 * math.Log(50)},
		{"p50 at ρ = ½: half do not wait", func() (float64, error) { return MG1Quantile(0.5, exp(1), 0.5) }, 0},
		{"Welch without an exception is M/G/1", func() (float64, error) { return Welch(0.5, exp(1), exp(1)) }, 1},
		// S₀ = 2, S = 1, λ = ½: p₀ = 0.5/(0.5+1) = ⅓, E[S²] = ⅓·4+⅔·1 = 2, W = ½·2/(2·½).
		{"Welch, constants 2 and 1 at λ = ½", func() (float64, error) { return Welch(0.5, constant(2), constant(1)) }, 1},
		{"the same from the mixed moment", func() (float64, error) { return WelchMixed(0.5, 1, 2) }, 1},
		// Batches of exactly 2, S = 1, λ = ½: the second of a pair waits 1 for
		// the first, so the pair is M/D/1 with service 2 at λ_b = ¼, W = ¼·4/(2·½) = 1, plus ½.
		{"pairs", func() (float64, error) {
			return MXG1Setup(Batches{0.5, constant(1), Moments{Mean: 2, Second: 4}, Moments{}})
		}, 1.5},
		// U = 1, λ = ½, S = 1: M/D/1 ½, plus (2+½)/(2·1.5) = 5/6.
		{"set-up of 1", func() (float64, error) {
			return MXG1Setup(Batches{0.5, constant(1), constant(1), constant(1)})
		}, 0.5 + 5./6},
		// p₀ = 0.5/1.5 = ⅓ of events carry the set-up as service.
		{"set-up as service is Welch with S₀ = 2", func() (float64, error) {
			return MXG1SetupServed(Batches{0.5, constant(1), constant(1), constant(1)})
		}, 1},
		{"Erlang C, m = 2, a = 1", func() (float64, error) { return ErlangC(2, 1) }, 1. / 3},
		{"Erlang C, m = 1 is ρ", func() (float64, error) { return ErlangC(1, 0.7) }, 0.7},
		{"M/M/2 at ρ = ½: C·E[S]/(m(1−ρ)) = ⅓", func() (float64, error) { return MMm(1, 1, 2) }, 1. / 3},
		{"M/G/1 from M/G/m", func() (float64, error) { return MGm(0.5, Moments{1, 5, 0}, 1) }, 2.5},
		{"M/D/2 takes half of M/M/2", func() (float64, error) { return MGm(1, constant(1), 2) }, 1. / 6},
		{"G/G/1 with c_a² = 1 is M/G/1", func() (float64, error) { return GG1(0.5, 1, Moments{1, 5, 0}) }, 2.5},
		{"D/D/1 does not wait", func() (float64, error) { return GG1(0.5, 0, constant(1)) }, 0},
		{"work in M/D/1: E[SW] = ½, ½·(½+½)", func() (float64, error) { return Workload(0.5, 0.5, 1) }, 0.5},
		{"nothing comes", func() (float64, error) { return MG1(0, exp(1)) }, 0},
		{"nothing comes to m servers", func() (float64, error) { return MGm(0, exp(1), 4) }, 0},
		{"service takes no time", func() (float64, error) { return GG1(5, 1, Moments{}) }, 0},
	} {
		got, err := c.get()
		if err != nil || !near(got, c.want, 1e-9) {
			t.Errorf("%s: %v, %v, want %v", c.why, got, err, c.want)
		}
	}
}

// Erlang C with 10 servers at 8 Erlang is 0.4092 in the tables; the recursion
// also stands where factorials overflow.
func TestErlangC(t *testing.T) {
	if c, err := ErlangC(10, 8); err != nil || math.Abs(c-0.4092) > 5e-5 {
		t.Errorf("C(10, 8) = %v, %v, want 0.4092", c, err)
	}
	if c, err := ErlangC(1000, 900); err != nil || !(c > 0 && c < 0.01) {
		t.Errorf("C(1000, 900) = %v, %v", c, err)
	}
}

func TestUnstableIsAnError(t *testing.T) {
	m := Moments{1, 2, 6}
	for name, get := range map[string]value{
		"MG1":         func() (float64, error) { return MG1(1, m) },
		"MM1":         func() (float64, error) { return MM1(2, 1) },
		"MD1":         func() (float64, error) { return MD1(1, 1) },
		"MG1Second":   func() (float64, error) { return MG1Second(1, m) },
		"MG1Quantile": func() (float64, error) { return MG1Quantile(1, m, 0.5) },
		"Welch":       func() (float64, error) { return Welch(1, m, m) },
		"WelchMixed":  func() (float64, error) { return WelchMixed(1, 1, 2) },
		"MXG1Setup":   func() (float64, error) { return MXG1Setup(Batches{1, m, Moments{1, 1, 1}, m}) },
		"ErlangC":     func() (float64, error) { return ErlangC(2, 2) },
		"MMm":         func() (float64, error) { return MMm(2, 1, 2) },
		"MGm":         func() (float64, error) { return MGm(3, m, 2) },
		"GG1":         func() (float64, error) { return GG1(1, 1, m) },
	} {
		if w, err := get(); !errors.Is(err, ErrUnstable) {
			t.Errorf("%s at ρ ≥ 1 gives %v, %v", name, w, err)
		}
	}
}

func TestImpossibleIsAnError(t *testing.T) {
	ok, nan, inf := Moments{1, 2, 6}, math.NaN(), math.Inf(1)
	one := Moments{1, 1, 1}
	for why, get := range map[string]value{
		"negative λ":             func() (float64, error) { return MG1(-1, ok) },
		"λ is NaN":               func() (float64, error) { return MG1(nan, ok) },
		"λ is infinite":          func() (float64, error) { return MG1(inf, Moments{}) },
		"negative mean":          func() (float64, error) { return MG1(0.1, Moments{-1, 2, 6}) },
		"second below mean²":     func() (float64, error) { return MG1(0.1, Moments{1, 0.5, 6}) },
		"no third moment given":  func() (float64, error) { return MG1Second(0.1, Moments{1, 2, 0}) },
		"quantile 1":             func() (float64, error) { return MG1Quantile(0.1, ok, 1) },
		"quantile NaN":           func() (float64, error) { return MG1Quantile(0.1, ok, nan) },
		"first service infinite": func() (float64, error) { return Welch(0.1, Moments{inf, inf, 0}, ok) },
		"rest impossible":        func() (float64, error) { return Welch(0.1, ok, Moments{2, 1, 0}) },
		"mixed NaN":              func() (float64, error) { return WelchMixed(0.1, nan, 1) },
		"batches of none":        func() (float64, error) { return MXG1Setup(Batches{0.1, ok, Moments{}, ok}) },
		"batches of a half":      func() (float64, error) { return MXG1Setup(Batches{0.1, ok, Moments{0.5, 0.5, 0}, ok}) },
		"impossible set-up":      func() (float64, error) { return MXG1SetupServed(Batches{0.1, ok, one, Moments{2, 1, 0}}) },
		"no server":              func() (float64, error) { return MGm(0.1, ok, 0) },
		"negative Erlang":        func() (float64, error) { return ErlangC(2, -1) },
		"negative arrival SCV":   func() (float64, error) { return GG1(0.1, -1, ok) },
		"impossible service":     func() (float64, error) { return GG1(0.1, 1, Moments{2, 1, 0}) },
		"impossible in M/G/m":    func() (float64, error) { return MGm(0.1, Moments{2, 1, 0}, 2) },
		"negative work":          func() (float64, error) { return Workload(1, -1, 1) },
	} {
		if w, err := get(); err == nil || errors.Is(err, ErrUnstable) {
			t.Errorf("%s gives %v, %v", why, w, err)
		}
	}
}

// The form of Welch in measured moments is the theoretical one with the share
// of idle arrivals put in; and batches of one with set-up served are Welch.
func TestWelchFormsAgree(t *testing.T) {
	for _, lambda := range []float64{0.1, 0.5, 0.9} {
		s, u := Moments{1, 2, 6}, Moments{0.5, 0.4, 0.5}
		first := Moments{Mean: s.Mean + u.Mean, Second: s.Second + 2*s.Mean*u.Mean + u.Second}
		welch, err := Welch(lambda, first, s)
		if err != nil {
			t.Fatal(err)
		}
		served, err := MXG1SetupServed(Batches{lambda, s, Moments{1, 1, 1}, u})
		if err != nil || !near(served, welch, 1e-12) {
			t.Errorf("λ = %v: Welch %v, set-up as service %v, %v", lambda, welch, served, err)
		}
	}
}
