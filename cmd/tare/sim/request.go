package sim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
)

// Limits of what a client may send, in bytes. The body's limit counts the
// framing of a chunked body as well.
const (
	maxHead = 64 << 10
	maxBody = 32 << 20
)

// requestError is a request that HTTP/1.1 does not allow, or that is beyond a
// limit. The connection cannot be used after it.
type requestError struct {
	status int
	text   string
}

func (e *requestError) Error() string { return fmt.Sprintf("%d: %s", e.status, e.text) }

// malformed is a 400.
func malformed(text string) error { return &requestError{http.StatusBadRequest, text} }

// request is one HTTP request. Its slices hold until the next one is read.
type request struct {
	method, target []byte
	body           []byte
	close          bool // the client closes after the answer
	expect         bool // the client waits for 100 before it sends the body
	host, chunked  bool
	length         int // of the body, −1 if not given
}

// reader takes requests off a connection one by one (RFC 9112). What it takes
// net/http takes as well and reads alike; what net/http merely tolerates
// (folded fields, two lengths) may be refused.
type reader struct {
	src     io.Reader
	proceed func() error // called when the client waits for 100 Continue
	buf     []byte
	pos     int // next byte to look at
	end     int // bytes in buf
}

const (
	smallBuffer = 2 << 10
	keepBuffer  = 64 << 10 // a larger buffer is freed after the request
)

// next reads one request. The error is io.EOF if the client closed between
// requests, a *requestError if it spoke no HTTP/1.1, else that of the source.
func (r *reader) next(q *request) error {
	r.rewind()
	*q = request{length: -1}
	if err := r.head(q); err != nil {
		return err
	}
	if q.expect && r.pos == r.end {
		if err := r.proceed(); err != nil {
			return err
		}
	}
	var err error
	switch {
	case q.chunked && q.length >= 0:
		return malformed("both transfer-encoding and content-length")
	case q.chunked:
		q.body, err = r.chunks()
	case q.length > 0:
		q.body, err = r.take(q.length)
	}
	return midway(err)
}

// rewind moves what was read beyond the last request to the front.
func (r *reader) rewind() {
	rest := r.buf[r.pos:r.end]
	if len(r.buf) == 0 || (len(r.buf) > keepBuffer && len(rest) <= smallBuffer) {
		r.buf = make([]byte, smallBuffer)
	}
	r.end = copy(r.buf, rest)
	r.pos = 0
}

