package sim

// scan reads the JSON of a usual request without allocating: known keys, once
// or more, with plain ASCII texts, small numbers and booleans. Whatever else
// it meets it leaves to decode (ok false); what it accepts decode reads alike.
//
// It costs 0.6 µs for a prompt of 32 words where encoding/json takes 4 µs and
// 12 allocations: that is a tenth of all that a request costs.
func scan(raw []byte) (f fields, ok bool) {
	c := cursor{b: raw, ok: true}
	c.object(func(key []byte) { f.member(&c, key) })
	c.space()
	return f, c.ok && c.i == len(raw)
}

// member reads the value of one key.
func (f *fields) member(c *cursor, key []byte) {
	switch string(key) {
	case "prompt":
		f.prompt = count{c.prompt(), true}
	case "messages":
		f.messages = count{c.messages(), true}
	case "max_tokens":
		f.maxTokens = count{c.integer(), true}
	case "max_completion_tokens":
		f.maxCompletion = count{c.integer(), true}
	case "stream":
		f.stream = c.boolean()
	case "stream_options":
		c.object(func(key []byte) { f.option(c, key) })
	case "model":
		c.text()
	case "ignore_eos":
		c.boolean()
	case "temperature", "seed", "min_tokens":
		c.integer()
	default:
		c.ok = false
	}
}

// option reads the value of one key of stream_options.
func (f *fields) option(c *cursor, key []byte) {
	switch string(key) {
	case "include_usage":
		f.usage = c.boolean()
	case "continuous_usage_stats":
		f.continuous = c.boolean()
	default:
		c.ok = false
	}
}

// cursor moves through JSON. After the first thing that it does not know ok is
// false, and it does not move any more.
type cursor struct {
	b  []byte
	i  int
	ok bool
}

// peek returns the next byte that is no white space, or 0.
func (c *cursor) peek() byte {
	c.space()
	if !c.ok || c.i >= len(c.b) {
		return 0
	}
	return c.b[c.i]
}

// space skips what JSON calls white space.
func (c *cursor) space() {
	for c.i < len(c.b) && (c.b[c.i] == ' ' || c.b[c.i] == '\n' || c.b[c.i] == '\t' || c.b[c.i] == '\r') {
		c.i++
	}
}

// eat takes the next byte if it is want.
func (c *cursor) eat(want byte) bool {
	if c.peek() != want {
		return false
	}
	c.i++
	return true
}

// need takes the next byte, which must be want.
func (c *cursor) need(want byte) { c.ok = c.eat(want) && c.ok }

// list reads items between two brackets.
func (c *cursor) list(open, end byte, item func()) {
	c.need(open)
	if c.eat(end) {
		return
	}
	for item(); c.ok && !c.eat(end); item() {
		c.need(',')
	}
}

// object calls member for each key, to read the value.
func (c *cursor) object(member func(key []byte)) {
	c.list('{', '}', func() {
		key, _ := c.text()
		c.need(':')
		if c.ok {
			member(key)
		}
	})
}

// text reads a string of printable ASCII without escapes and counts its words.
func (c *cursor) text() (s []byte, words int) {
	c.need('"')
	from, before := c.i, byte(' ')
	for ; c.ok && c.i < len(c.b); c.i++ {
		switch x := c.b[c.i]; {
		case x == '"':
			c.i++
			return c.b[from : c.i-1], words
		case x < ' ' || x > '~' || x == '\\':
			c.ok = false
		default:
			if before == ' ' && x != ' ' {
				words++
			}
			before = x
		}
	}
	c.ok = false
	return nil, 0
}

// prompt reads a text or token ids and counts the tokens.
func (c *cursor) prompt() (tokens int) {
	if c.peek() == '[' {
		c.list('[', ']', func() { c.integer(); tokens++ })
		return tokens
	}
	_, tokens = c.text()
	return tokens
}

// messages reads roles and texts and counts the words of the texts.
func (c *cursor) messages() (tokens int) {
	c.list('[', ']', func() {
		content := 0
		c.object(func(key []byte) {
			_, words := c.text()
			switch string(key) {
			case "content":
				content = words
			case "role":
			default:
				c.ok = false
			}
		})
		tokens += content
	})
	return tokens
}

// integer reads a whole number of at most nine digits.
func (c *cursor) integer() (n int) {
	first := c.peek()
	from := c.i
	for ; c.ok && c.i < len(c.b) && '0' <= c.b[c.i] && c.b[c.i] <= '9'; c.i++ {
		n = 10*n + int(c.b[c.i]-'0')
		c.ok = c.i-from < 9
	}
	digits := c.i - from
	c.ok = c.ok && digits > 0 && (first != '0' || digits == 1)
	return n
}

// boolean reads true or false.
func (c *cursor) boolean() bool {
	for _, s := range [...]string{"true", "false"} {
		if c.peek() == s[0] && len(c.b)-c.i >= len(s) && string(c.b[c.i:c.i+len(s)]) == s {
			c.i += len(s)
			return s == "true"
		}
	}
	c.ok = false
	return false
}
