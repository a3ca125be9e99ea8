package arrival

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Bounds of a rate in requests a second. Below MaxRate a whole nanosecond is
// at most a tenth of the mean gap, so rounding instants leaves the law alone.
const (
	MinRate = 1e-6
	MaxRate = 1e8
)

// rateUnit is the finest step of a rate: nine decimals.
const rateUnit = 1_000_000_000

// Rate is an exact decimal number of requests a second. The zero value means
// no rate (a closed loop). Rates compare with ==.
type Rate struct{ num, den uint64 } // in lowest terms

// ParseRate reads a decimal number such as 1000, 0.5 or 2.5e3, from MinRate
// to MaxRate, with at most nine decimals.
func ParseRate(s string) (Rate, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || len(s) > 40 || strings.Trim(s, "0123456789.eE+-") != "" {
		return Rate{}, fmt.Errorf("rate %q is no number; write requests a second, like 1000, 0.5 or 2.5e3", s)
	}
	if f < MinRate || f > MaxRate {
		return Rate{}, fmt.Errorf("rate %s is out of range; write requests a second from %v to %v", s, MinRate, MaxRate)
	}
	exact, _ := new(big.Rat).SetString(s)
	exact.Mul(exact, big.NewRat(rateUnit, 1))
	if !exact.IsInt() {
		return Rate{}, fmt.Errorf("rate %s has more than nine decimals; write fewer", s)
	}
	return newRate(exact.Num().Uint64()), nil
}

// RateOf returns the Rate nearest to f requests a second, rounded to nine
// decimals, for rates that were computed.
func RateOf(f float64) (Rate, error) {
	return ParseRate(strconv.FormatFloat(f, 'f', 9, 64))
}

// newRate takes billionths of a request a second.
func newRate(billionths uint64) Rate {
	g := gcd(billionths, rateUnit)
	return Rate{num: billionths / g, den: rateUnit / g}
}

// Float64 returns requests a second, 0 for no rate.
func (r Rate) Float64() float64 {
	if r.den == 0 {
		return 0
	}
	return float64(r.num) / float64(r.den)
}

// IsZero reports whether there is no rate.
func (r Rate) IsZero() bool { return r == Rate{} }

// String writes the exact decimal, "" for no rate.
func (r Rate) String() string {
	if r.IsZero() {
		return ""
	}
	whole, rest := r.num/r.den, r.num%r.den*(rateUnit/r.den)
	if rest == 0 {
		return strconv.FormatUint(whole, 10)
	}
	return strings.TrimRight(fmt.Sprintf("%d.%09d", whole, rest), "0")
}

// MarshalText writes the rate as String does.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText wrote; empty text is no rate.
func (r *Rate) UnmarshalText(text []byte) (err error) {
	*r = Rate{}
	if len(text) > 0 {
		*r, err = ParseRate(string(text))
	}
	return err
}

// grid is the schedule of a constant rate: instant i is ⌊i·step/per⌋ ns with
// step/per = 10⁹/rate in lowest terms, never i times a rounded period.
type grid struct{ step, per uint64 }

func (r Rate) grid() grid {
	step := rateUnit * r.den // at most 10^18
	g := gcd(step, r.num)
	return grid{step: step / g, per: r.num / g}
}

// instant returns ⌊i·step/per⌋, at most the largest int64.
func (g grid) instant(i int64) int64 {
	hi, lo := bits.Mul64(uint64(i), g.step)
	if hi >= g.per {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, g.per)
	return int64(min(q, math.MaxInt64))
}

// before returns how many instants are below ns: the least i with
// i·step ≥ ns·per, because ⌊x⌋ < ns exactly when x < ns.
func (g grid) before(ns int64) int64 {
	if ns <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(ns), g.per)
	if hi >= g.step {
		return math.MaxInt64
	}
	q, rest := bits.Div64(hi, lo, g.step)
	if rest > 0 {
		q++
	}
	return int64(min(q, math.MaxInt64))
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
