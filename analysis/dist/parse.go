package dist

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Parse reads one law of the grammar (see the package comment) with numbers
// of unit u. The error is one sentence that quotes the text and says how to
// mend it. file:PATH reads the file.
func Parse(s string, u Unit) (Dist, error) {
	d, err := parse(strings.TrimSpace(s), u)
	if err != nil {
		return Dist{}, fmt.Errorf("distribution %q: %w", s, err)
	}
	return d, nil
}

func parse(s string, u Unit) (Dist, error) {
	if path, ok := strings.CutPrefix(s, "file:"); ok {
		return loadFile(path, u)
	}
	name, args, call := strings.Cut(s, "(")
	if !call {
		return parseConstant(s, u)
	}
	law, ok := laws[strings.TrimSpace(name)]
	if !ok {
		return Dist{}, fmt.Errorf("unknown law %q; %s", name, grammar(u))
	}
	args, closed := strings.CutSuffix(args, ")")
	fields := strings.Split(args, ",")
	if !closed || len(fields) != len(law.args) {
		return Dist{}, fmt.Errorf("write it as %s(%s)", name, strings.Join(law.args, ","))
	}
	return law.parse(fields, u)
}

func parseConstant(s string, u Unit) (Dist, error) {
	x, err := number(s, u)
	if err != nil {
		return Dist{}, fmt.Errorf("%w; %s", err, grammar(u))
	}
	d, err := Constant(x)
	return d.As(u), err
}

// law is a row of the grammar: the names of its arguments and its constructor.
type law struct {
	args []string
	make func(a, b float64) (Dist, error)
}

var laws = map[string]law{
	"uniform":   {[]string{"LOW", "HIGH"}, Uniform},
	"normal":    {[]string{"MEAN", "SD"}, Normal},
	"exp":       {[]string{"MEAN"}, func(a, _ float64) (Dist, error) { return Exp(a) }},
	"gamma":     {[]string{"MEAN", "SCV"}, Gamma},
	"lognormal": {[]string{"MEAN", "SCV"}, Lognormal},
	"hyperexp":  {[]string{"MEAN", "SCV"}, Hyperexp},
}

var names = map[Kind]string{
	KindUniform: "uniform", KindNormal: "normal", KindExponential: "exp",
	KindGamma: "gamma", KindLognormal: "lognormal", KindHyperexponential: "hyperexp",
}

func (l law) parse(fields []string, u Unit) (Dist, error) {
	var x [2]float64
	for i, field := range fields {
		var err error
		if x[i], err = number(strings.TrimSpace(field), l.unit(i, u)); err != nil {
			return Dist{}, fmt.Errorf("%s: %w", l.args[i], err)
		}
	}
	d, err := l.make(x[0], x[1])
	return d.As(u), err
}

// unit returns the unit of argument i: an SCV has none.
func (l law) unit(i int, u Unit) Unit {
	if l.args[i] == "SCV" {
		return Count
	}
	return u
}

func grammar(u Unit) string {
	example := "128"
	if u == Duration {
		example = "200us"
	}
	return "write " + example + ", uniform(LOW,HIGH), normal(MEAN,SD), exp(MEAN), " +
		"gamma(MEAN,SCV), lognormal(MEAN,SCV), hyperexp(MEAN,SCV) or file:PATH"
}

// units of a duration, longest first, as powers of ten of a nanosecond times
// a whole factor. The suffix "s" ends most others, so it is looked for last.
var units = []struct {
	suffix string
	power  int
	factor float64
}{
	{"ns", 0, 1}, {"us", 3, 1}, {"µs", 3, 1}, {"ms", 6, 1}, {"h", 9, 3600}, {"m", 9, 60}, {"s", 9, 1},
}

// errNoUnit tells a bare number in a duration from other faults, so that
// UnmarshalText knows which of its two readings went further.
var errNoUnit = errors.New("has no unit")

// number reads one nonnegative number: plain for a Count, with a unit for a
// Duration (0 needs none).
func number(s string, u Unit) (float64, error) {
	if s == "" {
		return 0, errors.New("a number is missing")
	}
	x, err := decimal(s, 0)
	switch {
	case u == Duration && err == nil && x != 0:
		return 0, fmt.Errorf("%q %w; a duration is written like 200us, 5ms or 1s", s, errNoUnit)
	case u == Duration && err != nil:
		x, err = duration(s)
	}
	if err != nil {
		return 0, err
	}
	return max(x, 0), value(strconv.Quote(s), x) // max turns −0 into 0
}

func duration(s string) (float64, error) {
	for _, unit := range units {
		if digits, ok := strings.CutSuffix(s, unit.suffix); ok {
			x, err := decimal(digits, unit.power)
			if err != nil {
				return 0, fmt.Errorf("%q is no duration like 200us, 5ms or 1s", s)
			}
			return x * unit.factor, nil
		}
	}
	return 0, fmt.Errorf("%q is no duration like 200us, 5ms or 1s", s)
}

// decimal returns s·10^power, rounded once: 0.3 with power 6 is 300000 to the
// last bit, where 0.3·1e6 in floating point need not be. Hexadecimal, Inf,
// NaN and digit separators are refused.
func decimal(s string, power int) (float64, error) {
	bad := fmt.Errorf("%q is no number", s)
	if s == "" || strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, bad
	}
	mantissa, exponent, has := strings.Cut(strings.ToLower(s), "e")
	e := 0
	if has {
		var err error
		if e, err = strconv.Atoi(exponent); err != nil {
			return 0, bad
		}
	}
	x, err := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(e+power), 64)
	if err != nil {
		return 0, bad
	}
	return x, nil
}
