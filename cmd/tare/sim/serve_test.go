package sim

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tare/analysis/dist"
	"tare/ipc/clock"
)

// line is a line of the truth log.
type line struct {
	Request, Conn  uint64
	Arrival        int64  `json:"arrival_ns"`
	Read           int64  `json:"read_ns"`
	Accepted       int64  `json:"accepted_ns"`
	Body           uint32 `json:"body_crc"`
	Stream         bool
	Scheduled      int64  `json:"scheduled_first_ns"`
	Opening        *int64 `json:"opening_ns"`
	First          *int64 `json:"first_write_ns"`
	Last           *int64 `json:"last_write_ns"`
	End            *int64 `json:"end_ns"`
	Tokens, Status int
	InputTokens    int `json:"input_tokens"`
	CachedTokens   int `json:"cached_tokens"`
	Fault          FaultKind
	Cut            bool
}

// withTruth runs a simulator for the length of do and returns its truth log,
// by the requests' numbers.
func withTruth(t *testing.T, cfg Config, do func(*Server)) []line {
	t.Helper()
	cfg.TruthPath = filepath.Join(t.TempDir(), "truth.jsonl")
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error)
	go func() { served <- s.Serve(ctx) }()
	do(s)
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(cfg.TruthPath)
	if err != nil {
		t.Fatal(err)
	}
	var lines []line
	for text := range bytes.Lines(raw) {
		var l line
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		lines = append(lines, l)
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.Request, b.Request) })
	return lines
}

const streamed = `{"prompt":"a b c","max_tokens":%d,"stream":true}`

// slack is what a busy machine may be late.
const slack = int64(100 * time.Millisecond)

// The log tells when a request came, when its tokens went out, and when they
// should have.
func TestTruth(t *testing.T) {
	cfg := Config{TTFT: law(t, "20ms"), ITL: law(t, "10ms"), Prefill: law(t, "1ms")}
	begin := clock.Now()
	lines := withTruth(t, cfg, func(s *Server) {
		for range 2 {
			events(t, post(t, s.URL()+"/v1/completions", fmt.Sprintf(streamed, 4)).Body)
		}
		io.Copy(io.Discard, post(t, s.URL()+"/v1/completions", `{"prompt":"","max_tokens":4}`).Body)
		io.Copy(io.Discard, post(t, s.URL()+"/v1/completions", `{}`).Body)
	})
	if len(lines) != 4 {
		t.Fatalf("%d lines for 4 requests", len(lines))
	}
	for i, want := range []struct{ delay, spread int64 }{
		{23 * ms, 30 * ms}, // 3 words of 1 ms and 20 ms; three gaps of 10 ms
		{23 * ms, 30 * ms},
		{50 * ms, 0}, // unary: one write at the end
	} {
		l := lines[i]
		if l.Arrival < begin || l.Read < l.Arrival || l.Read > l.Arrival+slack || l.Scheduled != l.Arrival+want.delay {
			t.Errorf("request %d: %+v, want the first write scheduled %d ns after the arrival", i, l, want.delay)
		}
		if late := *l.First - l.Scheduled; late < 0 || late > slack {
			t.Errorf("request %d: first write %d ns after its instant", i, late)
		}
		if late := *l.Last - l.Scheduled - want.spread; late < 0 || late > slack {
			t.Errorf("request %d: last write %d ns after its instant", i, late)
		}
		if l.Tokens != 4 || l.Status != 200 || l.Conn != 1 || l.Cut || l.Fault != "" {
			t.Errorf("request %d: %+v", i, l)
		}
	}
	if l := lines[3]; l.Status != 400 || l.Tokens != 0 || l.First != nil || l.Last != nil {
		t.Errorf("a bad request: %+v, want 400 and no write instants", l)
	}
}

