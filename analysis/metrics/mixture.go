package metrics

import "math"

// fineBits is the binary precision of quotients: times per token are no whole
// numbers of nanoseconds, so they are kept in units of 2⁻¹⁰ ns, which makes
// their order and their sums those of integers.
const (
	fineBits = 10
	fine     = 1 << fineBits
)

// quotient returns num/den nanoseconds in units of 1/fine, rounded to nearest.
func quotient(num, den int64) int64 {
	num <<= fineBits
	if num < 0 {
		return -((den/2 - num) / den)
	}
	return (num + den/2) / den
}

// A part is a column of which each value counts tokens times, divided by tokens.
type part struct {
	column *Column
	tokens int64
}

// A mixture is the multiset of the values of several columns. bits tells their
// unit: a value is an integer times 2^−bits ns.
type mixture struct {
	parts []part
	bits  int
}

// whole is the mixture of columns that hold nanoseconds.
func whole(columns ...*Column) mixture { return mixtureOf(0, columns) }

// quotients is the mixture of columns that hold results of quotient.
func quotients(columns ...*Column) mixture { return mixtureOf(fineBits, columns) }

func mixtureOf(bits int, columns []*Column) mixture {
	m := mixture{bits: bits}
	for _, c := range columns {
		if c.Len() > 0 {
			m.parts = append(m.parts, part{column: c, tokens: 1})
		}
	}
	return m
}

func (m mixture) len() int64 {
	n := int64(0)
	for _, p := range m.parts {
		n += p.tokens * p.column.Len()
	}
	return n
}

// mean is the mean in ns of a mixture that is not empty: a value that counts
// tokens times at 1/tokens adds itself to the sum.
func (m mixture) mean() float64 {
	sum := 0.0
	for _, p := range m.parts {
		sum += p.column.Sum()
	}
	return math.Ldexp(sum/float64(m.len()), -m.bits)
}

// at returns the value of rank i, from 0, in ns. Columns must be sorted. One
// column as it is answers at once. Otherwise it is the least x, in units of
// 1/fine ns, for which more than i values are at most x.
func (m mixture) at(i int64) float64 {
	if len(m.parts) == 1 && m.parts[0].tokens == 1 {
		return math.Ldexp(float64(m.parts[0].column.At(i)), -m.bits)
	}
	lo, hi := m.bounds()
	for lo < hi {
		mid := lo + (hi-lo)>>1
		if m.atMost(mid) > i {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return float64(lo) / fine
}

// atMost returns how many values are at most x, in units of 1/fine ns. With
// x = q·2ˢ + r the greatest v with v/tokens ≤ x/2ˢ is q·tokens + ⌊r·tokens/2ˢ⌋,
// in which nothing overflows.
func (m mixture) atMost(x int64) int64 {
	s := fineBits - m.bits
	q, r := x>>s, x&(1<<s-1)
	n := int64(0)
	for _, p := range m.parts {
		n += p.tokens * p.column.AtMost(q*p.tokens+r*p.tokens>>s)
	}
	return n
}

// bounds returns the least and the greatest value in units of 1/fine ns, the
// one rounded down, the other up.
func (m mixture) bounds() (lo, hi int64) {
	lo, hi = math.MaxInt64, math.MinInt64
	s := fineBits - m.bits
	for _, p := range m.parts {
		lo = min(lo, p.column.At(0)<<s/p.tokens-1)
		hi = max(hi, p.column.At(p.column.Len()-1)<<s/p.tokens+1)
	}
	return lo, hi
}
