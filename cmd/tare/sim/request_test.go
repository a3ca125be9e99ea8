package sim

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

func newReader(src io.Reader) *reader {
	return &reader{src: src, proceed: func() error { return nil }}
}

func TestRequests(t *testing.T) {
	r := newReader(strings.NewReader("POST /a?b HTTP/1.1\r\nHost: x\r\nCONTENT-LENGTH:  5 \r\nConnection: keep-alive, Close\r\n\r\nhello" +
		"GET / HTTP/1.1\n\n" +
		"POST /c HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n2;ext=1\r\nhe\r\n00003\r\nllo\r\n0\r\nTrailer: x\r\n\r\n" +
		"POST /d HTTP/1.1\r\nContent-Length: 0\r\n\r\n"))
	for _, want := range []struct {
		method, target, body string
		close                bool
		why                  string
	}{
		{"POST", "/a?b", "hello", true, "names in any case, blanks around values, lists"},
		{"GET", "/", "", false, "a bare LF ends a line too"},
		{"POST", "/c", "hello", false, "chunks, extensions and trailers"},
		{"POST", "/d", "", false, "pipelined behind them all"},
	} {
		var q request
		if err := r.next(&q); err != nil {
			t.Fatal(err)
		}
		if string(q.method) != want.method || string(q.target) != want.target || string(q.body) != want.body || q.close != want.close {
			t.Errorf("got %s %s %q close %v, want %+v", q.method, q.target, q.body, q.close, want)
		}
	}
	if err := r.next(new(request)); err != io.EOF {
		t.Errorf("at the end: %v, want EOF", err)
	}
}

