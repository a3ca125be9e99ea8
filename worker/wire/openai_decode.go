package wire

import (
	"encoding/json"
	"fmt"
	"slices"
)

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

// decodeChoices finds choice 0: by its index, or by its place where the index
// is missing. With n > 1 the others are someone else's text.
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

// decodeUsage takes the counts that are there, under the given names.
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
