package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// chunk is what one event says. Its slices point into the event's data; text
// is as it stands between JSON quotes, undecoded.
type chunk struct {
	choices   bool   // at least one choice
	text      []byte // visible text
	reasoning []byte
	tool      bool // a tool call's name or arguments
	finish    []byte
	in, out   int // usage, -1 if absent
	failed    bool
	sub, msg  string // the server's error
	done      bool   // the stream is over
}

func (c *chunk) reset() { *c = chunk{in: -1, out: -1} }

func (c *chunk) kind() Kind {
	switch {
	case len(c.text) > 0:
		return Text
	case len(c.reasoning) > 0:
		return Reasoning
	case c.tool:
		return ToolCall
	}
	return None
}

// scanOpenAI reads the data of a completions or chat event; false sends the
// caller to decodeOpenAI, and leaves c in any state. A name that comes twice in
// an object is for the decoder, whose last one holds.
func (c *chunk) scanOpenAI(data []byte, known *knownHead) bool {
	s := scan{b: data}
	seen, more := known.resume(&s)
	for ; more; more = s.next('{') {
		start := s.i
		switch string(s.key()) {
		case "choices":
			known.keep(data[:start], seen)
			seen.mark(&s, 1)
			c.scanChoices(&s)
		case "usage":
			seen.mark(&s, 2)
			c.scanUsage(&s)
		case "error":
			seen.mark(&s, 4)
			s.null()
		case "object":
			if seen.mark(&s, seenObject); string(s.str()) == "error" {
				s.bad = true
			}
		case "x_groq":
			s.bad = true
		default:
			s.skip()
		}
	}
	return s.end()
}

// knownHead is what stood before the choices of an earlier event: id, model and
// such, the same in all events of an answer. Where an event begins with the
// same bytes, the scan would pass over them and come to the same place.
type knownHead struct {
	b    []byte
	seen once
}

func (k *knownHead) resume(s *scan) (seen once, more bool) {
	if len(k.b) > 0 && bytes.HasPrefix(s.b, k.b) {
		s.i = len(k.b)
		return k.seen, true
	}
	return 0, s.open('{')
}

// keep remembers a head, unless it had anything but names of no interest.
func (k *knownHead) keep(head []byte, seen once) {
	if seen&^seenObject == 0 && len(head) <= maxHeadKept && !bytes.Equal(head, k.b) {
		k.b, k.seen = append(k.b[:0], head...), seen
	}
}

const (
	seenObject  once = 8
	maxHeadKept      = 1 << 10
)

// once remembers which names an object had.
type once uint8

func (o *once) mark(s *scan, bit once) {
	if *o&bit != 0 {
		s.bad = true
	}
	*o |= bit
}

// scanChoices understands no choice, or one with index 0.
func (c *chunk) scanChoices(s *scan) {
	if s.isNull() || s.bad || !s.open('[') {
		return
	}
	c.choices = true
	c.scanChoice(s)
	if s.next('[') {
		s.bad = true
	}
}

func (c *chunk) scanChoice(s *scan) {
	var seen once
	var text []byte
	for more := s.open('{'); more; more = s.next('{') {
		switch string(s.key()) {
		case "delta":
			seen.mark(s, 1)
			c.scanDelta(s)
		case "text":
			seen.mark(s, 2)
			text = s.str()
		case "index":
			if seen.mark(s, 4); s.count() > 0 {
				s.bad = true
			}
		case "finish_reason":
			seen.mark(s, 8)
			c.finish = s.str()
		case "usage", "error":
			s.null()
		default:
			s.skip()
		}
	}
	if len(text) > 0 {
		c.text = text
	}
}

func (c *chunk) scanDelta(s *scan) {
	if s.isNull() {
		return
	}
	var seen once
	var refusal, other []byte
	for more := s.open('{'); more; more = s.next('{') {
		switch string(s.key()) {
		case "content":
			seen.mark(s, 1)
			c.text = s.str()
		case "reasoning_content":
			seen.mark(s, 2)
			c.reasoning = s.str()
		case "reasoning":
			seen.mark(s, 4)
			other = s.str()
		case "refusal":
			seen.mark(s, 8)
			refusal = s.str()
		case "tool_calls":
			seen.mark(s, 16)
			c.scanTools(s)
		case "function_call":
			s.null()
		default:
			s.skip()
		}
	}
	c.text, c.reasoning = first(c.text, refusal), first(c.reasoning, other)
}

// first returns the first of two that is not empty.
func first(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}

// scanTools reads tool-call parts: [{"index":0,"function":{"name","arguments"}}].
func (c *chunk) scanTools(s *scan) {
	if s.isNull() {
		return
	}
	for more := s.open('['); more; more = s.next('[') {
		var seen once
		for more := s.open('{'); more; more = s.next('{') {
			switch string(s.key()) {
			case "function":
				seen.mark(s, 1)
				c.scanFunction(s)
			case "custom":
				s.null()
			default:
				s.skip()
			}
		}
	}
}

