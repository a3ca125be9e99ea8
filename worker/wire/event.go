package wire

// event takes one event: its name and its data, white space trimmed.
func (r *Reader) event(name, data []byte) {
	if string(name) == "error" {
		if len(data) > 0 {
			r.note(None, false, 0)
		}
		sub, message := errorBody(data)
		if message == "" {
			message = "error event without data"
		}
		r.settle(StreamError, sub, message)
		return
	}
	switch {
	case len(data) == 0:
	case isDone(data):
		r.note(None, false, 0)
		r.settleDone()
	default:
		if err := r.parse(name, data); err != nil {
			r.note(None, false, 0)
			r.settle(Parse, "event", err.Error())
			return
		}
		r.apply()
	}
}

// parse reads data into r.chunk, with the scan if that understands it.
func (r *Reader) parse(name, data []byte) error {
	c := &r.chunk
	c.reset()
	if r.opt.API == Messages {
		return c.parseMessages(&r.scratch, name, data)
	}
	if c.scanOpenAI(data, &r.known) {
		return nil
	}
	c.reset()
	return c.decodeOpenAI(data, "delta")
}

// apply books what r.chunk says.
func (r *Reader) apply() {
	c, a := &r.chunk, &r.answer
	if c.in >= 0 {
		r.usage.in = c.in
	}
	if c.out >= 0 {
		r.usage.out = c.out
	}
	if r.opt.SaveText {
		a.text = r.save(a.text, c.text)
		a.reasoning = r.save(a.reasoning, c.reasoning)
	}
	if len(c.finish) > 0 {
		a.finish = finishReason(c.finish)
	}
	kind := c.kind()
	r.note(kind, c.choices, r.usage.tokens(kind, c.out))
	switch {
	case c.failed:
		r.settle(StreamError, c.sub, c.msg)
	case c.done:
		r.settleDone()
	}
}

// note counts an event and tells the sink.
func (r *Reader) note(kind Kind, choices bool, tokens int) {
	a := &r.answer
	if choices {
		setFirst(&a.firstChoices, a.events)
	}
	if kind != None {
		setFirst(&a.firstContent, a.events)
		a.content++
	}
	if kind == Text {
		setFirst(&a.firstOut, a.events)
	}
	a.events++
	r.sink.Event(kind, choices, tokens)
}

// setFirst sets the number of a first event, once.
func setFirst(first *int, event int) {
	if *first < 0 {
		*first = event
	}
}

// tokens returns the tokens of an event whose usage says total (-1: nothing).
// A running total stands in each output event from the first on and does not
// fall; a server that sends anything else gives no count per event. Tokens of
// events without output (half characters, special tokens) count with the next
// output event.
func (u *usage) tokens(kind Kind, total int) int {
	if kind == None {
		return 0
	}
	if u.total = u.total && total > 0 && total >= u.running; !u.total {
		return 1
	}
	n := max(1, total-u.running)
	u.running = total
	return n
}

// save appends decoded text up to the limit.
func (r *Reader) save(dst, raw []byte) []byte {
	if len(raw) == 0 || len(dst) >= r.opt.MaxText {
		return dst
	}
	dst = appendUnquoted(dst, raw)
	if len(dst) > r.opt.MaxText {
		dst = trimPartial(dst[:r.opt.MaxText])
	}
	return dst
}

// finishReason returns raw as a string, without allocation if it is a common
// one.
func finishReason(raw []byte) string {
	switch string(raw) {
	case "stop":
		return "stop"
	case "length":
		return "length"
	case "end_turn":
		return "end_turn"
	case "max_tokens":
		return "max_tokens"
	case "tool_calls":
		return "tool_calls"
	case "tool_use":
		return "tool_use"
	}
	return string(appendUnquoted(nil, raw))
}

// failedFinish tells whether a finish reason is a failure of the server.
func failedFinish(reason string) bool { return reason == "error" || reason == "abort" }

// settleDone judges a stream that said that it is over.
func (r *Reader) settleDone() {
	switch a := &r.answer; {
	case failedFinish(a.finish):
		r.settle(StreamError, a.finish, "finish reason "+a.finish)
	case a.firstChoices < 0 && a.content == 0:
		r.settle(Empty, "no choices", "answer without a choice")
	default:
		r.settle(OK, "", "")
	}
}

// endStream judges a stream whose body is whole but that did not say that it
// is over.
func (r *Reader) endStream() {
	whole := r.flushSSE()
	a := &r.answer
	switch {
	case r.settled:
	case a.events == 0 && whole:
		r.settleNoEvents()
	case whole && (a.finish != "" || a.firstChoices < 0):
		r.settleDone()
	case failedFinish(a.finish):
		r.settleDone()
	case !whole:
		r.settle(Truncated, "event cut short", "body ended within an event")
	default:
		r.settle(Truncated, "no end mark", "body ended without finish reason or end mark")
	}
}

// settleNoEvents judges a whole body without one event.
func (r *Reader) settleNoEvents() {
	switch m, isJSON := decodeObject(r.prefix); {
	case !r.started:
		r.settle(Empty, "no body", "empty body")
	case isJSON && (isError(m["error"]) || string(m["object"]) == `"error"`):
		sub, message := errorBody(r.prefix)
		r.settle(StreamError, sub, message)
	case r.foreign || !r.resp.eventStream:
		r.settle(NotStream, "no event", "body is no event stream: "+excerpt(r.prefix))
	default:
		r.settle(Empty, "no events", "event stream without an event")
	}
}
