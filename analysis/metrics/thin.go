package metrics

// A thinned stream keeps no more than a limit of its items: those whose hash
// lies in the lowest 2⁻ᵏ of all hashes, with the least k that keeps few enough.
// What is kept does not depend on the order in which the items come, so that
// the same file gives the same sample. The zero value is empty.
type thinned[T any] struct {
	items []hashed[T]
	k     uint
}

type hashed[T any] struct {
	hash uint64
	item T
}

// thinnedLimit is the most items that are kept. A sample of 2¹⁷ or more tells
// a p99 to a hundredth of its distance from the maximum; beyond it correlation,
// which no number of neighbours removes, decides.
const thinnedLimit = 1 << 18

// add offers an item with a hash of its identity.
func (t *thinned[T]) add(hash uint64, item T) {
	if !t.takes(hash) {
		return
	}
	t.items = append(t.items, hashed[T]{hash, item})
	for len(t.items) > thinnedLimit {
		t.k++
		kept := t.items[:0]
		for _, h := range t.items {
			if t.takes(h.hash) {
				kept = append(kept, h)
			}
		}
		t.items = kept
	}
}

// takes tells whether an item with this hash would be kept now.
func (t *thinned[T]) takes(hash uint64) bool { return hash>>(64-t.k) == 0 }

// hashOf mixes two numbers into one whose bits all depend on both (the
// finaliser of splitmix64: Steele, Lea and Flood, OOPSLA 2014).
func hashOf(a, b int64) uint64 {
	z := uint64(a)*0x9e3779b97f4a7c15 + uint64(b)*0xd1342543de82ef95 + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