// The role of a chat goes out as the service starts, and what ends a stream
// some time after its last token; both are in the log, apart from the tokens.
func TestOpeningAndTail(t *testing.T) {
	cfg := Config{TTFT: law(t, "30ms"), ITL: law(t, "5ms"), Tail: law(t, "40ms"), OpenEarly: true}
	for _, c := range []struct {
		path  string
		opens bool
		why   string
	}{
		{"/v1/chat/completions", true, "the role is an event of its own"},
		{"/v1/completions", false, "nothing comes before the first token"},
	} {
		body := `{"stream":true,"max_tokens":3,"prompt":"one two","messages":[{"role":"user","content":"one two"}]}`
		l := withTruth(t, cfg, func(s *Server) { events(t, post(t, s.URL()+c.path, body).Body) })[0]
		if late := *l.End - l.Scheduled - 50*ms; late < 0 || late > slack {
			t.Errorf("%s: the end %d ns after its instant, two gaps and the tail after the first token", c.path, late)
		}
		if late := *l.Last - l.Scheduled - 10*ms; late < 0 || late > slack {
			t.Errorf("%s: the tail shifted the last token by %d ns", c.path, late)
		}
		switch {
		case (l.Opening != nil) != c.opens:
			t.Errorf("%s: opening %v, but %s", c.path, l.Opening, c.why)
		case c.opens && (*l.Opening < l.Arrival || *l.Opening-l.Arrival > slack):
			t.Errorf("%s: opened %d ns after the arrival, want at once", c.path, *l.Opening-l.Arrival)
		}
		if l.Accepted == 0 || l.Accepted > l.Read || !l.Stream || l.Body != crc32.Checksum([]byte(body), castagnoli) {
			t.Errorf("%s: %+v", c.path, l)
		}
	}
}

// MaxTokens shortens every answer, and its usage tells so.
func TestMaxTokens(t *testing.T) {
	s := startServer(t, Config{MaxTokens: 1})
	body, err := io.ReadAll(post(t, s.URL()+"/v1/completions", `{"prompt":"a","max_tokens":9}`).Body)
	if err != nil || !bytes.Contains(body, []byte(`"completion_tokens":1`)) {
		t.Errorf("%v: %s, want one token", err, body)
	}
}

// Two slots of 10 ms serve ten requests that come at once in five turns, each
// exactly 10 ms after the one before it, whenever the timers went off.
func TestSlotsServeInTurns(t *testing.T) {
	const requests, service = 10, 10 * ms
	lines := withTruth(t, Config{TTFT: law(t, "10ms"), Slots: 2}, func(s *Server) {
		var wg sync.WaitGroup
		for range requests {
			wg.Go(func() { events(t, post(t, s.URL()+"/v1/completions", fmt.Sprintf(streamed, 1)).Body) })
		}
		wg.Wait()
		waitFor(t, "the books", func() bool { st := s.Stats(); return st.Active == 0 && st.Tokens == requests })
	})
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(a.Scheduled, b.Scheduled) })
	arrivals := slices.SortedFunc(slices.Values(lines), func(a, b line) int { return cmp.Compare(a.Arrival, b.Arrival) })
	if spread := arrivals[requests-1].Arrival - arrivals[0].Arrival; spread > service {
		t.Skipf("the requests came over %d ns, not at once", spread)
	}
	for i, l := range lines {
		if i < 2 && l.Scheduled != l.Arrival+service {
			t.Errorf("request %d of the first turn: scheduled %d ns after its arrival", i, l.Scheduled-l.Arrival)
		}
		if i >= 2 && l.Scheduled != lines[i-2].Scheduled+service {
			t.Errorf("request %d: scheduled %d ns after the end before it, want %d", i, l.Scheduled-lines[i-2].Scheduled, service)
		}
	}
}

// dial opens a connection and sends a streaming request.
func dial(t *testing.T, s *Server, tokens int) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	body := fmt.Sprintf(streamed, tokens)
	fmt.Fprintf(c, "POST /v1/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	return c
}

// A client that leaves, in service or in the queue, is logged as cut with
// what was written, and its slot goes to the next.
func TestClientLeaves(t *testing.T) {
	lines := withTruth(t, Config{ITL: law(t, "1h"), Slots: 1}, func(s *Server) {
		served := dial(t, s, 5)
		if text, err := bufio.NewReader(served).ReadString('}'); err != nil {
			t.Fatal(text, err)
		}
		queued := dial(t, s, 5)
		waitFor(t, "a queue", func() bool { return s.Stats().Waiting == 1 })
		third := dial(t, s, 1)
		waitFor(t, "a longer queue", func() bool { return s.Stats().Waiting == 2 })
		queued.Close()
		waitFor(t, "a shorter queue", func() bool { return s.Stats().Waiting == 1 })
		served.Close()
		if resp, err := http.ReadResponse(bufio.NewReader(third), nil); err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
		waitFor(t, "the books", func() bool { return s.Stats().Cut == 2 })
	})
	for i, want := range []struct {
		tokens, status int
		cut            bool
	}{{1, 200, true}, {0, 0, true}, {1, 200, false}} {
		if l := lines[i]; l.Tokens != want.tokens || l.Status != want.status || l.Cut != want.cut {
			t.Errorf("request %d: %+v, want %+v", i, l, want)
		}
	}
}

