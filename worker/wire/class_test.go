package wire

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

const (
	okHead    = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	toClose   = okHead + "\r\n"
	chunked   = okHead + "Transfer-Encoding: chunked\r\n\r\n"
	token     = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
	role      = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n"
	finish    = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	abort     = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"abort\"}]}\n\n"
	usageOnly = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\n"
	done      = "data: [DONE]\n\n"
)

// inChunks codes each piece as one chunk, without the last chunk.
func inChunks(pieces ...string) string {
	out := chunked
	for _, p := range pieces {
		out += fmt.Sprintf("%x\r\n%s\r\n", len(p), p)
	}
	return out
}

// TestClasses walks through the ways in which an answer ends.
func TestClasses(t *testing.T) {
	length := func(n int, body string) string {
		return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", okHead, n, body)
	}
	status := func(line, body string) string {
		return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", line, len(body), body)
	}
	tests := []struct {
		why   string
		raw   string
		end   error
		class ErrorClass
		sub   string
	}{
		{"finish and [DONE]", inChunks(token, finish, done) + "0\r\n\r\n", io.EOF, OK, ""},
		{"[DONE] settles, whatever the framing does", inChunks(token, done), syscall.ECONNRESET, OK, ""},
		{"[DONE] settles before a broken chunk", inChunks(token, done) + "zz", io.EOF, OK, ""},
		{"[DONE] whole but for its line ends", inChunks(token, "data: [DONE]"), io.EOF, OK, ""},
		{"[DONE] with white space", inChunks(token, "data:  [DONE] \n\n"), io.EOF, OK, ""},
		{"finish reason and a whole body", inChunks(token, finish) + "0\r\n\r\n", io.EOF, OK, ""},
		{"finish reason and close", toClose + token + finish, io.EOF, OK, ""},
		{"finish reason and reset", toClose + token + finish, syscall.ECONNRESET, Truncated, "reset in body"},
		{"finish reason, body not whole", inChunks(token, finish), io.EOF, Truncated, "closed in body"},
		{"finish reason, last chunk without its empty line", inChunks(token, finish) + "0\r\n", io.EOF, Truncated, "closed in body"},
		{"finish reason, then half an event", toClose + token + finish + "data: {\"us", io.EOF, Truncated, "event cut short"},
		{"last event whole but for its line ends", toClose + token + strings.TrimSpace(finish), io.EOF, OK, ""},
		{"whole body, no end mark", inChunks(token) + "0\r\n\r\n", io.EOF, Truncated, "no end mark"},
		{"only the role", inChunks(role) + "0\r\n\r\n", io.EOF, Truncated, "no end mark"},
		{"only the role, and [DONE]: an answer of no token", inChunks(role, done), io.EOF, OK, ""},
		{"length not reached", length(1000, token), io.EOF, Truncated, "closed in body"},
		{"length reached", length(len(token+finish), token+finish), io.EOF, OK, ""},
		{"only [DONE]", toClose + done, io.EOF, Empty, "no choices"},
		{"only usage", toClose + usageOnly + done, io.EOF, Empty, "no choices"},
		{"only usage, no end mark", toClose + usageOnly, io.EOF, Empty, "no choices"},
		{"only comments", toClose + ": ping\n\n: ping\n\n", io.EOF, Empty, "no events"},
		{"no body", length(0, ""), io.EOF, Empty, "no body"},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", io.EOF, Empty, "no body"},
		{"text under the type of a stream", toClose + "upstream is down", io.EOF, NotStream, "no event"},
		{"a page", status("200 OK", "<html>\n\n<p>data is here</p>"), io.EOF, NotStream, "no event"},
		{"a stream under another type", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + token + finish, io.EOF, OK, ""},
		{"a JSON error", status("200 OK", `{"error":{"message":"m","type":"t"}}`), io.EOF, StreamError, "t"},
		{"event named error", toClose + token + "event: error\ndata: overloaded\n\n" + done, io.EOF, StreamError, ""},
		{"event named error without data", toClose + token + ": overloaded\nevent: error\n\n" + done, io.EOF, StreamError, ""},
		{"event named error, cut short", toClose + token + "event: error\ndata: {\"mess", io.EOF, StreamError, ""},
		{"field named error", toClose + "error: {\"message\":\"m\",\"code\":400}\n\n" + done, io.EOF, StreamError, "400"},
		{"field named error, but null", toClose + "error: null\n" + token + done, io.EOF, OK, ""},
		{"error string beside its type", toClose + `data:{"error":"m","error_type":"generation"}` + "\n\n", io.EOF, StreamError, "generation"},
		{"abort and [DONE]", toClose + token + abort + done, io.EOF, StreamError, "abort"},
		{"abort and no end", inChunks(token, abort), os.ErrDeadlineExceeded, StreamError, "abort"},
		{"no JSON", toClose + token + "data: x\n\n" + done, io.EOF, Parse, "event"},
		{"bad chunk size", inChunks(token) + "xyz\r\n", io.EOF, Parse, "chunk framing"},
		{"chunk longer than its size", chunked + "1\r\nab\r\n", io.EOF, Parse, "chunk framing"},
		{"chunk size too large", chunked + "fffffffffffffffff\r\n", io.EOF, Parse, "chunk framing"},
		{"bare LF in chunk framing", chunked + "1\na\r\n", io.EOF, Parse, "chunk framing"},
		{"unknown coding", okHead + "Content-Encoding: br\r\n\r\nxx", io.EOF, Parse, "coding"},
		{"no header line", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", io.EOF, Parse, "header"},
		{"lengths in conflict", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", io.EOF, Parse, "header"},
		{"chunked is not the last coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n", io.EOF, Parse, "header"},
		{"another protocol", "SSH-2.0-OpenSSH_9.6\r\n", io.EOF, Parse, "status line"},
		{"another protocol that waits", "\x15\x03\x01\x00", os.ErrDeadlineExceeded, Parse, "status line"},
		{"blank before a colon", "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n", io.EOF, Empty, "no body"},
		{"not one byte", "", io.EOF, Connection, ClosedBeforeResponse},
		{"not one byte, reset", "", &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, Connection, ResetBeforeResponse},
		{"closed in the header", "HTTP/1.1 200 OK\r\n", io.EOF, Connection, "closed in response header"},
		{"only an interim answer", "HTTP/1.1 100 Continue\r\n\r\n", io.EOF, Connection, ClosedBeforeResponse},
		{"kernel gave up on the peer", inChunks(token), os.NewSyscallError("read", syscall.ETIMEDOUT), Truncated, "closed in body"},
		{"deadline, no answer", "", os.ErrDeadlineExceeded, Timeout, "deadline before response"},
		{"deadline in the body", inChunks(token), context.DeadlineExceeded, Timeout, "deadline in body"},
		{"deadline behind a finish reason", inChunks(token, finish), os.ErrDeadlineExceeded, Timeout, "deadline in body"},
		{"given up", inChunks(token), fmt.Errorf("run ended: %w", context.Canceled), Cancelled, "cancelled in body"},
		{"status", status("429 Too Many", `{"error":{"message":"m","type":"t"}}`), io.EOF, HTTPStatus, "t"},
		{"status, body not whole", "HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\nb", os.ErrDeadlineExceeded, HTTPStatus, ""},
		{"status, broken chunk", "HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\nzz", io.EOF, HTTPStatus, ""},
		{"status, and a stream all the same", strings.Replace(inChunks(token, done), "200 OK", "500 Oh", 1) + "0\r\n\r\n", io.EOF, HTTPStatus, ""},
		{"redirect", status("302 Found", ""), io.EOF, HTTPStatus, ""},
		{"another protocol by upgrade", "HTTP/1.1 101 Switching Protocols\r\n\r\n\x00", io.EOF, HTTPStatus, ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			var r Reader
			for _, cuts := range [][]int{nil, everyByte(len(tt.raw))} {
				res, _ := read(&r, Options{API: Chat, Stream: true}, []byte(tt.raw), cuts, tt.end)
				if res.Class != tt.class || res.Sub != tt.sub {
					t.Errorf("class %q, %q (%s), want %q, %q", res.Class, res.Sub, res.Message, tt.class, tt.sub)
				}
				if (res.Class == OK) != (res.Message == "") {
					t.Errorf("class %q with message %q", res.Class, res.Message)
				}
			}
		})
	}
}

// TestState checks when the class is settled and the body complete.
func TestState(t *testing.T) {
	var r Reader
	r.Reset(Options{API: Chat, Stream: true}, nowhere{})
	for _, step := range []struct {
		push string
		want State
	}{
		{chunked, State{}},
		{"1\r\n:\r\n", State{}},
		{fmt.Sprintf("%x\r\n%s", len(token+done), token+done), State{Settled: true}},
		{"\r\n0\r\n", State{Settled: true}},
		{"\r", State{Settled: true}},
		{"\n", State{Settled: true, Complete: true}},
	} {
		if got := r.Push([]byte(step.push)); got != step.want {
			t.Errorf("after %q: %+v, want %+v", step.push, got, step.want)
		}
	}
	if !r.Result().Reusable {
		t.Error("not reusable")
	}
	r.Push([]byte("H"))
	if r.Result().Reusable {
		t.Error("reusable with bytes left over")
	}
}

// TestInterim checks that interim answers are passed over in silence.
func TestInterim(t *testing.T) {
	var r Reader
	raw := "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n"
	for _, cuts := range [][]int{nil, everyByte(len(raw))} {
		if _, rec := read(&r, Options{}, []byte(raw), cuts, io.EOF); len(rec.headers) != 1 || rec.headers[0] != 202 {
			t.Errorf("headers %v, want only 202", rec.headers)
		}
	}
}

// TestReusable tells which connections may carry another request.
func TestReusable(t *testing.T) {
	tests := []struct {
		why, raw string
		want     bool
	}{
		{"persistent by default", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", true},
		{"also after an error", "HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", true},
		{"without body", "HTTP/1.1 204 No\r\n\r\n", true},
		{"trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\nC: d\r\n\r\n", true},
		{"Connection: close", "HTTP/1.1 200 OK\r\nConnection: keep-alive, Close\r\nContent-Length: 0\r\n\r\n", false},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false},
		{"HTTP/1.0 with keep-alive", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n", true},
		{"HTTP/1.0 and chunked", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false},
		{"body up to the end", "HTTP/1.1 200 OK\r\n\r\nx", false},
		{"body not whole", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx", false},
		{"upgraded", "HTTP/1.1 101 Switching Protocols\r\n\r\n", false},
		{"a second answer unasked", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 408 Late\r\n\r\n", false},
	}
	for _, tt := range tests {
		var r Reader
		if res, _ := read(&r, Options{}, []byte(tt.raw), nil, io.EOF); res.Reusable != tt.want {
			t.Errorf("%s: reusable %v", tt.why, res.Reusable)
		}
	}
}

// TestLimits checks what is bounded, and that the bound says so.
func TestLimits(t *testing.T) {
	var r Reader
	long := "data: {\"choices\":[{\"text\":\"" + strings.Repeat("é", 200) + "\"}]}\n\n"
	tests := []struct {
		why, raw string
		o        Options
		sub      string
	}{
		{"line", toClose + long, Options{Stream: true, MaxLine: 100}, "line too long"},
		{"line that never ends", toClose + ": " + strings.Repeat("x", 200), Options{Stream: true, MaxLine: 100}, "line too long"},
		{"lines of one event", toClose + strings.Repeat("data: 1\n", 200), Options{Stream: true, MaxLine: 100}, "line too long"},
		{"unary body", toClose + long, Options{MaxLine: 100}, "body too long"},
		{"header", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", maxHead), Options{}, "header"},
		{"trailers", chunked + "0\r\n" + strings.Repeat("A: b\r\n", maxOverhead/4), Options{}, "chunk framing"},
	}
	for _, tt := range tests {
		if res, _ := read(&r, tt.o, []byte(tt.raw), []int{100}, io.EOF); res.Class != Parse || res.Sub != tt.sub {
			t.Errorf("%s: %q, %q", tt.why, res.Class, res.Sub)
		}
	}
	// Text is cut between characters; that is no failure. é has two bytes.
	res, _ := read(&r, Options{Stream: true, SaveText: true, MaxText: 21, MaxBody: 3}, []byte(toClose+long+finish), nil, io.EOF)
	if res.Class != OK || res.Text != strings.Repeat("é", 10) || string(res.BodyPrefix) != "dat" {
		t.Errorf("class %q, text %q, body %q", res.Class, res.Text, res.BodyPrefix)
	}
	// 15 MiB in one line are fine without an option.
	big := toClose + "data: {\"choices\":[{\"text\":\"" + strings.Repeat("x", 15<<20) + "\",\"finish_reason\":\"stop\"}]}\n\n"
	if res, _ := read(&r, Options{Stream: true}, []byte(big), []int{9 << 20}, io.EOF); res.Class != OK {
		t.Errorf("long line: %q, %q", res.Class, res.Message)
	}
	r.Reset(Options{}, nowhere{})
	if n := cap(r.sse.pending) + cap(r.sse.data) + cap(r.answer.text) + cap(r.whole); n > 4*keptBuffer {
		t.Errorf("%d bytes of buffer kept", n)
	}
}

// TestGzip checks the ends of a compressed body, and that no coroutine stays
// behind, however the answer ends.
func TestGzip(t *testing.T) {
	zip := func(body string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, body)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	head := okHead + "Content-Encoding: x-gzip\r\n\r\n"
	whole := zip(token + finish)
	flipped := []byte(whole)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	before := runtime.NumGoroutine()
	tests := []struct {
		why, raw string
		end      error
		class    ErrorClass
	}{
		{"whole", head + whole, io.EOF, OK},
		{"as transfer coding", okHead + "Transfer-Encoding: gzip, chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(whole), whole), io.EOF, OK},
		{"in two members", head + zip(token) + zip(finish), io.EOF, OK},
		{"settled early", head + zip(token+done+token), syscall.ECONNRESET, OK},
		{"cut short", head + whole[:len(whole)-9], io.EOF, Truncated},
		{"reset", head + whole[:len(whole)-9], syscall.ECONNRESET, Truncated},
		{"deadline", head + whole[:len(whole)-9], os.ErrDeadlineExceeded, Timeout},
		{"not gzip at all", head + token, io.EOF, Parse},
		{"wrong checksum", head + string(flipped), io.EOF, Parse},
		{"no body", okHead + "Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", io.EOF, Empty},
		{"bad status", "HTTP/1.1 502 Oh\r\nContent-Encoding: gzip\r\n\r\n" + whole[:20], io.EOF, HTTPStatus},
	}
	for _, tt := range tests {
		var r Reader
		for _, cuts := range [][]int{nil, everyByte(len(tt.raw))} {
			res, _ := read(&r, Options{API: Chat, Stream: true}, []byte(tt.raw), cuts, tt.end)
			if res.Class != tt.class || !res.Gzip {
				t.Errorf("%s: class %q (%s, %s), gzip %v", tt.why, res.Class, res.Sub, res.Message, res.Gzip)
			}
		}
		r.Push([]byte(tt.raw))
		r.Reset(Options{}, nowhere{})
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

// TestCloseAfterEnd checks that Close on an answer that is over changes nothing.
func TestCloseAfterEnd(t *testing.T) {
	var r Reader
	r.Reset(Options{API: Chat, Stream: true}, nowhere{})
	r.Push([]byte(inChunks(token, done) + "0\r\n\r\n"))
	if s := r.Close(errors.New("closed by us")); !s.Complete || r.Result().Class != OK {
		t.Errorf("%+v, %+v", s, r.Result())
	}
}
