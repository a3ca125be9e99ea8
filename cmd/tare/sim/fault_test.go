package sim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestParseFault(t *testing.T) {
	for _, kind := range FaultKinds() {
		if f, err := ParseFault(string(kind) + "=0.25"); err != nil || f != (Fault{kind, 0.25}) {
			t.Errorf("%s: %v, %v", kind, f, err)
		}
	}
	for s, says := range map[string]string{
		"reset":          `fault "reset": write it as KIND=SHARE`,
		"reset=x":        `the share "x" is no number`,
		"reset=1.5":      `fault reset: the share is 1.5; it must be from 0 to 1`,
		"reset=NaN":      `must be from 0 to 1`,
		"reset=-0.1":     `must be from 0 to 1`,
		"status-404=0.1": `fault "status-404" is not known; choose from [status-429`,
	} {
		if _, err := ParseFault(s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", s, err, says)
		}
	}
}

// Every kind comes with its share, the rest is sound.
func TestFaultShares(t *testing.T) {
	faults := []Fault{{FaultReset, 0.1}, {FaultCut, 0.2}, {"status-429", 0.3}}
	l := &laws{faults: faults, seed: 5}
	var s service
	const n = 20000
	counts := map[FaultKind]int{}
	for i := range n {
		s.begin(l, uint64(i))
		counts[s.fault()]++
	}
	for _, f := range append(faults, Fault{"", 0.4}) {
		se := math.Sqrt(n * f.Share * (1 - f.Share)) // of a binomial count
		if d := math.Abs(float64(counts[f.Kind]) - n*f.Share); d > 4*se {
			t.Errorf("%q: %d of %d, want a share of %v ± %.0f", f.Kind, counts[f.Kind], n, f.Share, 4*se)
		}
	}
	for u, want := range map[float64]FaultKind{0: FaultReset, 0.0999: FaultReset, 0.1: FaultCut, 0.6: "", 0.9999: ""} {
		if got := drawFault(faults, u); got != want {
			t.Errorf("u = %v: %q, want %q", u, got, want)
		}
	}
}

// exchangeRaw sends a request on a connection of its own and returns all that
// comes until the server closes or is silent for 50 ms.
func exchangeRaw(t *testing.T, s *Server, path, body string) (string, error) {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
	c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	b, err := io.ReadAll(c)
	return string(b), err
}

// What a raw client sees of each fault, for four tokens.
func TestFaults(t *testing.T) {
	open := func(err error) bool { var e net.Error; return errors.As(err, &e) && e.Timeout() }
	closed := func(err error) bool { return err == nil }
	rst := func(err error) bool { return errors.Is(err, syscall.ECONNRESET) }
	for _, c := range []struct {
		kind       FaultKind
		events     int    // token events in the stream
		end        string // of the stream
		unaryEnd   string // of the unary answer
		unaryHolds string
		after      func(error) bool
		why        string
	}{
		{"status-429", 0, "}}", "}}", "429 Too Many Requests", open, "an error object"},
		{"status-500-empty", 0, "\r\n\r\n", "\r\n\r\n", "500 Internal Server Error", open, "no body"},
		{"status-503", 0, "}}", "}}", `"type":"ServiceUnavailableError"`, open, "an error object"},
		{FaultReset, 0, "", "", "", rst, "RST, not a byte"},
		{FaultCut, 2, "1f4\r\ndata: {\"id\":", "", "200 OK", closed, "half the tokens, then a torn chunk"},
		{FaultStall, 1, "}\n\n\r\n", "", "200 OK", open, "the first event, then nothing"},
		{FaultErrorEvent, 2, "data: [DONE]\n\n\r\n0\r\n\r\n", "}}", `"type":"InternalServerError"`, open, "the error, then [DONE]"},
		{FaultGarbage, 2, "data: [DONE]\n\n\r\n0\r\n\r\n", "", "200 OK", open, "no JSON, then a good end"},
		{FaultClose, 4, "data: [DONE]\n\n\r\n0\r\n\r\n", "}}", "connection: close", closed, "all well but the connection"},
		{FaultBadChunk, 2, "zz\r\n{}\r\n", "}}", "zz\r\n{}\r\n", closed, "a size that is no number"},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			s := startServer(t, Config{Faults: []Fault{{c.kind, 1}}})
			const ask = `{"prompt":"a","max_tokens":4,"stream":true}`
			got, err := exchangeRaw(t, s, "/v1/completions", ask)
			if n := strings.Count(got, `"text":" token"`); n != c.events || !strings.HasSuffix(got, c.end) || !c.after(err) {
				t.Errorf("stream: %d token events, end %v: %q; want %d, %s", n, err, got, c.events, c.why)
			}
			got, err = exchangeRaw(t, s, "/v1/completions", strings.Replace(ask, "true", "false", 1))
			if !strings.Contains(got, c.unaryHolds) || !strings.HasSuffix(got, c.unaryEnd) || !c.after(err) {
				t.Errorf("unary: %q, %v; want %s", got, err, c.why)
			}
			waitFor(t, "the connections to end", func() bool { return s.Stats().Connections == 0 })
			if st := s.Stats(); st.Faults != 2 || st.Cut != 0 || st.Active != 0 {
				t.Errorf("%+v, want two faults, none of them the client's", st)
			}
		})
	}
}

