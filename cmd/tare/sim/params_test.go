package sim

import (
	"fmt"
	"strings"
	"testing"
)

// usual is a request as our own client sends it.
var usual = fmt.Appendf(nil, `{"model":"sim","prompt":"%s","max_tokens":10,"temperature":0,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`,
	strings.Repeat("lorem ", 32))

func TestScanIsUsed(t *testing.T) {
	for _, body := range []string{
		string(usual),
		` { "prompt" : [ 1 , 20 , 300 ] , "stream" : false }` + "\n",
		`{"messages":[{"role":"user","content":"a b"},{"role":"assistant","content":""}],"max_completion_tokens":0}`,
		`{}`,
	} {
		if _, ok := scan([]byte(body)); !ok {
			t.Errorf("%s was not scanned", body)
		}
	}
	f, _ := scan(usual)
	if want := (fields{prompt: count{32, true}, maxTokens: count{10, true}, stream: true, usage: true}); f != want {
		t.Errorf("scanned %+v, want %+v", f, want)
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { scan(usual) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// FuzzScan: what the fast scan accepts the decoder reads alike.
func FuzzScan(f *testing.F) {
	f.Add(usual)
	for _, s := range []string{
		`{"prompt":"a\u0020b"}`, `{"prompt":"a","prompt":[1,2]}`, `{"prompt":[01]}`, `{"prompt":["a"]}`, `{"PROMPT":"a"}`,
		`{"stream":true,}`, `{"stream_options":{"include_usage":true},"stream_options":{}}`, `{"messages":[{"content":"a","content":"b c"}]}`,
		`{"messages":[{}]}`, `{"max_tokens":1e3}`, `{"max_tokens":1234567890}`, `{"max_tokens":-0}`, `{"messages":[]}x`, `[]`, ``,
		"{\"prompt\":\"a\tb\"}", `{"prompt":"ä"}`, `{"max_tokens":null}`, `{"stream":truefalse}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		fast, ok := scan(raw)
		if !ok {
			return
		}
		slow, err := decode(raw)
		if err != nil || fast != slow {
			t.Fatalf("%q: scan %+v, decode %+v, %v", raw, fast, slow, err)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		scan(usual)
	}
}

func BenchmarkDecode(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(usual); err != nil {
			b.Fatal(err)
		}
	}
}
