package workload

import (
	"strings"
	"testing"
)

// A prompt has as many words as were asked for, is plain text that JSON need
// not escape, and is the same each time.
func TestPromptLength(t *testing.T) {
	p := NewPrompts(1)
	for _, n := range []int64{1, 2, 3, 4, 32, 1000, blockWords + 7} {
		for index := range int64(20) {
			got := string(p.Append(nil, index, n))
			if words := int64(len(strings.Fields(got))); words != n {
				t.Fatalf("prompt %d of %d words has %d", index, n, words)
			}
			if strings.ContainsAny(got, "\"\\\n") {
				t.Fatalf("prompt %d needs escaping: %.40q", index, got)
			}
			if again := string(NewPrompts(1).Append(nil, index, n)); n < 100 && again != got {
				t.Fatalf("prompt %d differs the second time", index)
			}
		}
	}
}

// No two requests of a run begin with the same words, so that a prefix cache
// finds nothing; another seed gives other prompts.
func TestPromptsShareNoPrefix(t *testing.T) {
	seen := map[string]int64{}
	p := NewPrompts(1)
	for index := range int64(100_000) {
		prefix := string(p.Append(nil, index, serialWords))
		if other, taken := seen[prefix]; taken {
			t.Fatalf("requests %d and %d both begin with %q", other, index, prefix)
		}
		seen[prefix] = index
	}
	if string(p.Append(nil, 1, 32)) == string(NewPrompts(2).Append(nil, 1, 32)) {
		t.Error("seeds 1 and 2 give the same prompt")
	}
}

// A prompt is made for every request, on the way to its sending.
func TestAppendAllocatesNothing(t *testing.T) {
	p, buf := NewPrompts(1), make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { buf = p.Append(buf[:0], 77, 128) }); n != 0 {
		t.Errorf("%v allocations a prompt, want none", n)
	}
}
