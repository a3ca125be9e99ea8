package metrics

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mixed returns n values of all sizes that a column has to hold: ties, both
// signs, and values just inside and outside of 32 bits.
func mixed(r *rand.Rand, n int) []int64 {
	edges := []int64{math.MinInt32, math.MinInt32 - 1, math.MaxInt32, math.MaxInt32 + 1, 0, -1, MaxInstant, -MaxInstant}
	values := make([]int64, n)
	for i := range values {
		switch r.IntN(4) {
		case 0:
			values[i] = edges[r.IntN(len(edges))]
		case 1:
			values[i] = r.Int64N(20) - 10
		case 2:
			values[i] = r.Int64N(1<<33) - 1<<32
		default:
			values[i] = r.Int64N(1e6)
		}
	}
	return values
}

func columnOf(values ...int64) *Column {
	c := &Column{}
	for _, v := range values {
		c.Add(v)
	}
	return c
}

// all reads a sorted column back.
func all(c *Column) []int64 { return c.Within(math.MinInt64+1, math.MaxInt64) }

// A column is what sort.Slice makes of the same values, below and above the
// length from which it sorts by digits and over several chunks.
func TestColumnSorts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 100, radixFew, 5000, 2*chunkLen + 17} {
		values := mixed(r, n)
		c := columnOf(values...)
		if c.Len() != int64(n) {
			t.Errorf("%d values: Len before sorting is %d", n, c.Len())
		}
		c.Sort()
		want := append([]int64{}, values...)
		slices.Sort(want)
		if diff := cmp.Diff(want, all(c)); diff != "" {
			t.Fatalf("%d values: %s", n, diff)
		}
		for _, x := range append(mixed(r, 50), math.MaxInt64, math.MinInt64) {
			i, _ := slices.BinarySearchFunc(want, x, func(v, x int64) int {
				if v <= x {
					return -1
				}
				return 1
			})
			if got := c.AtMost(x); got != int64(i) {
				t.Fatalf("%d values: AtMost(%d) = %d, want %d", n, x, got, i)
			}
		}
	}
}

func TestColumnSumIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	values, sum := mixed(r, 10000), new(big.Int)
	for _, v := range values {
		sum.Add(sum, big.NewInt(v))
	}
	want, _ := new(big.Float).SetInt(sum).Float64()
	if got := columnOf(values...).Sum(); got != want {
		t.Errorf("sum of 10000 values is %v, want %v", got, want)
	}
	// Ten times the largest int64 needs more than 64 bits; adding its negative
	// nine times must come back to it.
	big := columnOf()
	for range 10 {
		big.Add(math.MaxInt64)
	}
	if got, want := big.Sum(), 10*float64(math.MaxInt64); got != want {
		t.Errorf("sum beyond 64 bits is %v, want %v", got, want)
	}
	for range 10 {
		big.Add(-math.MaxInt64)
	}
	big.Add(-3)
	if got := big.Sum(); got != -3 {
		t.Errorf("sum that cancels is %v, want -3", got)
	}
}
