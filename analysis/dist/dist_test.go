package dist

import (
	"math"
	"math/rand/v2"
	"testing"
)

// must unwraps a constructor: must(Exp(5)).
func must(t testing.TB) func(Dist, error) Dist {
	return func(d Dist, err error) Dist {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

// near reports whether got is want within a relative error.
func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(math.Abs(want), 1e-300)
}

func parsed(t testing.TB, s string, u Unit) Dist {
	t.Helper()
	return must(t)(Parse(s, u))
}

func TestMoments(t *testing.T) {
	for _, c := range []struct {
		law                 string
		mean, second, third float64
		why                 string
	}{
		{"5", 5, 25, 125, "a constant to every power"},
		{"uniform(2,4)", 3, 28. / 3, 30, "∫x²/2 = (64−8)/6, ∫x³/2 = (256−16)/8 over 2..4"},
		{"exp(2)", 2, 8, 48, "k!·2^k"},
		{"gamma(2,0.5)", 2, 6, 24, "shape 2, scale 1: 2, 2·3, 2·3·4"},
		{"gamma(2,0)", 2, 4, 8, "SCV 0 is the constant"},
		{"lognormal(2,0.5)", 2, 6, 27, "m²·1.5, m³·1.5³"},
		{"hyperexp(1,1)", 1, 2, 6, "SCV 1 is exponential"},
		{"hyperexp(1,3)", 1, 4, 36, "p = (1+√½)/2: second 1/(2p(1−p)) = 4, third ¾(1−2q)/q² = 36 with q = p(1−p) = 1/8"},
		{"normal(0,1)", 1 / math.Sqrt(2*math.Pi), 0.5, 2 / math.Sqrt(2*math.Pi), "half normal, half mass at 0"},
		{"normal(1000000,1)", 1e6, 1e12 + 1, 1e18 + 3e6, "far from 0 nothing is cut: μ²+σ², μ³+3μσ²"},
		{"normal(3,0)", 3, 9, 27, "no spread"},
		{"exp(0)", 0, 0, 0, "the constant 0"},
		{"file:testdata/lengths.txt", 2, 5, 14, "values 1, 1, 3, 3: (1+9)/2, (1+27)/2"},
	} {
		d := parsed(t, c.law, Count)
		if !near(d.Mean(), c.mean, 1e-12) || !near(d.SecondMoment(), c.second, 1e-12) || !near(d.ThirdMoment(), c.third, 1e-12) {
			t.Errorf("%s: moments %v %v %v, want %v %v %v (%s)", c.law,
				d.Mean(), d.SecondMoment(), d.ThirdMoment(), c.mean, c.second, c.third, c.why)
		}
	}
}

func TestSCV(t *testing.T) {
	for law, want := range map[string]float64{
		"7": 0, "exp(7)": 1, "gamma(7,0.25)": 0.25, "lognormal(7,4)": 4, "hyperexp(7,4)": 4,
		"uniform(0,2)": 1. / 3, "normal(1000,100)": 0.01, "0": 0,
	} {
		if got := parsed(t, law, Count).SCV(); !near(got, want, 1e-9) {
			t.Errorf("SCV of %s is %v, want %v", law, got, want)
		}
	}
}

// The variance of a hardly cut normal law is σ² to all digits although the
// mean is a million times larger.
func TestCutVarianceKeepsDigits(t *testing.T) {
	if got := must(t)(Normal(1e6, 1)).Variance(); got != 1 {
		t.Errorf("variance %v, want exactly 1", got)
	}
}

// Sample means of X, X² and X³ lie within 5 standard errors of the stated
// moments (a miss of one in two million each, and the seed is fixed).
func TestSamplesFollowMoments(t *testing.T) {
	const n = 200_000
	for _, law := range []string{
		"3", "uniform(1,4)", "normal(1,1)", "normal(9,2)", "exp(2)", "gamma(2,0.3)", "gamma(2,1)", "gamma(2,3)",
		"lognormal(2,0.5)", "hyperexp(2,4)", "file:testdata/lengths.txt",
	} {
		d := parsed(t, law, Count)
		r := rand.New(rand.NewPCG(1, 2))
		var sum [7]float64 // power sums 0..6
		for range n {
			x := d.Sample(r)
			for k, power := 0, 1.0; k < len(sum); k++ {
				sum[k] += power
				power *= x
			}
		}
		for k, want := range []float64{1, d.Mean(), d.SecondMoment(), d.ThirdMoment()} {
			mean := sum[k] / n
			se := math.Sqrt(max(0, sum[2*k]/n-mean*mean) / n)
			if math.Abs(mean-want) > 5*se+1e-9*want {
				t.Errorf("%s: moment %d of the samples is %v, stated %v, standard error %v", law, k, mean, want, se)
			}
		}
	}
}

// The draws of a seed are part of the contract: schedules and truth logs are
// recomputed from it. These figures must never change.
func TestDrawsAreFixed(t *testing.T) {
	want := map[string]int64{
		"uniform(0s,1ms)": 181409, // the first uniform number of the seed is 0.181409
		"exp(1ms)":        200171, // −ln(1−0.181409)
		"gamma(1ms,0.5)":  678214, "gamma(1ms,4)": 21,
		"lognormal(1ms,1)": 570908, "hyperexp(1ms,4)": 1112054, "normal(1ms,1ms)": 743016,
	}
	for law, ns := range want {
		r := rand.New(rand.NewPCG(7, 7))
		if got := parsed(t, law, Duration).Duration(r); int64(got) != ns {
			t.Errorf("first draw of %s is %d ns, want %d", law, got, ns)
		}
	}
}

func TestIntRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for x, want := range map[float64]int64{0: 0, 0.4: 0, 0.5: 1, 2.5: 3, 1 << 53: 1 << 53} {
		if got := must(t)(Constant(x)).Int(r); got != want {
			t.Errorf("Int of constant %v is %d, want %d", x, got, want)
		}
	}
	if got := whole(1e300); got != 1<<62 {
		t.Errorf("an enormous draw becomes %d, want 2^62", got)
	}
}

func TestSampleDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, law := range []string{"1", "uniform(1,2)", "normal(1,1)", "exp(1)", "gamma(1,2)", "lognormal(1,2)", "hyperexp(1,2)", "file:testdata/lengths.txt"} {
		d := parsed(t, law, Count)
		if n := testing.AllocsPerRun(100, func() { d.Sample(r) }); n != 0 {
			t.Errorf("%s: %v allocations a sample, want 0", law, n)
		}
	}
}
