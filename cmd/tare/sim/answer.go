package sim

import (
	"net/http"
	"strconv"
)

// action is what happens to the connection after an answer.
type action uint8

const (
	keep   action = iota // the next request
	shut                 // close
	reset                // close with RST
	silent               // nothing until the client leaves
)

// ask is a request with everything that its answer depends on.
type ask struct {
	params
	endpoint endpoint
	number   uint64 // of the request, from 0
	created  int64  // Unix seconds
	close    bool   // the client asked for it
	fault    FaultKind
}

// dialect returns what writes the answer; model is a JSON string, quoted.
func (k *ask) dialect(model string) dialect {
	return dialect{params: &k.params, endpoint: k.endpoint, number: k.number, created: k.created, model: model}
}

// answer is the bytes of one response, cut where they are written:
//
//	buf: │ header, role event │ token event │ finish, usage, [DONE], end │
//	     0                  lead          tail
//
// The token event is written steps times. The header goes out with the first
// write. A unary answer is one "token event" that is the whole response.
type answer struct {
	buf       []byte
	lead      int
	tail      int
	apart     bool // buf[:lead] holds an event and is a write of its own
	steps     int  // writes of token events
	perStep   int  // output tokens that each of them carries
	status    int  // 0: no header is sent
	after     action
	scratch   []byte // token events that differ from one another
	continued bool   // they do: each bears the running usage
}

// compose writes the answer to k over a. model is a JSON string, quoted.
func (a *answer) compose(k *ask, model string) {
	d := k.dialect(model)
	*a = answer{buf: a.buf[:0], scratch: a.scratch, status: http.StatusOK, perStep: 1, after: keep}
	if k.close || k.fault == FaultClose {
		a.after = shut
	}
	if status, empty, ok := k.fault.status(); ok {
		a.plain(status, empty, &d)
		return
	}
	switch {
	case k.fault == FaultReset:
		a.status, a.after = 0, reset
	case k.stream:
		a.streamed(k, &d)
	default:
		a.unary(k, &d)
	}
}

// plain is an error status with or without a body, given at once.
func (a *answer) plain(status int, empty bool, d *dialect) {
	a.status = status
	a.scratch = a.scratch[:0]
	if !empty {
		a.scratch = d.problem(a.scratch, status, http.StatusText(status))
	}
	a.whole(status, a.scratch, len(a.scratch))
}

// whole appends a response with a Content-Length, which is the body's but for
// faults.
func (a *answer) whole(status int, body []byte, length int) {
	a.buf = appendHead(a.buf, status, "application/json", a.after == shut)
	a.buf = append(a.buf, "content-length: "...)
	a.buf = strconv.AppendInt(a.buf, int64(length), 10)
	a.buf = append(append(a.buf, "\r\n\r\n"...), body...)
	a.lead, a.tail = len(a.buf), len(a.buf)
}

// unary is one write at the end of the service.
func (a *answer) unary(k *ask, d *dialect) {
	a.scratch = d.complete(a.scratch[:0], k.tokens)
	body := a.scratch
	switch k.fault {
	case FaultBadChunk:
		a.after = shut
		a.buf = appendHead(a.buf, a.status, "application/json", true)
		a.buf = append(append(a.buf, "transfer-encoding: chunked\r\n\r\n"+badChunk...), body...)
	case FaultErrorEvent:
		a.scratch = d.problem(body[:0], http.StatusInternalServerError, engineFailure)
		a.whole(a.status, a.scratch, len(a.scratch))
	case FaultGarbage:
		a.whole(a.status, body[:len(body)/2], len(body)/2)
	case FaultCut:
		a.after = shut
		a.whole(a.status, body[:len(body)/2], len(body))
	case FaultStall:
		a.after = silent
		a.whole(a.status, body[:len(body)/2], len(body))
	default:
		a.whole(a.status, body, len(body))
	}
	a.lead, a.tail, a.steps, a.perStep = 0, len(a.buf), 1, k.tokens
}

// streamed lays out a stream. A fault inside it makes it shorter and gives it
// another end.
func (a *answer) streamed(k *ask, d *dialect) {
	a.steps = k.fault.steps(k.tokens, d.hasLead())
	a.buf = appendHead(a.buf, a.status, "text/event-stream; charset=utf-8", a.after == shut)
	a.buf = append(a.buf, "transfer-encoding: chunked\r\n\r\n"...)
	if d.hasLead() {
		a.apart = true
		a.buf = d.opening(a.buf)
	}
	a.lead = len(a.buf)
	if a.steps > 0 {
		a.buf = d.token(a.buf, 1)
	}
	a.tail = len(a.buf)
	a.continued = k.continuous
	a.ending(k, d)
}

// ending appends what follows the last token event.
func (a *answer) ending(k *ask, d *dialect) {
	switch k.fault {
	case FaultCut:
		a.after = shut
		a.buf = append(a.buf, "1f4\r\ndata: {\"id\":"...)
	case FaultStall:
		a.after = silent
	case FaultBadChunk:
		a.after = shut
		a.buf = append(a.buf, badChunk...)
	case FaultErrorEvent:
		a.buf = append(d.failed(a.buf), lastChunk...)
	case FaultGarbage:
		a.buf = chunk(a.buf, "data: {\"id\":\"garbage\",\"choi\n\n")
		a.buf = append(d.closing(a.buf, a.steps), lastChunk...)
	default:
		a.buf = append(d.closing(a.buf, a.steps), lastChunk...)
	}
}

const (
	lastChunk     = "0\r\n\r\n"
	badChunk      = "zz\r\n{}\r\n"
	engineFailure = "the engine failed while it generated"
)

// appendHead writes the status line and the fields that every answer has; the
// framing and the empty line are left to the caller.
func appendHead(b []byte, status int, contentType string, closing bool) []byte {
	if status == http.StatusOK {
		b = append(b, "HTTP/1.1 200 OK\r\ncontent-type: "...)
	} else {
		b = append(b, "HTTP/1.1 "...)
		b = strconv.AppendInt(b, int64(status), 10)
		b = append(append(append(b, ' '), http.StatusText(status)...), "\r\ncontent-type: "...)
	}
	b = append(append(b, contentType...), "\r\n"...)
	if closing {
		b = append(b, "connection: close\r\n"...)
	}
	return b
}

// chunk appends one chunk.
func chunk(b []byte, data string) []byte {
	return closeChunk(append(b, data...), len(b))
}

// closeChunk makes a chunk of b[from:] by putting its size before it.
func closeChunk(b []byte, from int) []byte {
	var digits [8]byte
	size := append(strconv.AppendInt(digits[:0], int64(len(b)-from), 16), '\r', '\n')
	b = append(b, size...) // room only
	copy(b[from+len(size):], b[from:])
	copy(b[from:], size)
	return append(b, '\r', '\n')
}
