package wire

// messagesEvent is what one event of the Messages API may say; which of it
// counts depends on the type. Slices point into the data, undecoded.
type messagesEvent struct {
	kind   []byte // type of the event
	start  partUsage
	usage  partUsage
	delta  part
	block  part // content_block, of content_block_start
	failed bool
}

// partUsage holds counts, -1 if absent.
type partUsage struct{ in, out int }

// part is a piece of content.
type part struct {
	text, thinking []byte
	partial        []byte // a piece of a tool call's input
	name           []byte // of the tool called
	stop           []byte // stop_reason
}

// reset makes e say nothing.
func (e *messagesEvent) reset() {
	*e = messagesEvent{start: partUsage{-1, -1}, usage: partUsage{-1, -1}}
}

// parseMessages reads an event of the Messages API. The type stands in the
// data; the event's name is its copy, used where a server leaves the type out.
// e is room to work in.
func (c *chunk) parseMessages(e *messagesEvent, name, data []byte) error {
	if e.reset(); !e.scan(data) {
		e.reset()
		if err := e.decode(data); err != nil {
			return err
		}
	}
	if len(e.kind) == 0 {
		e.kind = name
	}
	c.fromMessages(e, data)
	return nil
}

// fromMessages tells what e means. The output count of message_start is a
// placeholder; that of message_delta is the total so far.
func (c *chunk) fromMessages(e *messagesEvent, data []byte) {
	switch string(e.kind) {
	case "message_start":
		c.choices = true
		c.in = e.start.in
	case "content_block_start":
		c.choices = true
		c.output(&e.block)
	case "content_block_delta":
		c.choices = true
		c.output(&e.delta)
	case "message_delta":
		c.finish = e.delta.stop
		c.in, c.out = e.usage.in, e.usage.out
	case "message_stop":
		c.done = true
	case "error":
		e.failed = true
	}
	if e.failed {
		c.fail(data)
	}
}

// output takes a piece of content. Only a block of a tool's use has a name.
func (c *chunk) output(p *part) {
	c.text, c.reasoning = p.text, p.thinking
	c.tool = len(p.partial) > 0 || len(p.name) > 0
}

// scan reads data as scanOpenAI does; false sends the caller to decode.
func (e *messagesEvent) scan(data []byte) bool {
	s := scan{b: data}
	var seen once
	for more := s.open('{'); more; more = s.next('{') {
		switch string(s.key()) {
		case "type":
			seen.mark(&s, 1)
			e.kind = s.str()
		case "delta":
			seen.mark(&s, 2)
			e.delta.scan(&s)
		case "content_block":
			seen.mark(&s, 4)
			e.block.scan(&s)
		case "usage":
			seen.mark(&s, 8)
			e.usage.scan(&s)
		case "message":
			seen.mark(&s, 16)
			e.scanMessage(&s)
		case "error":
			s.null()
		default:
			s.skip()
		}
	}
	return s.end()
}

// scanMessage reads the usage in the message of message_start.
func (e *messagesEvent) scanMessage(s *scan) {
	if s.isNull() {
		return
	}
	var seen once
	for more := s.open('{'); more; more = s.next('{') {
		if string(s.key()) != "usage" {
			s.skip()
			continue
		}
		seen.mark(s, 1)
		e.start.scan(s)
	}
}

// scan reads a delta or a block; their names do not clash.
func (p *part) scan(s *scan) {
	if s.isNull() {
		return
	}
	var seen once
	for more := s.open('{'); more; more = s.next('{') {
		switch string(s.key()) {
		case "text":
			seen.mark(s, 2)
			p.text = s.str()
		case "thinking":
			seen.mark(s, 4)
			p.thinking = s.str()
		case "partial_json":
			seen.mark(s, 8)
			p.partial = s.str()
		case "name":
			seen.mark(s, 16)
			p.name = s.str()
		case "stop_reason":
			seen.mark(s, 1)
			p.stop = s.str()
		default:
			s.skip()
		}
	}
}

// scan reads counts; a null is none.
func (u *partUsage) scan(s *scan) {
	if s.isNull() {
		return
	}
	var seen once
	for more := s.open('{'); more; more = s.next('{') {
		switch string(s.key()) {
		case "input_tokens":
			seen.mark(s, 1)
			u.in = s.count()
		case "output_tokens":
			seen.mark(s, 2)
			u.out = s.count()
		default:
			s.skip()
		}
	}
}
