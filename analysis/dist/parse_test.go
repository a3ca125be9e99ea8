package dist

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, canonical string
		unit            Unit
		mean            float64
		why             string
	}{
		{"128", "128", Count, 128, "a bare number is a constant"},
		{"2.5e3", "2500", Count, 2500, "decimal exponents are fine"},
		{"0", "0", Count, 0, "nothing"},
		{" exp( 20 ) ", "exp(20)", Count, 20, "blanks do not matter"},
		{"uniform(64,256)", "uniform(64,256)", Count, 160, "two counts"},
		{"200us", "200us", Duration, 200e3, "nanoseconds inside"},
		{"200µs", "200us", Duration, 200e3, "the other spelling"},
		{"0.3ms", "300us", Duration, 300e3, "exact, though 0.3 is no binary fraction"},
		{"1.5e-3ms", "1.5us", Duration, 1500, "an exponent before a unit"},
		{"0", "0s", Duration, 0, "0 needs no unit"},
		{"0s", "0s", Duration, 0, "but may have one"},
		{"2m", "120s", Duration, 120e9, "minutes"},
		{"1h", "3600s", Duration, 3600e9, "hours"},
		{"gamma(5ms,0.5)", "gamma(5ms,0.5)", Duration, 5e6, "an SCV has no unit"},
		{"normal(1s,1ms)", "normal(1s,1ms)", Duration, 1e9, "an SD has one"},
		{"hyperexp(1ms,4)", "hyperexp(1ms,4)", Duration, 1e6, ""},
		{"lognormal(10,1)", "lognormal(10,1)", Count, 10, ""},
		{"file:testdata/waits.txt", "file:testdata/waits.txt", Duration, 1.5e6, "1ms and 2ms"},
	} {
		d, err := Parse(c.text, c.unit)
		if err != nil {
			t.Errorf("%q: %v (%s)", c.text, err, c.why)
			continue
		}
		if d.String() != c.canonical || !near(d.Mean(), c.mean, 1e-12) || d.Unit() != c.unit {
			t.Errorf("%q is %v with mean %v, want %s with %v (%s)", c.text, d, d.Mean(), c.canonical, c.mean, c.why)
		}
	}
}

// Each fault is told by what, where and how to mend it.
func TestParseFaults(t *testing.T) {
	for _, c := range []struct {
		text string
		unit Unit
		says string
	}{
		{"", Count, "a number is missing; write 128, uniform(LOW,HIGH)"},
		{"abc", Count, `"abc" is no number; write 128`},
		{"abc", Duration, `"abc" is no duration like 200us`},
		{"5", Duration, `"5" has no unit; a duration is written like 200us`},
		{"5ms", Count, `"5ms" is no number`},
		{"-1", Count, `"-1" is -1; it must be from 0 to 2^53`},
		{"NaN", Count, "is no number"},
		{"Inf", Count, "is no number"},
		{"1e400", Count, "is no number"},
		{"0x10", Count, "is no number"},
		{"1_000", Count, "is no number"},
		{"1e16", Count, "must be from 0 to 2^53"},
		{"3000h", Duration, "must be from 0 to 2^53"},
		{"gama(5,2)", Count, `unknown law "gama"; write 128, uniform(LOW,HIGH)`},
		{"gamma(5)", Count, "write it as gamma(MEAN,SCV)"},
		{"gamma(5,2", Count, "write it as gamma(MEAN,SCV)"},
		{"exp(5,2)", Count, "write it as exp(MEAN)"},
		{"gamma(5,)", Count, "SCV: a number is missing"},
		{"gamma(5,-2)", Count, `SCV: "-2" is -2`},
		{"gamma(5ms,2ms)", Duration, `SCV: "2ms" is no number`},
		{"gamma(5,1e7)", Count, "SCV is 1e+07; it must be from 0 to 1e+06"},
		{"hyperexp(5,0.5)", Count, "SCV is 0.5; it must be from 1 to 1e+06"},
		{"uniform(9,2)", Count, "LOW 9 is above HIGH 2"},
		{"file:testdata/none.txt", Count, "no such file"},
		{"file:testdata", Count, "not a regular file"},
		{"file:/dev/zero", Count, "not a regular file"},
	} {
		_, err := Parse(c.text, c.unit)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: error %v does not say %q", c.text, err, c.says)
		}
	}
}

