package metrics

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleOf(items []int64) (t thinned[int64]) {
	for _, x := range items {
		t.add(hashOf(x, 0), x)
	}
	return t
}

func (t thinned[T]) each(f func(T)) {
	for _, h := range t.items {
		f(h.item)
	}
}

// What is kept is the same in whatever order it comes, at most the limit and
// more than a third of it, and no stretch of the stream is left out.
func TestThinnedDependsOnTheItemsAlone(t *testing.T) {
	const n = 3 * thinnedLimit
	items := make([]int64, n)
	for i := range items {
		items[i] = int64(i)
	}
	kept := func() (all []int64) {
		s := sampleOf(items)
		s.each(func(x int64) { all = append(all, x) })
		slices.Sort(all)
		return all
	}
	first := kept()
	rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { items[i], items[j] = items[j], items[i] })
	if diff := cmp.Diff(first, kept()); diff != "" {
		t.Error("another order, another sample")
	}
	if len(first) > thinnedLimit || len(first) < thinnedLimit/3 {
		t.Errorf("%d of %d kept, limit %d", len(first), n, thinnedLimit)
	}
	for i := 1; i < len(first); i++ {
		if first[i]-first[i-1] > 100 { // a quarter is kept: 0.75¹⁰⁰ is 3e-13
			t.Fatalf("nothing kept between %d and %d", first[i-1], first[i])
		}
	}
}

func TestThinnedKeepsFewWhole(t *testing.T) {
	items := []int64{5, 3, 8}
	s := sampleOf(items)
	if len(s.items) != 3 {
		t.Errorf("kept %d of 3", len(s.items))
	}
}
