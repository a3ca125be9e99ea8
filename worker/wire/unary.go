package wire

import "bytes"

// endUnary judges a unary answer whose body is whole. It is told as one event,
// so that its only instant is stamped as all others are.
func (r *Reader) endUnary() {
	if len(bytes.TrimSpace(r.whole)) == 0 {
		r.settle(Empty, "no body", "empty body")
		return
	}
	c := &r.chunk
	c.reset()
	decode := c.decodeMessage
	if r.opt.API != Messages {
		decode = func(data []byte) error { return c.decodeOpenAI(data, "message") }
	}
	if err := decode(r.whole); err != nil {
		r.settle(Parse, "body", err.Error())
		return
	}
	c.done = true
	r.apply()
}
