package workload

import (
	"math/rand/v2"
	"strings"
)

// words are short and common, so that most tokenizers make one token of each
// with the blank before it. Their number is a power of two.
var words = strings.Fields(`
the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one
you were her all she there would their we him been has when who will more no if out so said what up its about into
than them can only other new some could time these two may then do first any my now such like our over man me even
most made after also did many before must through back years where much your way well down should because each just
those people mr how too little state good very make world still own see men work long get here between both life
being under never day same another know while last might us great old year off come since against go came right used
take three`)

// vocabulary is the number of words that are used.
const vocabulary = 128

// blockWords is the length of the text from which prompts are cut.
const blockWords = 1 << 16

// serialWords is how many words at the beginning of a prompt tell its number:
// 128³ numbers before they repeat.
const serialWords = 3

// Prompts makes prompts of a wanted number of words. It is immutable and safe
// for concurrent use.
type Prompts struct {
	seed   uint64
	block  string
	starts []int32 // of each word in block, and the end
}

// NewPrompts prepares the text for a seed.
func NewPrompts(seed uint64) *Prompts {
	r := rand.New(rand.NewPCG(seed, 0x70726f6d7074))
	var b strings.Builder
	starts := make([]int32, 0, blockWords+1)
	for range blockWords {
		starts = append(starts, int32(b.Len()))
		b.WriteByte(' ')
		b.WriteString(words[r.IntN(vocabulary)])
	}
	return &Prompts{seed: seed, block: b.String(), starts: append(starts, int32(b.Len()))}
}

// Append adds prompt number index, n words long, to dst. The first words spell
// the number, the rest is a piece of the block.
func (p *Prompts) Append(dst []byte, index, n int64) []byte {
	serial := mix(p.seed) + uint64(index)
	for range min(n, serialWords) {
		dst = append(dst, words[serial%vocabulary]...)
		dst = append(dst, ' ')
		serial /= vocabulary
	}
	at := mix(p.seed^uint64(index)) % blockWords
	for n -= serialWords; n > 0; {
		take := min(n, int64(blockWords-at))
		dst = append(dst, p.block[p.starts[at]:p.starts[int64(at)+take]]...)
		n, at = n-take, 0
	}
	return dst
}

// mix is the finaliser of splitmix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
