package wire

// API is the shape of the answers that an endpoint gives.
type API uint8

// The endpoints whose answers a Reader understands.
const (
	Completions API = iota // OpenAI /v1/completions
	Chat                   // OpenAI /v1/chat/completions
	Messages               // Anthropic /v1/messages
)

// Kind says what an event carried for choice 0. Where one event carries
// several kinds, Text goes before Reasoning before ToolCall.
type Kind uint8

// The kinds of events. All but None are output events.
const (
	None      Kind = iota // role, finish, usage, [DONE], ping, empty delta
	Text                  // visible text
	Reasoning             // reasoning, under either of its names
	ToolCall              // name or arguments of a tool call
)

// ErrorClass names how a request failed; its values are the stable keys of
// records and reports. The zero value is success.
type ErrorClass string

// The error classes.
const (
	OK          ErrorClass = ""
	Connection  ErrorClass = "connection"   // no response header at all
	Timeout     ErrorClass = "timeout"      // a deadline passed while waiting
	HTTPStatus  ErrorClass = "http_status"  // final status outside 2xx
	StreamError ErrorClass = "stream_error" // 2xx, but the payload says that the generation failed
	Truncated   ErrorClass = "truncated"    // the body, or the answer in it, is not whole
	Parse       ErrorClass = "parse"        // bytes that cannot be read
	Empty       ErrorClass = "empty"        // whole, but without any choice or output
	NotStream   ErrorClass = "not_stream"   // 2xx, but no event stream although one was asked for
	Cancelled   ErrorClass = "cancelled"    // the caller gave up
)

// Options says what the answer to one request should look like and how much
// of it to keep.
type Options struct {
	API      API
	Stream   bool // the request asked for a stream; false: one JSON object is due
	SaveText bool // keep text and reasoning for Result
	MaxLine  int  // bytes in one line, one event's data or one unary body; 0: 16 MiB
	MaxText  int  // bytes of text, and of reasoning, kept with SaveText; 0: 16 MiB
	MaxBody  int  // bytes of the (decoded) body kept in BodyPrefix; 0: 2 KiB
}

// The values of MaxLine and MaxText, and of MaxBody, when they are 0.
const (
	defaultLimit = 16 << 20
	defaultBody  = 2 << 10
)

// Sink is told what happens on the stream, from within Push and Close, at the
// very byte that completes it. Its methods must not call the Reader.
type Sink interface {
	// Header reports that the final (not 1xx) response header is readable.
	Header(status int)

	// Event reports that an event with data is complete. choices tells that it
	// held at least one choice, which is where some tools stop the TTFT clock.
	// tokens is 0 for None; for output it is 1, or where the server sends
	// running usage the rise of the total since the last output event, but at
	// least 1. A unary answer is one event, at its last byte.
	Event(kind Kind, choices bool, tokens int)
}

// State tells how far the answer has come.
type State struct {
	// Settled: the class and all else in Result but Reusable is final. In a
	// stream [DONE], message_stop, an error or an unreadable event settles,
	// else the end of the body.
	Settled bool
	// Complete: the body ended as its framing demands. The connection may
	// carry another request if Result says Reusable.
	Complete bool
}

// Result is the reading of one answer.
type Result struct {
	Class   ErrorClass
	Sub     string // which member of the class: a fixed phrase, or the server's error type or code
	Message string // the server's message or the cause; "" on success
	Status  int    // final HTTP status; 0 before a response header

	FinishReason string // as sent, of choice 0; "" if none
	InputTokens  int    // last count in the server's usage; -1 if none
	OutputTokens int    // last count in the server's usage; -1 if none

	Text      string // visible text, with SaveText
	Reasoning string // reasoning, with SaveText

	Events            int // events with data, [DONE] included
	ContentEvents     int // output events
	FirstChoicesEvent int // number of the first event with a choice, from 0; -1 if none
	FirstContentEvent int // number of the first output event, from 0; -1 if none
	FirstTextEvent    int // number of the first event of Kind Text, from 0; -1 if none

	Reusable   bool   // the connection may carry another request
	Gzip       bool   // the body came compressed, so that event times are the compressor's
	BodyPrefix []byte // start of the decoded body, at most MaxBody bytes; valid until Reset
}
