package wire

import "strconv"

// phase is the place in the HTTP response.
type phase uint8

const (
	inHead      phase = iota // status line and header, interim ones included
	inLength                 // body with Content-Length
	inToClose                // body that ends with the connection
	inSize                   // before the first digit of a chunk size
	inSizeMore               // behind the first digit
	inSizeSpace              // blanks behind the digits
	inExtension              // chunk extension
	inSizeLF                 // LF of the chunk size line
	inChunk                  // chunk data
	inChunkCR                // CR behind chunk data
	inChunkLF                // LF behind chunk data
	inTrailer                // start of a trailer line
	inTrailerIn              // within a trailer line
	inTrailerLF              // LF of the empty line that ends the trailer
	ended                    // the body ended as it should
	broken                   // the framing cannot be read, or the peer is gone
)

// Reader reads one answer at a time from the bytes of a connection, in
// whatever pieces they come. The zero Reader needs a Reset. It is not safe for
// concurrent use. Its buffers live on from one answer to the next.
type Reader struct {
	opt  Options
	sink Sink

	phase    phase
	left     int64  // bytes to come of the chunk or of Content-Length
	overhead int    // bytes of chunk extensions and trailers since the last data
	head     []byte // a header, or part of one, that came in pieces
	resp     header
	leftover bool // bytes behind the end of the response

	started bool // the first byte of the decoded body has come
	foreign bool // the body has lines that no event stream has
	inflate *inflater
	prefix  []byte
	whole   []byte // unary body

	sse     sse
	chunk   chunk
	known   knownHead
	scratch messagesEvent
	usage   usage
	answer  answer

	settled      bool
	class        ErrorClass
	sub, message string
}

// usage keeps the counts of the server.
type usage struct {
	in, out int  // last seen, -1 none
	running int  // total at the last output event
	total   bool // every output event so far came with a running total
}

// answer sums up what the events carried.
type answer struct {
	events, content                      int
	firstChoices, firstContent, firstOut int
	finish                               string
	text, reasoning                      []byte
}

// keptBuffer is the largest buffer (bytes) that is kept for the next answer:
// one answer with a huge line must not hold its memory for the whole run.
const keptBuffer = 1 << 20

// Reset prepares r for the answer to the next request on a connection.
func (r *Reader) Reset(o Options, s Sink) {
	r.stopInflate()
	if o.MaxLine <= 0 {
		o.MaxLine = defaultLimit
	}
	if o.MaxText <= 0 {
		o.MaxText = defaultLimit
	}
	if o.MaxBody <= 0 {
		o.MaxBody = defaultBody
	}
	a := &r.answer
	*r = Reader{
		opt: o, sink: s,
		head: emptied(r.head), prefix: emptied(r.prefix), whole: emptied(r.whole),
		known:  r.known,
		sse:    sse{pending: emptied(r.sse.pending), data: emptied(r.sse.data), name: emptied(r.sse.name)},
		usage:  usage{in: -1, out: -1, total: true},
		answer: answer{firstChoices: -1, firstContent: -1, firstOut: -1, text: emptied(a.text), reasoning: emptied(a.reasoning)},
	}
}

// emptied gives back b without content, or nothing if it has grown too large.
func emptied(b []byte) []byte {
	if cap(b) > keptBuffer {
		return nil
	}
	return b[:0]
}

// Push reads p, all of it, and keeps no reference to it.
func (r *Reader) Push(p []byte) State {
	for len(p) > 0 {
		switch r.phase {
		case inHead:
			p = r.pushHead(p)
		case inLength, inChunk:
			n := min(int64(len(p)), r.left)
			r.left -= n
			r.body(p[:n])
			p = p[n:]
			if r.left == 0 {
				r.endPiece()
			}
		case inToClose:
			r.body(p)
			p = nil
		case ended:
			r.leftover = true
			p = nil
		case broken:
			p = nil
		default:
			r.chunkByte(p[0])
			p = p[1:]
		}
	}
	return r.state()
}

// ToClose tells that the body ends with the connection, so that its end must
// be watched for.
func (r *Reader) ToClose() bool { return r.phase == inToClose }

func (r *Reader) state() State {
	return State{Settled: r.settled, Complete: r.phase == ended}
}

// body takes a piece of the body as the framing gave it. Once the class is
// settled the body is read for its framing only.
func (r *Reader) body(b []byte) {
	if r.settled {
		return
	}
	if r.resp.gzip {
		r.pushInflate(b)
		return
	}
	r.payload(b)
}

// payload takes a piece of the decoded body.
func (r *Reader) payload(b []byte) {
	r.started = true
	if room := r.opt.MaxBody - len(r.prefix); room > 0 {
		r.prefix = append(r.prefix, b[:min(room, len(b))]...)
	}
	switch {
	case r.settled || r.failedStatus():
	case r.opt.Stream:
		r.pushSSE(b)
	case len(r.whole)+len(b) > r.opt.MaxLine:
		r.settle(Parse, "body too long", "unary answer longer than "+strconv.Itoa(r.opt.MaxLine)+" bytes")
	default:
		r.whole = append(r.whole, b...)
	}
}

// failedStatus tells whether the status alone fails the request.
func (r *Reader) failedStatus() bool { return r.resp.status < 200 || r.resp.status > 299 }

// settle fixes the class; the first call decides.
func (r *Reader) settle(c ErrorClass, sub, message string) {
	if r.settled {
		return
	}
	r.settled, r.class, r.sub, r.message = true, c, sub, message
	r.stopInflate()
}

// breakOff gives up on the framing: nothing behind this point can be trusted.
// A status outside 2xx still says more than the broken body.
func (r *Reader) breakOff(sub, message string) {
	r.phase = broken
	if r.resp.status != 0 && r.failedStatus() {
		r.settleStatus()
		return
	}
	r.settle(Parse, sub, message)
}

// end notes that the body is whole, and judges what has not been settled.
func (r *Reader) end() {
	r.phase = ended
	r.finishInflate()
	switch {
	case r.settled:
	case r.failedStatus():
		r.settleStatus()
	case r.opt.Stream:
		r.endStream()
	default:
		r.endUnary()
	}
}

// settleStatus files the answer under its status, with what its body says.
func (r *Reader) settleStatus() {
	sub, message := errorBody(r.prefix)
	if message == "" {
		message = "HTTP status " + strconv.Itoa(r.resp.status)
	}
	r.settle(HTTPStatus, sub, message)
}

// Result gives the reading of the answer; it is final when State says Settled,
// but for Reusable, which waits for Complete.
func (r *Reader) Result() Result {
	a := &r.answer
	res := Result{
		Class: r.class, Sub: r.sub, Message: r.message, Status: r.resp.status,
		FinishReason: a.finish, InputTokens: r.usage.in, OutputTokens: r.usage.out,
		Events: a.events, ContentEvents: a.content,
		FirstChoicesEvent: a.firstChoices, FirstContentEvent: a.firstContent, FirstTextEvent: a.firstOut,
		Reusable: r.phase == ended && r.resp.persistent && !r.leftover,
		Gzip:     r.resp.gzip, BodyPrefix: r.prefix,
	}
	if r.opt.SaveText {
		res.Text, res.Reasoning = string(a.text), string(a.reasoning)
	}
	return res
}
