package arrival

import (
	"math"
	"math/big"
	"strings"
	"testing"
)

func rate(t testing.TB, s string) Rate {
	t.Helper()
	r, err := ParseRate(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]struct {
		canonical string
		value     float64
	}{
		"1000":        {"1000", 1000},
		"0.5":         {"0.5", 0.5},
		"2.5e3":       {"2500", 2500},
		"0.000001":    {"0.000001", 1e-6},
		"1e8":         {"100000000", 1e8},
		"333.3333333": {"333.3333333", 333.3333333},
	} {
		r := rate(t, text)
		if r.String() != want.canonical || r.Float64() != want.value {
			t.Errorf("%q is %v = %v, want %s = %v", text, r, r.Float64(), want.canonical, want.value)
		}
	}
}

func TestParseRateFaults(t *testing.T) {
	for text, says := range map[string]string{
		"":              "is no number",
		"fast":          "is no number",
		"0x10":          "is no number",
		"1/3":           "is no number",
		"NaN":           "is no number",
		"1e999999999":   "is no number",
		"0":             "out of range",
		"-5":            "out of range",
		"2e8":           "out of range",
		"1e-7":          "out of range",
		"0.1234567891":  "more than nine decimals",
		"1e-999999999":  "out of range",
		"0e-9999999999": "out of range",
	} {
		if r, err := ParseRate(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, error %v does not say %q", text, r, err, says)
		}
	}
}

func TestRateOf(t *testing.T) {
	r, err := RateOf(1000. / 3)
	if err != nil || r.String() != "333.333333333" {
		t.Errorf("RateOf(1000/3) = %v, %v", r, err)
	}
	if _, err := RateOf(math.NaN()); err == nil {
		t.Error("RateOf(NaN) gives no error")
	}
}

func TestRateText(t *testing.T) {
	for _, r := range []Rate{{}, rate(t, "0.5"), rate(t, "123456.789")} {
		text, _ := r.MarshalText()
		back := rate(t, "7")
		if err := back.UnmarshalText(text); err != nil || back != r {
			t.Errorf("%v is written %q and read as %v, %v", r, text, back, err)
		}
	}
}

// instant and before are the exact rational floor and its inverse, for small
// and enormous arguments.
func FuzzGrid(f *testing.F) {
	f.Add(uint64(3000)*rateUnit, int64(1_000_000_000))
	f.Add(uint64(1000), int64(math.MaxInt64))
	f.Add(uint64(100_000_000)*rateUnit, int64(0))
	f.Fuzz(func(t *testing.T, billionths uint64, i int64) {
		billionths = 1000 + billionths%(100_000_000*rateUnit-1000)
		i &= math.MaxInt64
		g := newRate(billionths).grid()
		want := new(big.Int).Mul(big.NewInt(i), big.NewInt(rateUnit*rateUnit))
		want.Div(want, new(big.Int).SetUint64(billionths))
		if !want.IsInt64() {
			want.SetInt64(math.MaxInt64)
		}
		at := g.instant(i)
		if at != want.Int64() {
			t.Fatalf("instant %d at %d e-9/s is %d, want %v", i, billionths, at, want)
		}
		if at == math.MaxInt64 {
			return
		}
		// Below 10⁹/s instants differ, so exactly i of them come before this.
		if n := g.before(at); n != i {
			t.Fatalf("%d instants before instant %d", n, i)
		}
		if n := g.before(at + 1); n != i+1 {
			t.Fatalf("%d instants up to instant %d", n, i)
		}
	})
}
