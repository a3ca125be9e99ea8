package sim

import "strconv"

// contentDelta is the event of every token of the Messages API.
const contentDelta = "event: content_block_delta\n" +
	`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + tokenText + `"}}` + "\n\n"

// messageStart appends the two events that precede the text.
func (d *dialect) messageStart(b []byte) []byte {
	from := len(b)
	b = append(b, "event: message_start\n"+`data: {"type":"message_start","message":`...)
	b = d.messageHead(b)
	b = append(b, `"content":[],"stop_reason":null,"stop_sequence":null,`...)
	b = append(d.anthropicUsage(b, 0), "}}\n\n"...)
	b = closeChunk(b, from)
	return chunk(b, "event: content_block_start\n"+
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`+"\n\n")
}

// messageEnd appends the events that follow n tokens.
func (d *dialect) messageEnd(b []byte, n int) []byte {
	b = chunk(b, "event: content_block_stop\n"+`data: {"type":"content_block_stop","index":0}`+"\n\n")
	from := len(b)
	b = append(b, "event: message_delta\n"+
		`data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":`...)
	b = append(strconv.AppendInt(b, int64(n), 10), "}}\n\n"...)
	b = closeChunk(b, from)
	return chunk(b, "event: message_stop\n"+`data: {"type":"message_stop"}`+"\n\n")
}

// message appends a unary answer.
func (d *dialect) message(b []byte, n int) []byte {
	b = append(d.messageHead(b), `"content":[{"type":"text","text":"`...)
	b = append(appendText(b, n), `"}],"stop_reason":"max_tokens","stop_sequence":null,`...)
	return append(d.anthropicUsage(b, n), '}')
}

// messageHead appends what a message has before its content.
func (d *dialect) messageHead(b []byte) []byte {
	b = appendID(append(b, `{"id":"`...), messages, d.number)
	b = append(append(b, `","type":"message","role":"assistant","model":`...), d.model...)
	return append(b, ',')
}

// anthropicUsage appends the counts under Anthropic's names. They are running
// totals: 0 in message_start, all of them at the end.
func (d *dialect) anthropicUsage(b []byte, n int) []byte {
	b = strconv.AppendInt(append(b, `"usage":{"input_tokens":`...), int64(d.input), 10)
	b = strconv.AppendInt(append(b, `,"output_tokens":`...), int64(n), 10)
	return append(b, '}')
}

// anthropicError is the error type that the Messages API gives a status.
func anthropicError(status int) string {
	switch status {
	case 400, 405:
		return "invalid_request_error"
	case 404:
		return "not_found_error"
	case 429:
		return "rate_limit_error"
	case 503:
		return "overloaded_error"
	default:
		return "api_error"
	}
}
