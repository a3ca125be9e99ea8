package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode"
)

// maxTokens bounds what one request may ask for.
const maxTokens = 1 << 20

// params is what a request asks for.
type params struct {
	input      int  // tokens of the prompt
	cached     int  // of them, those that the prefix cache had
	tokens     int  // tokens to answer with
	stream     bool // by events
	usage      bool // a usage event at the end of the stream
	continuous bool // running usage in every event
}

// fields is the part of a request's JSON that the answer depends on. Any
// model name is served; sampling options change nothing.
type fields struct {
	prompt, messages, system count // input tokens
	maxTokens, maxCompletion count
	n, bestOf                count
	stream                   bool
	usage, continuous        bool // of stream_options
}

// count is a number that may be missing.
type count struct {
	n   int
	set bool
}

// body is the same as JSON has it.
type body struct {
	Prompt              *prompt `json:"prompt"`
	Messages            *words  `json:"messages"`
	System              *words  `json:"system"`
	MaxTokens           *int    `json:"max_tokens"`
	MaxCompletionTokens *int    `json:"max_completion_tokens"`
	N                   *int    `json:"n"`
	BestOf              *int    `json:"best_of"`
	Stream              bool    `json:"stream"`
	StreamOptions       struct {
		IncludeUsage         bool `json:"include_usage"`
		ContinuousUsageStats bool `json:"continuous_usage_stats"`
	} `json:"stream_options"`
}

// decode reads any JSON. See scan for the usual one.
func decode(raw []byte) (fields, error) {
	var b body
	if err := json.Unmarshal(raw, &b); err != nil {
		return fields{}, fmt.Errorf("read the request's JSON: %w", err)
	}
	return fields{
		prompt: given(b.Prompt), messages: given(b.Messages), system: given(b.System),
		maxTokens: given(b.MaxTokens), maxCompletion: given(b.MaxCompletionTokens),
		n: given(b.N), bestOf: given(b.BestOf), stream: b.Stream,
		usage: b.StreamOptions.IncludeUsage, continuous: b.StreamOptions.ContinuousUsageStats,
	}, nil
}

// given makes a count of a pointer that JSON leaves nil where a field is
// missing or null.
func given[T ~int](x *T) count {
	if x == nil {
		return count{}
	}
	return count{int(*x), true}
}

// parse reads the body of a request to endpoint e.
func (e endpoint) parse(raw []byte, defaultTokens int) (params, error) {
	f, ok := scan(raw)
	if !ok {
		var err error
		if f, err = decode(raw); err != nil {
			return params{}, err
		}
	}
	input, name := f.prompt, "prompt"
	if e != completions {
		input, name = f.messages, "messages"
		input.n += f.system.n
	}
	if !input.set {
		return params{}, errors.New(name + " is missing")
	}
	p := params{input: input.n, tokens: defaultTokens, stream: f.stream}
	p.usage = f.stream && f.usage
	p.continuous = p.usage && f.continuous
	return p, errors.Join(p.limit(f.maxTokens), p.limit(f.maxCompletion), one("n", f.n), one("best_of", f.bestOf))
}

// limit takes over the number of tokens asked for; the last one given holds.
func (p *params) limit(c count) error {
	switch {
	case !c.set:
		return nil
	case c.n < 0 || c.n > maxTokens:
		return fmt.Errorf("max_tokens is %d; it must be from 0 to %d", c.n, maxTokens)
	}
	p.tokens = c.n
	return nil
}

// one refuses several choices: their events would interleave, and no figure
// of the truth log would fit them.
func one(name string, c count) error {
	if c.set && c.n != 1 {
		return fmt.Errorf("%s is %d; only one choice a request is served", name, c.n)
	}
	return nil
}

// prompt counts the tokens of a completions prompt: text, token ids, or an
// array that holds one of the two.
type prompt int

// UnmarshalJSON refuses a batch, which would need an answer per prompt.
func (p *prompt) UnmarshalJSON(raw []byte) error {
	if raw[0] == '[' {
		var batch []json.RawMessage
		if err := json.Unmarshal(raw, &batch); err != nil {
			return err
		}
		if len(batch) > 1 && (batch[0][0] == '"' || batch[0][0] == '[') {
			return fmt.Errorf("%d prompts; only one a request is served", len(batch))
		}
	}
	return (*words)(p).UnmarshalJSON(raw)
}

// words counts the tokens of any prompt-like value: a text has one for each
// of its words (runs of what is not white space), a token id is one, an array
// or a message has those of its parts.
type words int

// UnmarshalJSON counts; raw is one valid JSON value.
func (w *words) UnmarshalJSON(raw []byte) error {
	switch c := raw[0]; {
	case c == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		*w = words(countWords(s))
		return err
	case c == '[':
		var parts []words
		err := json.Unmarshal(raw, &parts)
		*w = 0
		for _, part := range parts {
			*w += part
		}
		return err
	case c == '{':
		var part struct {
			Content words `json:"content"`
			Text    words `json:"text"`
		}
		err := json.Unmarshal(raw, &part)
		*w = part.Content + part.Text
		return err
	case c == '-' || '0' <= c && c <= '9':
		*w = 1
		return nil
	case string(raw) == "null":
		return nil
	default:
		return fmt.Errorf("%s is no text, token id, array or object", raw)
	}
}

// countWords counts runs of what is not white space.
func countWords(s string) int {
	n, inside := 0, false
	for _, r := range s {
		space := unicode.IsSpace(r)
		if !space && !inside {
			n++
		}
		inside = !space
	}
	return n
}
