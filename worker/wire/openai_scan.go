package wire

import "bytes"

// chunk is what one event says. Its slices point into the event's data; text
// is as it stands between JSON quotes, undecoded.
type chunk struct {
	choices   bool   // at least one choice
	text      []byte // visible text
	reasoning []byte
	tool      bool   // a tool call's name or arguments
	finish    []byte // finish reason
	in, out   int    // usage, -1 if absent
	failed    bool   // the server reports an error
	sub, msg  string // its kind and message
	done      bool   // the stream is over
}

// reset makes c say nothing.
func (c *chunk) reset() { *c = chunk{in: -1, out: -1} }

// kind names what the event carried; see Kind for the order.
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
		case "x_groq": // has a usage of its own in the first and last event
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

// resume begins the scan of an object, behind the known head if it has that.
func (k *knownHead) resume(s *scan) (seen once, more bool) {
	if len(k.b) > 0 && bytes.HasPrefix(s.b, k.b) {
		s.i = len(k.b)
		return k.seen, true
	}
	return 0, s.open('{')
}

// keep remembers a head, unless it had anything but names of no interest.
func (k *knownHead) keep(head []byte, seen once) {
	if seen&^seenObject == 0 && len(head) > 1 && len(head) <= maxHeadKept && !bytes.Equal(head, k.b) {
		k.b, k.seen = append(k.b[:0], head...), seen
	}
}

const (
	seenObject  once = 8
	maxHeadKept      = 1 << 10
)

// once remembers which names an object had. A second one of a name is not an
// error, but too odd for the scan.
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
		s.bad = true // more choices than one
	}
}

// scanChoice reads the one choice: text of completions, or delta of chat. A
// server that sends both repeats itself.
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
		case "usage", "error": // some servers put them here; only null is common
			s.null()
		default:
			s.skip()
		}
	}
	if len(text) > 0 {
		c.text = text
	}
}

// scanDelta reads what a chat event adds. Reasoning goes by two names, and
// where both are set they say the same. A refusal is visible text.
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
		case "function_call": // the form before tool_calls
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

// scanFunction finds out whether a part has output: a server may send the call
// with empty arguments first.
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

// scanUsage reads the two counts. A null, here or for either, is no count.
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
