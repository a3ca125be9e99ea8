package metrics

import (
	"math"
	"math/bits"
	"slices"
	"sort"
)

// A Column is a multiset of integers, mostly nanoseconds, with exact order
// statistics and an exact sum. Values between −2³¹ and 2³¹ take four bytes,
// others eight. The zero value is empty. It is not safe for concurrent use.
type Column struct {
	chunks [][]uint32 // unsorted; dropped by Sort
	small  []uint32   // sorted
	large  []int64    // outside the range of small
	below  int        // large values that come before all small ones, once sorted
	sum    sum128
	sorted bool
}

// chunkLen is the number of values in a full chunk: a column grows without
// copying what it holds.
const chunkLen = 1 << 16

// signBit maps the order of int32 onto that of uint32.
const signBit = 1 << 31

// Add puts v into the column. It must not follow Sort.
func (c *Column) Add(v int64) {
	c.sum.add(v)
	if v != int64(int32(v)) {
		c.large = append(c.large, v)
		return
	}
	last := len(c.chunks) - 1
	if last < 0 || len(c.chunks[last]) == chunkLen {
		c.chunks = append(c.chunks, nil)
		last++
	}
	c.chunks[last] = append(c.chunks[last], uint32(v)^signBit)
}

// Len is the number of values.
func (c *Column) Len() int64 {
	n := len(c.large) + len(c.small)
	for _, chunk := range c.chunks {
		n += len(chunk)
	}
	return int64(n)
}

// Sum is the sum of all values, exact until its conversion.
func (c *Column) Sum() float64 { return c.sum.float64() }

// Sort brings the values in order. Order statistics ask for it.
func (c *Column) Sort() {
	if c.sorted {
		return
	}
	c.small = slices.Concat(c.chunks...)
	c.chunks = nil
	radixSort(c.small)
	slices.Sort(c.large)
	c.below, _ = slices.BinarySearch(c.large, 0)
	c.sorted = true
}

// At returns the value of rank i, from 0 for the smallest to Len()−1, of a
// sorted column.
func (c *Column) At(i int64) int64 {
	below, n := int64(c.below), int64(len(c.small))
	switch {
	case i < below:
		return c.large[i]
	case i < below+n:
		return int64(int32(c.small[i-below] ^ signBit))
	default:
		return c.large[i-n]
	}
}

// AtMost returns how many values of a sorted column are at most x.
func (c *Column) AtMost(x int64) int64 {
	n := sort.Search(len(c.large), func(i int) bool { return c.large[i] > x })
	switch {
	case x < math.MinInt32:
		return int64(n)
	case x > math.MaxInt32:
		return int64(n + len(c.small))
	}
	key := uint32(x) ^ signBit
	return int64(n + sort.Search(len(c.small), func(i int) bool { return c.small[i] > key }))
}

// Within returns the values from lo to hi of a sorted column, in order.
func (c *Column) Within(lo, hi int64) []int64 {
	from, to := c.AtMost(lo-1), c.AtMost(hi)
	values := make([]int64, 0, max(to-from, 0))
	for i := from; i < to; i++ {
		values = append(values, c.At(i))
	}
	return values
}

// radixBits and radixPasses cut a key of 32 bits into three digits: a table of
// counts per digit stays in the first-level cache.
const (
	radixBits   = 11
	radixPasses = 3
	radixFew    = 1 << 10 // below this a comparison sort wins
)

// radixSort sorts by counting digits, the least significant first. Five million
// values take an eighth of what slices.Sort takes.
func radixSort(a []uint32) {
	if len(a) < radixFew {
		slices.Sort(a)
		return
	}
	const mask = 1<<radixBits - 1
	from, to := a, make([]uint32, len(a))
	for pass := range radixPasses {
		shift := pass * radixBits
		var next [1 << radixBits]int
		for _, v := range from {
			next[v>>shift&mask]++
		}
		at := 0
		for d, n := range next {
			next[d] = at
			at += n
		}
		for _, v := range from {
			d := v >> shift & mask
			to[next[d]] = v
			next[d]++
		}
		from, to = to, from
	}
	copy(a, from)
}

// sum128 is a signed sum of 128 bits in two's complement.
type sum128 struct {
	hi int64
	lo uint64
}

func (s *sum128) add(v int64) {
	lo, carry := bits.Add64(s.lo, uint64(v), 0)
	s.lo = lo
	s.hi += v>>63 + int64(carry)
}

// float64 rounds the sum. A sum that fits into 64 bits is converted directly:
// split into halves, a small negative one would cancel to nothing.
func (s *sum128) float64() float64 {
	if s.hi == int64(s.lo)>>63 {
		return float64(int64(s.lo))
	}
	return math.Ldexp(float64(s.hi), 64) + float64(s.lo)
}
