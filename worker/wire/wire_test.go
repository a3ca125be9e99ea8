package wire

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestWireCases reads each recorded response in four cuts; the answers must be
// the same, and byte by byte each event must be seen at its own last byte.
func TestWireCases(t *testing.T) {
	var r Reader // one for all: Reset must leave nothing behind
	for _, c := range loadCases(t) {
		t.Run(c.name, func(t *testing.T) {
			res, _ := read(&r, c.options(), c.raw, nil, c.end())
			checkCase(t, &c, res)
			res, rec := read(&r, c.options(), c.raw, everyByte(len(c.raw)), c.end())
			checkCase(t, &c, res)
			if diff := cmp.Diff(c.Offsets, offsets(rec)); diff != "" {
				t.Errorf("event offsets, byte by byte (-want +got):\n%s", diff)
			}
			res, rec = read(&r, c.options(), c.raw, slices.Clone(c.Offsets), c.end())
			checkCase(t, &c, res)
			if diff := cmp.Diff(c.Offsets, offsets(rec)); diff != "" {
				t.Errorf("event offsets, event by event (-want +got):\n%s", diff)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for range 50 {
				res, _ = read(&r, c.options(), c.raw, randomCuts(rng, len(c.raw)), c.end())
				checkCase(t, &c, res)
			}
		})
	}
}

func offsets(rec *recorder) []int {
	all := []int{}
	for _, e := range rec.events {
		all = append(all, e.offset)
	}
	return all
}

func randomCuts(rng *rand.Rand, n int) []int {
	var cuts []int
	for i := range min(n, 1+rng.IntN(20)) {
		_ = i
		cuts = append(cuts, rng.IntN(n))
	}
	slices.Sort(cuts)
	return cuts
}

func checkCase(t *testing.T, c *wireCase, got Result) {
	t.Helper()
	if c.Text != nil && got.Text != *c.Text || utf8.RuneCountInString(got.Text) != c.TextChars {
		t.Errorf("text %.80q (sha256 %x), want %d characters", got.Text, sha256.Sum256([]byte(got.Text)), c.TextChars)
	}
	want := c.want()
	if c.API == "anthropic" {
		want.FirstChoicesEvent = got.FirstChoicesEvent // no figure of vllm bench serve
	}
	want.Text, want.Sub, want.Message, want.BodyPrefix = got.Text, got.Sub, got.Message, got.BodyPrefix
	want.Reusable, want.Gzip = got.Reusable, got.Gzip
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
