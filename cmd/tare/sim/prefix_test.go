package sim

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// numbers are the tokens from one number to another.
func numbers(from, to int) []string {
	var tokens []string
	for i := from; i < to; i++ {
		tokens = append(tokens, strconv.Itoa(i))
	}
	return tokens
}

func TestPrefixes(t *testing.T) {
	p := newPrefixes()
	for _, step := range []struct {
		tokens []string
		want   int
		why    string
	}{
		{numbers(0, 40), 0, "nothing has been seen"},
		{numbers(0, 40), 32, "two whole blocks of 16; eight tokens are none"},
		{numbers(0, 48), 32, "longer: its third block is new"},
		{numbers(0, 48), 48, "and seen by now"},
		{numbers(0, 15), 0, "shorter than a block"},
		{slices.Concat(numbers(0, 16), numbers(100, 116)), 16, "the same beginning"},
		{numbers(16, 48), 0, "the same tokens behind another beginning"},
		{slices.Concat([]string{"x"}, numbers(0, 40)), 0, "moved by one"},
		{slices.Concat([]string{"01"}, numbers(2, 17)), 0, "0 and 1 are not 01"},
		{nil, 0, "no tokens"},
	} {
		if got := p.cached(step.tokens); got != step.want {
			t.Errorf("%s: %d tokens, want %d", step.why, got, step.want)
		}
	}
}

// A cache of two blocks a generation keeps what is asked for again and again
// and forgets what is not.
func TestPrefixesForget(t *testing.T) {
	p := newPrefixes()
	p.most = 2
	block := func(i int) []string { return numbers(1000*i, 1000*i+prefixBlock) }
	p.cached(block(0))
	for i := 1; i < 100; i++ {
		p.cached(block(i))
		if p.cached(block(0)) != prefixBlock {
			t.Fatalf("what is in use is forgotten after %d blocks", i)
		}
	}
	if p.cached(block(1)) != 0 {
		t.Error("what nobody asked for is still there")
	}
	if n := len(p.young) + len(p.old); n > 2*p.most {
		t.Errorf("%d blocks are remembered, more than two generations", n)
	}
}

// The tokens are those that parse counts.
func TestTokens(t *testing.T) {
	for _, c := range []struct {
		endpoint endpoint
		body     string
		want     []string
	}{
		{completions, `{"prompt":"a  b\tc"}`, []string{"a", "b", "c"}},
		{completions, `{"prompt":[1,20,300]}`, []string{"1", "20", "300"}},
		{completions, `{"prompt":["a b"]}`, []string{"a", "b"}},
		{completions, `{"prompt":"ä\u00a0b"}`, []string{"ä", "b"}},
		{chat, `{"messages":[{"role":"system","content":"a"},{"role":"user","content":[{"type":"text","text":"b c"}]}]}`, []string{"a", "b", "c"}},
		{messages, `{"messages":[{"role":"user","content":"c"}],"system":"a b","max_tokens":1}`, []string{"a", "b", "c"}},
	} {
		got := c.endpoint.tokens([]byte(c.body))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.body, got, c.want)
		}
		if p, err := c.endpoint.parse([]byte(c.body), 1); err != nil || p.input != len(got) {
			t.Errorf("%s: parse counts %d (%v), tokens has %d", c.body, p.input, err, len(got))
		}
	}
}

// Prefill is paid for what is not in the cache, and the truth log says how much
// was: 48 tokens at 1 ms, then 16 of 64, whose first 48 are known.
func TestPrefixCache(t *testing.T) {
	prompt := func(n int) string {
		return fmt.Sprintf(`{"prompt":"%s","max_tokens":1,"stream":true}`, strings.Join(numbers(0, n), " "))
	}
	ask := func(s *Server) {
		for _, n := range []int{48, 64} {
			io.Copy(io.Discard, post(t, s.URL()+"/v1/completions", prompt(n)).Body)
		}
	}
	delay := func(l line) time.Duration { return time.Duration(l.Scheduled - l.Arrival) }
	for on, want := range map[bool][2]time.Duration{
		false: {48 * time.Millisecond, 64 * time.Millisecond},
		true:  {48 * time.Millisecond, 16 * time.Millisecond},
	} {
		lines := withTruth(t, Config{Prefill: law(t, "1ms"), PrefixCache: on}, ask)
		for i, l := range lines {
			if delay(l) != want[i] {
				t.Errorf("cache %v: request %d starts to answer after %v by the law, want %v", on, i, delay(l), want[i])
			}
		}
		if got := lines[1].CachedTokens; (got == 48) != on {
			t.Errorf("cache %v: %d tokens came from it", on, got)
		}
		if lines[1].InputTokens != 64 {
			t.Errorf("cache %v: %d input tokens, want 64", on, lines[1].InputTokens)
		}
	}
}