// The error in a stream has the endpoint's shape; a stall leaves the role.
func TestFaultsInDialects(t *testing.T) {
	s := startServer(t, Config{Faults: []Fault{{FaultErrorEvent, 1}}})
	got, _ := exchangeRaw(t, s, "/v1/messages", `{"messages":[{"content":"a"}],"max_tokens":4,"stream":true}`)
	if !strings.Contains(got, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\"") || strings.Contains(got, "DONE") {
		t.Errorf("messages: %q", got)
	}
	s = startServer(t, Config{Faults: []Fault{{FaultStall, 1}}})
	got, _ = exchangeRaw(t, s, "/v1/chat/completions", `{"messages":[],"max_tokens":4,"stream":true}`)
	if !strings.Contains(got, `"role":"assistant"`) || strings.Contains(got, tokenText) {
		t.Errorf("chat: %q, want the role and no token", got)
	}
}

func TestSlowHeader(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	s := startServer(t, Config{Faults: []Fault{{FaultSlowHeader, 1}}})
	begin := time.Now()
	resp := post(t, s.URL()+"/v1/completions", `{"prompt":"a","max_tokens":4,"stream":true}`)
	if d := time.Since(begin); d < SlowHeader {
		t.Errorf("header after %v, want %v or more", d, SlowHeader)
	}
	if n := tokens(t, events(t, resp.Body)); n != 4 {
		t.Errorf("%d tokens, want 4", n)
	}
}

// A stalled stream gives its slot back, so that the capacity stays what it is.
func TestStallFreesItsSlot(t *testing.T) {
	s := startServer(t, Config{Slots: 1, Faults: []Fault{{FaultStall, 1}}})
	for range 3 {
		resp := post(t, s.URL()+"/v1/completions", `{"prompt":"a","max_tokens":4,"stream":true}`)
		if line, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || !strings.Contains(line, tokenText) {
			t.Fatalf("%q, %v", line, err)
		}
	}
	waitFor(t, "the slots to be free", func() bool { return s.Stats().Active == 0 })
	if st := s.Stats(); st.Waiting != 0 || st.Connections != 3 {
		t.Errorf("%+v, want three silent connections", st)
	}
}

// A client that is refused for bad bytes reads why, though it sends on.
func TestBadRequestIsAnswered(t *testing.T) {
	s := startServer(t, Config{})
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	junk := make([]byte, 1<<20)
	for i := range junk {
		junk[i] = byte('a' + rand.IntN(26))
	}
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n%s", junk)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || resp.StatusCode != 400 || !resp.Close {
		t.Fatalf("%+v, %v, want 400 and a close", resp, err)
	}
	if b, _ := io.ReadAll(resp.Body); !strings.Contains(string(b), "malformed content-length") {
		t.Errorf("%s", b)
	}
}