func TestBadRequests(t *testing.T) {
	const head = "POST / HTTP/1.1\r\n"
	for _, c := range []struct {
		bytes  string
		status int // 0: not a requestError
		why    string
	}{
		{"\r\n\r\n", 400, "no request line"},
		{"GET /\r\n\r\n", 400, "no version"},
		{"GET / HTTP/1.0\r\n\r\n", 505, "an old version"},
		{"GET / HTTP/2.0\r\n\r\n", 505, "a new version"},
		{"GET  / HTTP/1.1\r\n\r\n", 400, "two blanks"},
		{"GET http://x/ HTTP/1.1\r\n\r\n", 400, "no path"},
		{"G{T / HTTP/1.1\r\n\r\n", 400, "no token"},
		{"GET /\x01 HTTP/1.1\r\n\r\n", 400, "a control byte"},
		{head + "Host : x\r\n\r\n", 400, "a blank before the colon"},
		{head + "A: x\r\n b\r\n\r\n", 400, "a folded field"},
		{head + "A: x\x00\r\n\r\n", 400, "a NUL in a value"},
		{head + "A: x\ry\r\n\r\n", 400, "a bare CR"},
		{head + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400, "two lengths"},
		{head + "Host: a\r\nHost: a\r\n\r\n", 400, "two hosts"},
		{head + "Content-Length: +5\r\n\r\nhello", 400, "a sign"},
		{head + "Content-Length: \r\n\r\n", 400, "no number"},
		{head + "Content-Length: 33554433\r\n\r\n", 413, "32 MiB and a byte"},
		{head + "Content-Length: 99999999999999999999\r\n\r\n", 413, "beyond 64 bits"},
		{head + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501, "another coding"},
		{head + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", 400, "both, a smuggler's way"},
		{head + "Transfer-Encoding: chunked\r\n\r\nz\r\n", 400, "no size"},
		{head + "Transfer-Encoding: chunked\r\n\r\n\r\n", 400, "an empty size"},
		{head + "Transfer-Encoding: chunked\r\n\r\n2\nhe\r\n0\r\n\r\n", 400, "a chunk line with a bare LF"},
		{head + "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n", 400, "a chunk longer than it says"},
		{head + "Transfer-Encoding: chunked\r\n\r\n2000001\r\n", 413, "a chunk over 32 MiB"},
		{head + "A: " + strings.Repeat("x", maxHead) + "\r\n\r\n", 431, "a long field"},
		{head + strings.Repeat("A: x\r\n", maxHead/6+1) + "\r\n", 431, "many fields"},
		{head + "Content-Length: 5\r\n\r\nhe", 0, "cut in the body"},
		{head, 0, "cut in the header"},
	} {
		err := newReader(strings.NewReader(c.bytes)).next(new(request))
		var bad *requestError
		switch {
		case c.status == 0 && !errors.Is(err, io.ErrUnexpectedEOF):
			t.Errorf("%.60q: %v, want an unexpected EOF: %s", c.bytes, err, c.why)
		case c.status != 0 && (!errors.As(err, &bad) || bad.status != c.status):
			t.Errorf("%.60q: %v, want %d: %s", c.bytes, err, c.status, c.why)
		}
	}
}

// The client's Expect is answered once, and only if it still waits.
func TestExpectContinue(t *testing.T) {
	for _, c := range []struct {
		early string
		asked int
	}{{"", 1}, {"he", 0}} {
		asked := 0
		late := strings.TrimPrefix("hello", c.early)
		r := newReader(io.MultiReader(
			strings.NewReader("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"+c.early), strings.NewReader(late)))
		r.proceed = func() error { asked++; return nil }
		var q request
		if err := r.next(&q); err != nil || string(q.body) != "hello" || asked != c.asked {
			t.Errorf("early %q: body %q, %v, asked %d times, want %d", c.early, q.body, err, asked, c.asked)
		}
	}
}

// oracle is what net/http makes of the same bytes.
func oracle(raw []byte) (method, target string, body []byte, closing bool, rest int, err error) {
	src := bufio.NewReaderSize(bytes.NewReader(raw), 1<<20)
	req, err := http.ReadRequest(src)
	if err != nil {
		return "", "", nil, false, 0, err
	}
	if body, err = io.ReadAll(req.Body); err != nil {
		return "", "", nil, false, 0, err
	}
	left, err := io.Copy(io.Discard, src)
	return req.Method, req.RequestURI, body, req.Close, int(left), err
}

// FuzzRequest: what the reader takes net/http takes, and reads alike; cuts
// between reads change nothing.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{
		"POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\nGET / HTTP/1.1\r\n\r\n",
		"GET /health HTTP/1.1\nConnection: close\n\n",
		"GET / HTTP/1.1\r\nConnection: a,\tclose\r\nExpect: 100-continue\r\n\r\n",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
		"0 / HTTP/1.1\nTransfer-Encoding: chunked\n\n0\r\n\n",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;a\r=b\r\n{}\r\n0\r\nX: y\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var whole, pieces request
		a, b := newReader(bytes.NewReader(raw)), newReader(iotest.OneByteReader(bytes.NewReader(raw)))
		errWhole, errPieces := a.next(&whole), b.next(&pieces)
		if got, want := fmt.Sprintf("%v %q", errPieces, pieces.body), fmt.Sprintf("%v %q", errWhole, whole.body); got != want {
			t.Fatalf("%q: byte by byte %s, whole %s", raw, got, want)
		}
		if errWhole != nil || bytes.ContainsRune(whole.target, '%') { // net/http looks into escapes
			return
		}
		method, target, body, closing, rest, err := oracle(raw)
		if err != nil {
			t.Fatalf("%q: taken as %s %s, but net/http says %v", raw, whole.method, whole.target, err)
		}
		used := len(raw) - rest
		if string(whole.method) != method || string(whole.target) != target || !bytes.Equal(whole.body, body) || whole.close != closing || a.pos != used {
			t.Fatalf("%q: %+v of %d bytes, net/http has %s %s %q close %v of %d bytes", raw, whole, a.pos, method, target, body, closing, used)
		}
	})
}
