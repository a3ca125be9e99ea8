package sim

import (
	"encoding/json"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"
)

const (
	// prefixBlock is the number of tokens that are cached together, as in
	// vLLM.
	prefixBlock = 16
	// prefixBlocks is how many blocks are remembered at least; the memory
	// holds up to twice as many, at some 20 bytes each.
	prefixBlocks = 1 << 20
)

// prefixes is a prefix cache: which blocks of prompts have been seen. A block
// is known by all tokens up to its end, so that it is a hit only if all before
// it are. It counts as seen from when its request has been read, though a real
// server has it only once the prefill is done. Safe for concurrent use.
//
// Blocks are forgotten by generations: when the young one is full it becomes
// the old one, and that is dropped. A hit makes a block young again.
type prefixes struct {
	seed maphash.Seed
	most int // blocks of a generation

	mu         sync.Mutex
	young, old map[uint64]struct{}
}

func newPrefixes() *prefixes {
	return &prefixes{seed: maphash.MakeSeed(), most: prefixBlocks, young: map[uint64]struct{}{}}
}

// cached returns how many tokens at the beginning of a prompt are in the
// cache, a multiple of prefixBlock, and enters the whole blocks of the prompt.
func (p *prefixes) cached(tokens []string) (hits int) {
	var h maphash.Hash
	h.SetSeed(p.seed)
	p.mu.Lock()
	defer p.mu.Unlock()
	intact := true
	for i, token := range tokens {
		_, _ = h.WriteString(token) // never fails
		_ = h.WriteByte(' ')
		if (i+1)%prefixBlock != 0 {
			continue
		}
		if intact = p.enter(h.Sum64()) && intact; intact {
			hits = i + 1
		}
	}
	return hits
}

// enter remembers a block and tells whether it was there.
func (p *prefixes) enter(block uint64) bool {
	_, isYoung := p.young[block]
	if isYoung {
		return true
	}
	_, isOld := p.old[block]
	if len(p.young) >= p.most {
		p.young, p.old = map[uint64]struct{}{}, p.young
	}
	p.young[block] = struct{}{}
	return isOld
}

// tokens lists the input tokens of a request, in the order in which parse
// counts them: the prompt, or the system prompt and the messages. raw has been
// parsed without an error.
func (e endpoint) tokens(raw []byte) []string {
	var b struct{ Prompt, System, Messages any }
	_ = json.Unmarshal(raw, &b) // parse has read it
	if e == completions {
		return appendTokens(nil, b.Prompt)
	}
	return appendTokens(appendTokens(nil, b.System), b.Messages)
}

// appendTokens adds the tokens of any prompt-like value, as words counts them.
func appendTokens(tokens []string, v any) []string {
	switch v := v.(type) {
	case string:
		return append(tokens, strings.Fields(v)...)
	case float64:
		return append(tokens, strconv.FormatFloat(v, 'g', -1, 64))
	case []any:
		for _, part := range v {
			tokens = appendTokens(tokens, part)
		}
	case map[string]any:
		return appendTokens(appendTokens(tokens, v["content"]), v["text"])
	}
	return tokens
}
