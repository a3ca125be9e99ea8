package wire

import (
	"encoding/json"
	"fmt"
)

// decode reads the same with a full decode.
func (e *messagesEvent) decode(data []byte) error {
	m, err := decodeTop(data)
	if err != nil {
		return err
	}
	e.kind = decodeString(m["type"])
	message, _ := decodeObject(m["message"])
	e.start.decode(message["usage"])
	e.usage.decode(m["usage"])
	e.failed = isError(m["error"])
	if err := e.delta.decode(m["delta"]); err != nil {
		return fmt.Errorf("decode delta: %w", err)
	}
	if err := e.block.decode(m["content_block"]); err != nil {
		return fmt.Errorf("decode content_block: %w", err)
	}
	return nil
}

// decode refuses a shape from which output may be lost.
func (p *part) decode(raw json.RawMessage) error {
	m, ok := decodeObject(raw)
	if !ok && !isNull(raw) {
		return fmt.Errorf("no object: %s", excerpt(raw))
	}
	p.name, p.stop = decodeString(m["name"]), decodeString(m["stop_reason"])
	for _, f := range []struct {
		name string
		to   *[]byte
	}{{"text", &p.text}, {"thinking", &p.thinking}, {"partial_json", &p.partial}} {
		if raw := m[f.name]; !isNull(raw) && raw[0] != '"' {
			return fmt.Errorf("%s is no string: %s", f.name, excerpt(raw))
		}
		*f.to = decodeString(m[f.name])
	}
	return nil
}

// decode takes the counts that are there.
func (u *partUsage) decode(raw json.RawMessage) {
	m, _ := decodeObject(raw)
	u.in, u.out = decodeCount(m["input_tokens"]), decodeCount(m["output_tokens"])
}

// decodeMessage reads a unary answer of the Messages API.
func (c *chunk) decodeMessage(data []byte) error {
	m, err := decodeTop(data)
	if err != nil {
		return err
	}
	var blocks []json.RawMessage
	if raw := m["content"]; !isNull(raw) {
		if err := json.Unmarshal(raw, &blocks); err != nil {
			return fmt.Errorf("decode content: %w", err)
		}
		c.choices = true
	}
	for _, raw := range blocks {
		var p part
		if err := p.decode(raw); err != nil {
			return fmt.Errorf("decode content: %w", err)
		}
		c.text, c.reasoning = append(c.text, p.text...), append(c.reasoning, p.thinking...)
		c.tool = c.tool || len(p.name) > 0
	}
	c.finish = decodeString(m["stop_reason"])
	c.decodeUsage(m["usage"], "input_tokens", "output_tokens")
	if isError(m["error"]) || string(m["type"]) == `"error"` {
		c.fail(data)
	}
	return nil
}