// midway tells an end inside a request from one between two.
func midway(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// fill reads more, at least one byte.
func (r *reader) fill() error {
	if r.end == len(r.buf) {
		if len(r.buf) >= maxHead+maxBody {
			return &requestError{http.StatusRequestEntityTooLarge, "body too large"}
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	if n > 0 {
		return nil
	}
	return err
}

// line returns the next line without its end: CRLF, or in a header a bare LF
// as well.
func (r *reader) line(strict bool) ([]byte, error) {
	for from := r.pos; ; {
		if i := bytes.IndexByte(r.buf[from:r.end], '\n'); i >= 0 {
			line, crlf := bytes.CutSuffix(r.buf[r.pos:from+i], []byte{'\r'})
			r.pos = from + i + 1
			if strict && !crlf {
				return nil, malformed("a line must end with CRLF")
			}
			return line, nil
		}
		from = r.end
		if r.end-r.pos > maxHead {
			return nil, &requestError{http.StatusRequestHeaderFieldsTooLarge, "line too long"}
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

// take returns the next n bytes.
func (r *reader) take(n int) ([]byte, error) {
	for r.end-r.pos < n {
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
	r.pos += n
	return r.buf[r.pos-n : r.pos], nil
}

// head reads the request line and the fields.
func (r *reader) head(q *request) error {
	line, err := r.line(false)
	switch {
	case err == io.EOF && r.end > 0:
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	}
	if err := q.requestLine(line); err != nil {
		return err
	}
	return midway(r.fields(q))
}

// fields reads header fields, or trailer fields with q nil.
func (r *reader) fields(q *request) error {
	for begin := r.pos; ; {
		line, err := r.line(q == nil)
		switch {
		case err != nil:
			return err
		case len(line) == 0:
			return nil
		case r.pos-begin > maxHead:
			return &requestError{http.StatusRequestHeaderFieldsTooLarge, "header too large"}
		}
		name, value, ok := bytes.Cut(line, []byte{':'})
		value = bytes.Trim(value, " \t")
		if !ok || !isToken(name) || !isValue(value) {
			return malformed("malformed header field")
		}
		if q == nil {
			continue
		}
		if err := q.field(name, value); err != nil {
			return err
		}
	}
}

// chunks reads a chunked body and its trailers, decoding in place.
func (r *reader) chunks() ([]byte, error) {
	begin, end := r.pos, r.pos
	for {
		n, err := r.chunkSize()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return r.buf[begin:end], r.fields(nil)
		}
		data, err := r.take(n + 2)
		if err != nil {
			return nil, err
		}
		if data[n] != '\r' || data[n+1] != '\n' {
			return nil, malformed("chunk longer than its size")
		}
		end += copy(r.buf[end:], data[:n])
	}
}

// chunkSize reads the line before a chunk: a size in hexadecimal digits and
// extensions, which mean nothing here.
func (r *reader) chunkSize() (int, error) {
	line, err := r.line(true)
	if err != nil {
		return 0, err
	}
	digits, _, _ := bytes.Cut(line, []byte{';'})
	digits = bytes.TrimRight(digits, " \t")
	if len(digits) == 0 || !isHex(digits) || !isValue(line) {
		return 0, malformed("malformed chunk size")
	}
	n, err := strconv.ParseUint(string(digits), 16, 32)
	if err != nil || n > maxBody {
		return 0, &requestError{http.StatusRequestEntityTooLarge, "body too large"}
	}
	return int(n), nil
}

// requestLine takes apart "METHOD /path HTTP/1.1". Only the origin form of a
// target is served: this is no proxy.
func (q *request) requestLine(line []byte) error {
	method, rest, _ := bytes.Cut(line, []byte{' '})
	target, version, _ := bytes.Cut(rest, []byte{' '})
	switch {
	case !isToken(method) || len(target) == 0 || target[0] != '/' || !isVisible(target):
		return malformed("malformed request line")
	case string(version) == "HTTP/1.1":
	case len(version) == len("HTTP/x.y") && string(version[:5]) == "HTTP/":
		return &requestError{http.StatusHTTPVersionNotSupported, "only HTTP/1.1 is spoken here"}
	default:
		return malformed("malformed request line")
	}
	q.method, q.target = method, target
	return nil
}

var closeToken, chunkedToken = []byte("close"), []byte("chunked")

// field notes what the fields that matter here say.
func (q *request) field(name, value []byte) error {
	switch {
	case is(name, "content-length"):
		return q.contentLength(value)
	case is(name, "host"):
		if q.host {
			return malformed("two hosts")
		}
		q.host = true
	case is(name, "transfer-encoding"):
		if q.chunked || !bytes.EqualFold(value, chunkedToken) {
			return &requestError{http.StatusNotImplemented, "transfer-encoding other than chunked"}
		}
		q.chunked = true
	case is(name, "connection"):
		for token := range bytes.SplitSeq(value, []byte{','}) {
			q.close = q.close || bytes.EqualFold(bytes.Trim(token, " \t"), closeToken)
		}
	case is(name, "expect"):
		q.expect = q.expect || is(value, "100-continue")
	}
	return nil
}

// contentLength takes one length in digits. Two, even if equal, are refused:
// where two readers disagree on them, one takes a body for a request.
func (q *request) contentLength(value []byte) error {
	if q.length >= 0 {
		return malformed("two content-lengths")
	}
	n, err := strconv.ParseUint(string(value), 10, 63)
	switch {
	case err != nil && n != math.MaxInt64:
		return malformed("malformed content-length")
	case n > maxBody:
		return &requestError{http.StatusRequestEntityTooLarge, "body too large"}
	}
	q.length = int(n)
	return nil
}

// is compares ASCII without regard to case; want is in lower case.
func is(got []byte, want string) bool {
	if len(got) != len(want) {
		return false
	}
	for i, c := range got {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

// tokenByte marks the bytes of a token (RFC 9110, section 5.6.2).
var tokenByte = func() (t [256]bool) {
	for _, c := range "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		t[c] = true
	}
	return t
}()

// isToken allows the names of methods and fields.
func isToken(s []byte) bool {
	for _, c := range s {
		if !tokenByte[c] {
			return false
		}
	}
	return len(s) > 0
}

// isValue allows what a field value may hold: no control bytes but tabs.
func isValue(s []byte) bool {
	for _, c := range s {
		if (c < ' ' && c != '\t') || c == 0x7f {
			return false
		}
	}
	return true
}

// isVisible allows printable ASCII without the blank.
func isVisible(s []byte) bool {
	for _, c := range s {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

func isHex(s []byte) bool {
	for _, c := range s {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return false
		}
	}
	return true
}
