package dist

import (
	"errors"
	"strconv"
	"strings"
)

// String writes the law in the grammar; Parse with the law's own Unit gives
// the same law back.
func (d Dist) String() string {
	switch d.kind {
	case KindConstant:
		return format(d.a, d.unit)
	case KindEmpirical:
		return "file:" + d.emp.path
	}
	name := names[d.kind]
	l := laws[name]
	args := make([]string, len(l.args))
	for i, x := range []float64{d.a, d.b}[:len(args)] {
		args[i] = format(x, l.unit(i, d.unit))
	}
	return name + "(" + strings.Join(args, ",") + ")"
}

// MarshalText writes the law as String does, so that JSON and YAML hold it as
// the user wrote it. A duration always bears its unit ("0s" for nothing).
func (d Dist) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote. The text tells counts from
// durations; where a caller needs one of them it checks Unit, or uses Parse.
func (d *Dist) UnmarshalText(text []byte) error {
	counts, err := Parse(string(text), Count)
	if err == nil {
		*d = counts
		return nil
	}
	durations, durationErr := Parse(string(text), Duration)
	switch {
	case errors.Is(durationErr, errNoUnit):
		return err
	case durationErr != nil:
		return durationErr
	}
	*d = durations
	return nil
}

// format writes x in the longest unit that loses nothing.
func format(x float64, u Unit) string {
	if u == Count {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	for _, unit := range []struct {
		suffix string
		ns     float64
	}{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}} {
		s := strconv.FormatFloat(x/unit.ns, 'f', -1, 64) + unit.suffix
		if back, err := number(s, Duration); err == nil && back == x && (x >= unit.ns || x == 0) {
			return s
		}
	}
	return strconv.FormatFloat(x, 'g', -1, 64) + "ns"
}
