package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
)

// maxHead bounds a response header, in bytes.
const maxHead = 1 << 20

// header is what the framing needs of a response header (RFC 9112).
type header struct {
	status      int
	minor       int   // of HTTP/1.minor
	length      int64 // Content-Length, -1 if none
	hasLength   bool
	encoded     bool // Transfer-Encoding is there
	chunked     bool // and its last coding is chunked
	gzip        bool
	coding      string // a coding that we cannot undo
	eventStream bool   // the media type says text/event-stream
	closing     bool   // Connection: close
	keepAlive   bool   // Connection: keep-alive
	persistent  bool   // the connection outlives the response
}

// pushHead reads up to the end of a header and gives back the rest of p.
func (r *Reader) pushHead(p []byte) []byte {
	if len(r.head) == 0 {
		if n := headEnd(p); n > 0 {
			r.onHead(p[:n])
			return p[n:]
		}
	}
	old := len(r.head)
	r.head = append(r.head, p...)
	from := max(0, old-2) // an end may begin up to two bytes back
	n := headEnd(r.head[from:])
	if n < 0 {
		r.checkHead(r.head)
		return nil
	}
	n += from
	block := r.head[:n]
	r.head = r.head[:0]
	r.onHead(block)
	return p[n-old:]
}

// headEnd returns the length of the header that b starts with, its empty line
// included, or -1. A line may end in LF alone (RFC 9112, 2.2).
func headEnd(b []byte) int {
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return -1
		}
		i += n + 1
		switch rest := b[i:]; {
		case len(rest) > 0 && rest[0] == '\n':
			return i + 1
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			return i + 2
		}
	}
}

// checkHead gives up on a header, or the start of one, that is too long or
// shows that the peer does not speak HTTP/1.
func (r *Reader) checkHead(b []byte) bool {
	const start = "HTTP/1."
	n := min(len(start), len(b))
	switch {
	case string(b[:n]) != start[:n]:
		r.breakOff("status line", "no HTTP/1 response")
		r.prefix = append(r.prefix, b[:min(len(b), r.opt.MaxBody)]...)
	case len(b) > maxHead:
		r.breakOff("header", "response header longer than 1 MiB")
	}
	return r.phase != broken
}

// onHead takes a whole header. Interim answers are neither the status nor the
// first byte of the answer; 101 is final, as nothing of HTTP follows it.
func (r *Reader) onHead(block []byte) {
	if !r.checkHead(block) {
		return
	}
	h, err := parseHead(block)
	if err != nil {
		r.breakOff("header", err.Error())
		return
	}
	if h.status < 200 && h.status != 101 {
		return
	}
	r.resp = h
	r.sink.Header(h.status)
	r.startBody()
}

// startBody chooses the framing of the body by RFC 9112, 6.3.
func (r *Reader) startBody() {
	h := &r.resp
	// A message with both lengths is suspect: read it, then hang up.
	both := h.encoded && h.hasLength
	h.persistent = !h.closing && !both && (h.minor >= 1 || h.keepAlive) && h.status != 101
	if h.encoded && h.minor == 0 {
		h.persistent = false
	}
	switch {
	case h.status == 204 || h.status == 304 || h.status == 101:
		r.end()
	case h.chunked:
		r.phase = inSize
	case h.encoded || !h.hasLength:
		r.phase, h.persistent = inToClose, false
	case h.length == 0:
		r.end()
	default:
		r.phase, r.left = inLength, h.length
	}
	if h.coding != "" && r.phase != ended && !r.failedStatus() {
		r.settle(Parse, "coding", "body in unknown coding "+h.coding)
	}
}

// parseHead reads a status line and the header lines behind it.
func parseHead(block []byte) (header, error) {
	line, rest := cutLine(block)
	h, err := parseStatusLine(line)
	if err != nil {
		return h, err
	}
	if len(rest) > 0 && isBlank(rest[0]) {
		return h, fmt.Errorf("read header: blank before the first field")
	}
	for {
		line, rest = cutLine(rest)
		if len(line) == 0 {
			return h, nil
		}
		// An obsolete line fold continues the value (RFC 9112, 5.2).
		for len(rest) > 0 && isBlank(rest[0]) {
			more, next := cutLine(rest)
			line, rest = append(append(bytes.Clone(line), ' '), more...), next
		}
		colon := bytes.IndexByte(line, ':')
		if colon <= 0 {
			return h, fmt.Errorf("read header line %.60q: no name", line)
		}
		if err := h.field(trimBlanks(line[:colon]), trimBlanks(line[colon+1:])); err != nil {
			return h, err
		}
	}
}

