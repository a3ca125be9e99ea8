package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"strings"
)

// vocabulary is the size of our tokenizer. Random prompts are drawn from it;
// how many words there are changes nothing that is measured.
const vocabulary = 256

// tokenizerDir is the folder of our tokenizer under Params.Dir.
const tokenizerDir = "tokenizer"

// A word of a prompt is a token of our tokenizer, so that a prompt of n words
// has n tokens for whoever counts them.
func word(i int) string { return fmt.Sprintf("w%d", i%(vocabulary-3)) }

// prompt is one of n tokens.
func prompt(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = word(i)
	}
	return strings.Join(words, " ")
}

// withTokenizer adds our own tokenizer to r unless the user gave one, and
// returns the folder that the tool is to load. Without it tools would download
// one, and fail where there is no network.
func (p Params) withTokenizer(r *Recipe) string {
	if p.Tokenizer != "" {
		return p.Tokenizer
	}
	if r.Files == nil {
		r.Files = map[string][]byte{}
	}
	maps.Copy(r.Files, tokenizerFiles())
	return p.file(tokenizerDir)
}

// tokenizerFiles are a tokenizer as the transformers library loads it from a
// folder: words between spaces, by a list.
func tokenizerFiles() map[string][]byte {
	special := []string{"<unk>", "<s>", "</s>"}
	vocab := map[string]int{}
	var added []map[string]any
	for i, s := range special {
		vocab[s] = i
		added = append(added, map[string]any{"id": i, "content": s, "special": true,
			"single_word": false, "lstrip": false, "rstrip": false, "normalized": false})
	}
	for i := range vocabulary - len(special) {
		vocab[word(i)] = len(special) + i
	}
	return map[string][]byte{
		path.Join(tokenizerDir, "tokenizer.json"): encode(map[string]any{
			"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added,
			"normalizer": nil, "pre_tokenizer": map[string]any{"type": "WhitespaceSplit"},
			"post_processor": nil, "decoder": nil,
			"model": map[string]any{"type": "WordLevel", "vocab": vocab, "unk_token": special[0]},
		}),
		path.Join(tokenizerDir, "tokenizer_config.json"): encode(map[string]any{
			"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 1_000_000,
			"unk_token": special[0], "bos_token": special[1], "eos_token": special[2],
			"clean_up_tokenization_spaces": false,
			"chat_template":                "{% for m in messages %}{{ m['content'] }} {% endfor %}",
		}),
	}
}

// request is the body of a streamed completion of p.
func (p Params) request() []byte {
	return bytes.TrimSpace(encode(map[string]any{
		"model": p.Model, "prompt": prompt(p.InputTokens), "max_tokens": p.OutputTokens,
		"min_tokens": p.OutputTokens, "ignore_eos": true, "stream": true,
		"stream_options": map[string]any{"include_usage": true},
	}))
}

// encode is v as a line of JSON. It has no error: what is encoded here are
// strings, numbers and maps of them.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("encode a recipe's file: %v", err))
	}
	return b.Bytes()
}