func (c *chunk) scanFunction(s *scan) {
	if s.isNull() {
		return
	}
	var seen once
	for more := s.open('{'); more; more = s.next('{') {
		switch string(s.key()) {
		case "name":
			seen.mark(s, 1)
			c.tool = len(s.str()) > 0 || c.tool
		case "arguments":
			seen.mark(s, 2)
			c.tool = len(s.str()) > 0 || c.tool
		case "input":
			s.bad = true
		default:
			s.skip()
		}
	}
}

func (c *chunk) scanUsage(s *scan) {
	if s.isNull() {
		return
	}
	var seen once
	for more := s.open('{'); more; more = s.next('{') {
		switch string(s.key()) {
		case "prompt_tokens":
			seen.mark(s, 1)
			c.in = s.count()
		case "completion_tokens":
			seen.mark(s, 2)
			c.out = s.count()
		default:
			s.skip()
		}
	}
}

// decodeOpenAI reads the same with a full decode, for what the scan does not
// understand. delta is the name of the output in a choice: "delta", or
// "message" in a unary answer. An error means that the data is not JSON, or
// that its choices have a shape from which output may be lost.
func (c *chunk) decodeOpenAI(data []byte, delta string) error {
	m, err := decodeTop(data)
	if err != nil {
		return err
	}
	if err := c.decodeChoices(m["choices"], delta); err != nil {
		return err
	}
	groq, _ := decodeObject(m["x_groq"])
	for _, u := range []json.RawMessage{m["usage"], groq["usage"]} {
		c.decodeUsage(u, "prompt_tokens", "completion_tokens")
	}
	if isError(m["error"]) || string(m["object"]) == `"error"` {
		c.fail(data)
	}
	return nil
}

func (c *chunk) decodeChoices(raw json.RawMessage, delta string) error {
	if isNull(raw) {
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("decode choices: %w", err)
	}
	c.choices = len(list) > 0
	for i, raw := range list {
		m, ok := decodeObject(raw)
		if !ok && !isNull(raw) {
			return fmt.Errorf("decode choice %d: no object", i)
		}
		index := decodeCount(m["index"])
		if index == 0 || index < 0 && i == 0 {
			if err := c.decodeChoice(m, delta); err != nil {
				return err
			}
		}
	}
	return nil
}

// decodeChoice adds what a choice says to c.
func (c *chunk) decodeChoice(m map[string]json.RawMessage, delta string) error {
	d, ok := decodeObject(m[delta])
	if !ok && !isNull(m[delta]) {
		return fmt.Errorf("decode choice: %s is no object", delta)
	}
	text, err := c.decodeContent(m["text"])
	if err != nil {
		return err
	}
	content, err := c.decodeContent(d["content"])
	if err != nil {
		return err
	}
	reasoning := first(decodeString(d["reasoning_content"]), decodeString(d["reasoning"]))
	c.text = slices.Concat(c.text, first(first(text, content), decodeString(d["refusal"])))
	c.reasoning = slices.Concat(c.reasoning, reasoning)
	c.decodeTools(d)
	c.finish = first(decodeString(m["finish_reason"]), c.finish)
	c.decodeUsage(m["usage"], "prompt_tokens", "completion_tokens")
	if isError(m["error"]) {
		c.failed = true
		c.sub, c.msg = errorText(m["error"])
	}
	return nil
}

// decodeContent reads a string, or the list of typed parts that some servers
// send: {"type":"text","text":…}, {"type":"thinking","thinking":[parts]}.
func (c *chunk) decodeContent(raw json.RawMessage) ([]byte, error) {
	if isNull(raw) {
		return nil, nil
	}
	if raw[0] == '"' {
		return decodeString(raw), nil
	}
	var parts []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, fmt.Errorf("decode content: %w", err)
	}
	var text []byte
	for _, p := range parts {
		t, err := c.decodeContent(p["thinking"])
		if err != nil {
			return nil, err
		}
		c.reasoning = append(c.reasoning, t...)
		text = append(text, decodeString(p["text"])...)
	}
	return text, nil
}

// decodeTools looks for generated output in tool calls and in their older form.
func (c *chunk) decodeTools(d map[string]json.RawMessage) {
	var calls []map[string]json.RawMessage
	_ = json.Unmarshal(d["tool_calls"], &calls) // another shape is no tool call
	calls = append(calls, map[string]json.RawMessage{"function": d["function_call"]})
	for _, call := range calls {
		for _, part := range []string{"function", "custom"} {
			f, _ := decodeObject(call[part])
			c.tool = c.tool || hasOutput(f["name"]) || hasOutput(f["arguments"]) || hasOutput(f["input"])
		}
	}
}

func (c *chunk) decodeUsage(raw json.RawMessage, in, out string) {
	u, _ := decodeObject(raw)
	if n := decodeCount(u[in]); n >= 0 {
		c.in = n
	}
	if n := decodeCount(u[out]); n >= 0 {
		c.out = n
	}
}

// fail takes the data of an event that reports an error.
func (c *chunk) fail(data []byte) {
	c.failed = true
	c.sub, c.msg = errorBody(data)
}