// cutLine splits b behind its first LF; the line comes without CR LF.
func cutLine(b []byte) (line, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return b, nil
	}
	line, rest = b[:i], b[i+1:]
	if i > 0 && line[i-1] == '\r' {
		line = line[:i-1]
	}
	return line, rest
}

// parseStatusLine reads "HTTP/1.1 200 OK"; the reason may be missing.
func parseStatusLine(line []byte) (header, error) {
	h := header{length: -1}
	version, rest, _ := bytes.Cut(line, []byte(" "))
	code, _, _ := bytes.Cut(bytes.TrimLeft(rest, " "), []byte(" "))
	if len(version) != 8 || !isDigit(version[7]) || len(code) != 3 {
		return h, fmt.Errorf("read status line %.60q: malformed", line)
	}
	h.minor = int(version[7] - '0')
	for _, c := range code {
		if !isDigit(c) {
			return h, fmt.Errorf("read status line %.60q: status is no number", line)
		}
		h.status = h.status*10 + int(c-'0')
	}
	if h.status < 100 {
		return h, fmt.Errorf("read status line %.60q: status below 100", line)
	}
	return h, nil
}

// isDigit is for ASCII only, as all of HTTP.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// field notes one header line. Names compare without case; all others than
// these are of no interest to the framing.
func (h *header) field(name, value []byte) error {
	switch {
	case equalFold(name, "content-type"):
		media, _, _ := bytes.Cut(value, semicolon)
		h.eventStream = equalFold(trimBlanks(media), "text/event-stream")
	case equalFold(name, "content-length"):
		return h.setLength(value)
	case equalFold(name, "transfer-encoding"):
		return h.transferCodings(value)
	case equalFold(name, "content-encoding"):
		eachToken(value, h.contentCoding)
	case equalFold(name, "connection"):
		eachToken(value, func(t []byte) {
			h.closing = h.closing || equalFold(t, "close")
			h.keepAlive = h.keepAlive || equalFold(t, "keep-alive")
		})
	}
	return nil
}

var semicolon = []byte(";")

// setLength takes a Content-Length; repeated ones must agree.
func (h *header) setLength(value []byte) error {
	var n int64
	for _, c := range value {
		d := int64(c - '0')
		if !isDigit(c) || n > (math.MaxInt64-d)/10 {
			return fmt.Errorf("read Content-Length %.40q: not a length", value)
		}
		n = n*10 + d
	}
	if len(value) == 0 || h.hasLength && h.length != n {
		return fmt.Errorf("read Content-Length %.40q: empty or in conflict with another", value)
	}
	h.length, h.hasLength = n, true
	return nil
}

var errCodings = errors.New("read Transfer-Encoding: chunked is not the last coding")

// transferCodings takes a Transfer-Encoding, which may come in several lines.
func (h *header) transferCodings(value []byte) error {
	var err error
	eachToken(value, func(t []byte) {
		if h.chunked {
			err = errCodings
		}
		h.encoded = true
		if h.chunked = equalFold(t, "chunked"); !h.chunked {
			h.contentCoding(t)
		}
	})
	return err
}

// contentCoding takes one coding of the body.
func (h *header) contentCoding(t []byte) {
	switch {
	case equalFold(t, "identity"):
	case (equalFold(t, "gzip") || equalFold(t, "x-gzip")) && !h.gzip:
		h.gzip = true
	default:
		h.coding = string(t)
	}
}

// eachToken calls f with the elements of a comma-separated list.
func eachToken(list []byte, f func([]byte)) {
	for len(list) > 0 {
		i := bytes.IndexByte(list, ',')
		if i < 0 {
			i = len(list)
		}
		if t := trimBlanks(list[:i]); len(t) > 0 {
			f(t)
		}
		list = list[min(i+1, len(list)):]
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// trimBlanks takes off the optional white space of RFC 9110, 5.6.3.
func trimBlanks(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// equalFold compares b with lower, which is in lower case, in ASCII only: the
// standard library's also folds letters such as the Kelvin sign.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i := range len(b) {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
