package sim

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tare/worker/rxtime"
)

// writes notes what each system call would write, and makes none.
type writes struct {
	syscall.RawConn
	conn *conn
	got  []string
}

func (w *writes) Write(func(fd uintptr) bool) error {
	w.got = append(w.got, string(w.conn.out))
	w.conn.n = len(w.conn.out)
	return nil
}

// sketch names the parts of a write: H header, r opening event, t token event,
// f closing event, 0 the last chunk.
func sketch(write string) string {
	var b strings.Builder
	for _, part := range strings.SplitAfter(write, "\r\n\r\n") {
		switch {
		case part == "":
		case strings.HasPrefix(part, "HTTP/1.1 200"):
			b.WriteByte('H')
		default:
			for event := range strings.SplitSeq(part, "\n\n\r\n") {
				b.WriteString(letter(event))
			}
		}
	}
	return b.String()
}

func letter(event string) string {
	switch {
	case event == "":
		return ""
	case event == lastChunk:
		return "0"
	case strings.Contains(event, tokenText):
		return "t"
	case strings.Contains(event, `"role"`) || strings.Contains(event, "_start"):
		return "r"
	default:
		return "f"
	}
}

// One output event is one write, whatever the delays; the header goes out
// with the first event, and all that follows the last token with one write.
func TestOneEventOneWrite(t *testing.T) {
	for _, c := range []struct {
		endpoint endpoint
		params   params
		fault    FaultKind
		want     []string
	}{
		{completions, params{tokens: 3, stream: true}, "", []string{"Ht", "t", "t", "ff0"}},
		{completions, params{tokens: 3, stream: true, usage: true}, "", []string{"Ht", "t", "t", "fff0"}},
		{completions, params{tokens: 3, stream: true, usage: true, continuous: true}, "", []string{"Ht", "t", "t", "fff0"}},
		{completions, params{tokens: 0, stream: true}, "", []string{"Hff0"}},
		{chat, params{tokens: 2, stream: true}, "", []string{"Hr", "t", "t", "ff0"}},
		{chat, params{tokens: 0, stream: true}, "", []string{"Hrff0"}},
		{messages, params{tokens: 2, stream: true}, "", []string{"Hrr", "t", "t", "fff0"}},
		{completions, params{tokens: 3}, "", []string{"Ht"}},
		{completions, params{tokens: 4, stream: true}, FaultErrorEvent, []string{"Ht", "t", "ff0"}},
		{chat, params{tokens: 4, stream: true}, FaultStall, []string{"Hr"}},
		{chat, params{tokens: 4, stream: true}, FaultReset, nil},
	} {
		conn := &conn{srv: &Server{model: `"sim"`}}
		w := &writes{conn: conn}
		conn.raw = w
		conn.stream.conn = conn
		s := &conn.stream
		s.ask = ask{params: c.params, endpoint: c.endpoint, fault: c.fault}
		s.service.begin(&laws{}, 0)
		for s.begin(`"sim"`); !s.over(); {
			s.step()
		}
		var got []string
		for _, write := range w.got {
			got = append(got, sketch(write))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v %s: %s\n%q", c.params, c.fault, diff, w.got)
		}
	}
}

// What the socket does not take keeps its place before what follows.
func TestPendingKeepsOrder(t *testing.T) {
	c := &conn{raw: full{}}
	c.send([]byte("a"))
	c.send([]byte("b"))
	if string(c.pending) != "ab" || c.err != nil {
		t.Errorf("pending %q, %v, want ab", c.pending, c.err)
	}
}

// The service of a request starts at the kernel's stamp of its last byte, and
// the log tells that from the instant at which it was read.
func TestServiceStartsAtArrival(t *testing.T) {
	srv := &Server{model: `"sim"`, truth: &truthLog{}}
	srv.laws.ttft = law(t, "3us")
	srv.sched.ended = srv.ended
	c := &conn{srv: srv, id: 4, req: request{method: []byte("POST"), target: []byte("/v1/completions"), body: usual}}
	c.raw, c.stream.conn = &writes{conn: c}, c
	srv.handle(c, rxtime.Stamp{Arrival: 1000, Read: 2000})
	var l line
	if err := json.Unmarshal(srv.truth.lines, &l); err != nil {
		t.Fatalf("%v in %q", err, srv.truth.lines)
	}
	if l.Arrival != 1000 || l.Read != 2000 || l.Scheduled != 4000 || l.Conn != 4 || l.InputTokens != 32 || l.Tokens != 10 {
		t.Errorf("%+v, want the first token scheduled 3 µs after the arrival at 1000", l)
	}
}

// full is a socket that takes nothing.
type full struct{ syscall.RawConn }

func (full) Write(func(fd uintptr) bool) error { return nil }

// Steps that come late shift no instant: the next one is a gap after the
// last, not after now.
func TestLateStepsShiftNothing(t *testing.T) {
	l := &laws{ttft: law(t, "exp(20ms)"), itl: law(t, "exp(5ms)"), seed: 3}
	const start, number, n = 1000, 9, 50
	c := &conn{raw: full{}, srv: &Server{model: `"sim"`}}
	s := &c.stream
	s.conn = c
	s.ask = ask{params: params{tokens: n, stream: true}, number: number}
	s.service.begin(l, number)
	s.begin(`"sim"`)
	s.due = start + s.delay
	for i, want := range plan(l, number, start, 0, n) {
		if s.due != want {
			t.Fatalf("token %d is due at %d, want %d", i, s.due, want)
		}
		s.step()
	}
	if !s.over() {
		t.Error("tokens are left")
	}
}