// A client that does not read holds up nobody and loses nothing.
func TestSlowReader(t *testing.T) {
	const n = 40_000 // 6 MB: more than the sockets hold
	for _, itl := range []string{"0", "1ns"} {
		s := startServer(t, Config{ITL: law(t, itl)})
		slow := dial(t, s, n)
		for range 3 {
			events(t, post(t, s.URL()+"/v1/completions", fmt.Sprintf(streamed, 2)).Body)
		}
		if s.Stats().Active != 1 {
			t.Errorf("itl %s: %+v, want the slow one still in service", itl, s.Stats())
		}
		resp, err := http.ReadResponse(bufio.NewReader(slow), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if got := bytes.Count(body, []byte(tokenText)); got != n || err != nil {
			t.Errorf("itl %s: %d tokens, %v, want %d", itl, got, err, n)
		}
		slow.Close()
	}
}

// Requests sent ahead are answered in their order.
func TestPipelining(t *testing.T) {
	s := startServer(t, Config{TTFT: law(t, "5ms")})
	c := dial(t, s, 1)
	for n := 2; n <= 4; n++ {
		body := fmt.Sprintf(streamed, n)
		fmt.Fprintf(c, "POST /v1/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
	r := bufio.NewReader(c)
	for n := 1; n <= 4; n++ {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := tokens(t, events(t, resp.Body)); got != n {
			t.Errorf("answer %d has %d tokens", n, got)
		}
	}
}

// A stop lets streams end, and takes no more requests.
func TestStop(t *testing.T) {
	var c net.Conn
	lines := withTruth(t, Config{ITL: law(t, "30ms")}, func(s *Server) {
		c = dial(t, s, 5)
		waitFor(t, "the request", func() bool { return s.Stats().Active == 1 })
		dialed, err := net.Dial("tcp", s.Addr().String()) // idle: closed at once
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dialed.Close() })
	})
	if l := lines[0]; len(lines) != 1 || l.Tokens != 5 || l.Cut {
		t.Errorf("%+v, want one whole answer", lines)
	}
	b, err := io.ReadAll(c)
	if err != nil || !strings.HasSuffix(string(b), lastChunk) {
		t.Errorf("%q, %v, want a whole stream and then a close", b, err)
	}
}

// What does not end by itself is cut: when the time is up, or by Close.
func TestStopCuts(t *testing.T) {
	for _, closes := range []bool{false, true} {
		begin := time.Now()
		lines := withTruth(t, Config{TTFT: law(t, "1h"), Slots: 1}, func(s *Server) {
			if !closes {
				s.drain = 20 * time.Millisecond
			}
			dial(t, s, 5)
			dial(t, s, 5)
			waitFor(t, "the requests", func() bool { return s.Stats().Active+s.Stats().Waiting == 2 })
			if closes {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
		if len(lines) != 2 || !lines[0].Cut || !lines[1].Cut || lines[0].Tokens+lines[1].Tokens != 0 {
			t.Errorf("%+v, want two cut requests", lines)
		}
		if d := time.Since(begin); d > drainTime {
			t.Errorf("took %v", d)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	number, _ := dist.Constant(5)
	_, err := New(Config{
		TTFT: number, Slots: -1, Spin: time.Second, DefaultTokens: -1,
		Faults: []Fault{{FaultCut, 0.7}, {FaultReset, 0.7}, {"none", 0}},
	})
	for _, says := range []string{"ttft 5 has no unit", "slots is -1", "spin is 1s", "default tokens is -1", `"none" is not known`, "add up to 1.4"} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
	if _, err := New(Config{Listen: "127.0.0.1:x"}); err == nil || !strings.Contains(err.Error(), "listen on 127.0.0.1:x") {
		t.Errorf("bad address: %v", err)
	}
	if _, err := New(Config{TruthPath: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "create the truth log") {
		t.Errorf("bad truth path: %v", err)
	}
}