func TestFileFaultsNameTheLine(t *testing.T) {
	for content, says := range map[string]string{
		"1\n# note\nx\n": `line 3: "x" is no number`,
		"# only\n\n":     "no value in it",
		"1\n-2\n":        "line 2",
	} {
		path := filepath.Join(t.TempDir(), "values.txt")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("file:"+path, Count); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v does not say %q", content, err, says)
		}
	}
}

func TestConstructorsRefuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []func() (Dist, error){
		func() (Dist, error) { return Constant(nan) },
		func() (Dist, error) { return Constant(-1) },
		func() (Dist, error) { return Exp(inf) },
		func() (Dist, error) { return Uniform(0, nan) },
		func() (Dist, error) { return Normal(1, inf) },
		func() (Dist, error) { return Gamma(1, nan) },
		func() (Dist, error) { return Lognormal(nan, 1) },
		func() (Dist, error) { return Hyperexp(1, 0.99) },
	} {
		if d, err := c(); err == nil {
			t.Errorf("%v was accepted", d)
		}
	}
}

func TestJSON(t *testing.T) {
	type settings struct{ Length, Wait, Off, None Dist }
	in := settings{
		Length: parsed(t, "uniform(64,256)", Count),
		Wait:   parsed(t, "gamma(5ms,4)", Duration),
		Off:    parsed(t, "0", Duration),
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Length":"uniform(64,256)","Wait":"gamma(5ms,4)","Off":"0s","None":"0"}`
	if string(text) != want {
		t.Errorf("JSON %s, want %s", text, want)
	}
	var out settings
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	if out != in {
		t.Errorf("read back %v, want %v", out, in)
	}
}

// The reading that goes further speaks: durations when a unit is there.
func TestUnmarshalFaults(t *testing.T) {
	for text, says := range map[string]string{
		"gamma(5ms,-1)": `SCV: "-1" is -1`,
		"gamma(5,-1)":   `SCV: "-1" is -1`,
		"gamma(5mms,1)": `"5mms" is no duration`,
	} {
		var d Dist
		if err := d.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v does not say %q", text, err, says)
		}
	}
}

// Any duration of whole nanoseconds that time.Duration can write is read
// back exactly.
func TestDurationsAreExact(t *testing.T) {
	for _, ns := range []time.Duration{1, 999, 1001, 123456789, 1234567891234567, time.Hour + 1} {
		d := must(t)(Constant(float64(ns))).As(Duration)
		if back := parsed(t, d.String(), Duration); back != d {
			t.Errorf("%d ns is written %s and read as %v", ns, d, back)
		}
	}
}

// FuzzParse: no input panics, and what is accepted is written and read back
// as the same law with finite, consistent moments.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"128", "200us", "uniform(64,256)", "normal(5ms,1ms)", "exp(0)", "gamma(1,0.5)", "lognormal(3s,2)",
		"hyperexp(1,4)", "file:testdata/lengths.txt", "((", "exp(", "1e", "-0", "0s", ".5ms", "5.ns", "µs",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, durations bool) {
		if strings.HasPrefix(strings.TrimSpace(s), "file:") && !strings.Contains(s, "testdata") {
			return
		}
		u := Count
		if durations {
			u = Duration
		}
		d, err := Parse(s, u)
		if err != nil {
			return
		}
		back, err := Parse(d.String(), u)
		if err != nil {
			t.Fatalf("%q is written %q: %v", s, d, err)
		}
		if d.Kind() != KindEmpirical && back != d {
			t.Fatalf("%q became %#v, then %#v", s, d, back)
		}
		if m2, m := d.SecondMoment(), d.Mean(); !(m >= 0 && m2 >= m*m*(1-1e-9) && !math.IsInf(d.ThirdMoment(), 0)) {
			t.Fatalf("%q has moments %v %v %v", s, m, m2, d.ThirdMoment())
		}
	})
}
