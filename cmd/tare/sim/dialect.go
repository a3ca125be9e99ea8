package sim

import (
	"encoding/json"
	"strconv"
	"strings"
)

// endpoint is one of the three APIs.
type endpoint uint8

const (
	completions endpoint = iota // POST /v1/completions
	chat                        // POST /v1/chat/completions
	messages                    // POST /v1/messages, Anthropic's
)

// endpointOf finds the endpoint of a path; paths are exact.
func endpointOf(path []byte) (endpoint, bool) {
	switch string(path) {
	case "/v1/completions":
		return completions, true
	case "/v1/chat/completions":
		return chat, true
	case "/v1/messages":
		return messages, true
	}
	return 0, false
}

// tokenText is the text of every output token.
const tokenText = " token"

// dialect writes the JSON and the events of an endpoint for one request, in
// the shape that vLLM gives them. Every event is a chunk of its own.
type dialect struct {
	*params
	endpoint endpoint
	number   uint64
	created  int64
	model    string // a JSON string, quoted
}

// hasLead tells if an event comes before the first token.
func (d *dialect) hasLead() bool { return d.endpoint != completions }

// opening appends the events that come before the first token.
func (d *dialect) opening(b []byte) []byte {
	if d.endpoint == messages {
		return d.messageStart(b)
	}
	return d.delta(b, `{"role":"assistant","content":""}`, "null", 0)
}

// token appends the event of output token n, counted from 1.
func (d *dialect) token(b []byte, n int) []byte {
	switch d.endpoint {
	case messages:
		return chunk(b, contentDelta)
	case chat:
		return d.delta(b, `{"content":"`+tokenText+`"}`, "null", n)
	default:
		return d.delta(b, tokenText, "null", n)
	}
}

// closing appends the events after n tokens: finish, usage, [DONE].
func (d *dialect) closing(b []byte, n int) []byte {
	switch d.endpoint {
	case messages:
		return d.messageEnd(b, n)
	case chat:
		b = d.delta(b, "{}", `"length"`, n)
	default:
		b = d.delta(b, "", `"length"`, n)
	}
	if d.usage {
		from := len(b)
		b = append(d.envelope(append(b, "data: "...), d.object(true)), "],"...)
		b = append(d.appendUsage(b, n), "}\n\n"...)
		b = closeChunk(b, from)
	}
	return chunk(b, done)
}

const done = "data: [DONE]\n\n"

// failed appends an error in mid-stream and what the API sends after it.
func (d *dialect) failed(b []byte) []byte {
	from := len(b)
	if d.endpoint == messages {
		b = append(b, "event: error\n"...)
	}
	b = d.problem(append(b, "data: "...), 500, engineFailure)
	b = closeChunk(append(b, "\n\n"...), from)
	if d.endpoint == messages {
		return b
	}
	return chunk(b, done)
}

// problem appends an error object.
func (d *dialect) problem(b []byte, status int, text string) []byte {
	quoted, _ := json.Marshal(text) // a string cannot fail
	if d.endpoint == messages {
		b = append(append(b, `{"type":"error","error":{"type":"`...), anthropicError(status)...)
		return append(append(append(b, `","message":`...), quoted...), "}}"...)
	}
	b = append(append(b, `{"error":{"message":`...), quoted...)
	b = append(append(b, `,"type":"`...), openAIError(status)...)
	b = append(b, `","param":null,"code":`...)
	return append(strconv.AppendInt(b, int64(status), 10), "}}"...)
}

// object names the kind of object.
func (d *dialect) object(streamed bool) string {
	switch {
	case d.endpoint == completions:
		return "text_completion"
	case streamed:
		return "chat.completion.chunk"
	default:
		return "chat.completion"
	}
}

// envelope appends an OpenAI object up to its list of choices.
func (d *dialect) envelope(b []byte, object string) []byte {
	b = appendID(append(b, `{"id":"`...), d.endpoint, d.number)
	b = append(append(append(b, `","object":"`...), object...), `","created":`...)
	b = strconv.AppendInt(b, d.created, 10)
	return append(append(append(b, `,"model":`...), d.model...), `,"choices":[`...)
}

// delta appends an event with one choice. n is the number of output tokens so
// far, for the running usage.
func (d *dialect) delta(b []byte, content, finish string, n int) []byte {
	from := len(b)
	b = d.envelope(append(b, "data: "...), d.object(true))
	if d.endpoint == completions {
		b = append(append(append(b, `{"index":0,"text":"`...), content...), '"')
	} else {
		b = append(append(b, `{"index":0,"delta":`...), content...)
	}
	b = append(append(append(b, `,"logprobs":null,"finish_reason":`...), finish...), "}]"...)
	switch {
	case d.continuous:
		b = d.appendUsage(append(b, ','), n)
	case d.usage:
		b = append(b, `,"usage":null`...)
	}
	return closeChunk(append(b, "}\n\n"...), from)
}

// complete appends the JSON of a unary answer with n tokens.
func (d *dialect) complete(b []byte, n int) []byte {
	if d.endpoint == messages {
		return d.message(b, n)
	}
	b = d.envelope(b, d.object(false))
	if d.endpoint == chat {
		b = append(b, `{"index":0,"message":{"role":"assistant","content":"`...)
		b = append(appendText(b, n), `"}`...)
	} else {
		b = append(b, `{"index":0,"text":"`...)
		b = append(appendText(b, n), '"')
	}
	b = append(b, `,"logprobs":null,"finish_reason":"length"}],`...)
	return append(d.appendUsage(b, n), '}')
}

// appendUsage appends the counts with n output tokens.
func (d *dialect) appendUsage(b []byte, n int) []byte {
	b = strconv.AppendInt(append(b, `"usage":{"prompt_tokens":`...), int64(d.input), 10)
	b = strconv.AppendInt(append(b, `,"total_tokens":`...), int64(d.input+n), 10)
	b = strconv.AppendInt(append(b, `,"completion_tokens":`...), int64(n), 10)
	return append(b, '}')
}

// appendText appends the text of n tokens.
func appendText(b []byte, n int) []byte {
	return append(b, strings.Repeat(tokenText, n)...)
}

// appendID writes the request's number, which the truth log bears too.
func appendID(b []byte, e endpoint, number uint64) []byte {
	b = append(b, [...]string{"cmpl-", "chatcmpl-", "msg_"}[e]...)
	return strconv.AppendUint(b, number, 10)
}

// openAIError is the error type that vLLM gives a status.
func openAIError(status int) string {
	switch status {
	case 400:
		return "BadRequestError"
	case 404:
		return "NotFoundError"
	case 429:
		return "RateLimitError"
	case 503:
		return "ServiceUnavailableError"
	default:
		return "InternalServerError"
	}
}
