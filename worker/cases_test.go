package worker

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tare/ipc"
	"tare/ipc/clock"
	"tare/worker/wire"
)

// wireCase is one raw response and its right reading; see meta in
// expected.json.
type wireCase struct {
	name, raw string

	API       string   `json:"api"`
	After     string   `json:"after_last_byte"`
	Contested bool     `json:"contested"`
	Success   bool     `json:"success"`
	Class     *string  `json:"error_class"`
	Also      []string `json:"error_class_also_accepted"`
	TextHash  string   `json:"text_sha256"`
	Reasoning *string  `json:"reasoning"`
	Content   int64    `json:"content_chunks"`
	First     *int64   `json:"first_content_event"`
	FirstText *int64   `json:"first_text_event"`
	Out       *int64   `json:"output_tokens"`
	In        *int64   `json:"input_tokens"`
	Finish    *string  `json:"finish_reason"`
	Offsets   []int    `json:"event_offsets"`
}

func wireCases(t *testing.T) []wireCase {
	t.Helper()
	const dir = "wire/testdata/wire-cases"
	doc, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases map[string]wireCase }
	if err := json.Unmarshal(doc, &file); err != nil {
		t.Fatal(err)
	}
	var cases []wireCase
	for name, c := range file.Cases {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		c.name, c.raw = name, string(raw)
		cases = append(cases, c)
	}
	slices.SortFunc(cases, func(a, b wireCase) int { return strings.Compare(a.name, b.name) })
	return cases
}

// piece is what the server writes at once; it pauses after it.
type piece struct {
	bytes  string
	pause  time.Duration
	before int64 // CLOCK_MONOTONIC ns, set by the server before the write
}

// cut cuts raw at the given offsets.
func cut(raw string, offsets []int, pause time.Duration) []*piece {
	var pieces []*piece
	last := 0
	for _, o := range append(slices.Clone(offsets), len(raw)) {
		if o > last {
			pieces = append(pieces, &piece{bytes: raw[last:o], pause: pause})
			last = o
		}
	}
	return pieces
}

// serveOne answers one request with the pieces and ends as the case says.
func serveOne(t *testing.T, ln net.Listener, c wireCase, pieces []*piece) (done <-chan struct{}) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		conn, err := ln.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		req, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			t.Error(err)
			return
		}
		for _, p := range pieces {
			p.before = clock.Now()
			if _, err := io.WriteString(conn, p.bytes); err != nil {
				return // the client has seen enough
			}
			time.Sleep(p.pause)
		}
		finish(conn, c.After)
	}()
	return ended
}

func finish(conn net.Conn, how string) {
	switch how {
	case "rst":
		time.Sleep(20 * time.Millisecond) // a reset overtakes bytes that lie unread
		tcp, ok := conn.(*net.TCPConn)
		if !ok {
			tcp = conn.(*tls.Conn).NetConn().(*net.TCPConn)
		}
		_ = tcp.SetLinger(0)
		_ = tcp.Close()
	case "hang":
		_, _ = conn.Read(make([]byte, 1)) // until the client leaves
	}
}

// ask sends one request to ln as the load would.
func askFor(t *testing.T, ln net.Listener, c wireCase, ca string) ipc.Record {
	t.Helper()
	endpoint := map[string]string{"anthropic": "messages"}[c.API]
	if endpoint == "" {
		endpoint = c.API
	}
	scheme := "http://"
	if ca != "" {
		scheme = "https://"
	}
	rec, err := Probe(context.Background(), ipc.Settings{
		Target: ipc.Target{
			URL: scheme + ln.Addr().String(), Endpoint: endpoint, Model: "m", Stream: true, CA: ca,
			Timeout: patience(c), IdleTimeout: patience(c),
		},
		Shape: ipc.Shape{InputTokens: "8", OutputTokens: "4"}, SaveText: true,
	}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// patience is the deadline of a case: short where the server falls silent.
func patience(c wireCase) time.Duration {
	if c.After == "hang" {
		return 700 * time.Millisecond
	}
	return 20 * time.Second
}

// check compares a record with the case's right reading.
func (c *wireCase) check(t *testing.T, r ipc.Record) {
	t.Helper()
	if !c.Success {
		if got := r.Class.String(); got != *c.Class && !slices.Contains(c.Also, got) {
			t.Errorf("class %s (%s: %s), want %s or %v", got, r.Sub, r.Message, *c.Class, c.Also)
		}
		return
	}
	or := func(p *int64) int64 {
		if p == nil {
			return ipc.Unknown
		}
		return *p
	}
	str := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	type reading struct {
		class                          ipc.Class
		textHash, reasoning, finish    string
		content, first, text1, out, in int64
	}
	got := reading{r.Class, fmt.Sprintf("%x", sha256.Sum256([]byte(r.Text))), r.Reasoning, r.FinishReason, r.ContentEvents, r.FirstContent, r.FirstText, r.OutputTokens, r.InputTokens}
	want := reading{ipc.OK, c.TextHash, str(c.Reasoning), str(c.Finish), c.Content, or(c.First), or(c.FirstText), or(c.Out), or(c.In)}
	if got != want {
		t.Errorf("\n got %+v (%s: %s)\nwant %+v", got, r.Sub, r.Message, want)
	}
	if int64(len(r.Output)) != c.Content {
		t.Errorf("%d output events recorded, want %d", len(r.Output), c.Content)
	}
}

// outputEvents are the numbers of the events that carry output.
type outputEvents struct{ n, events []int }

func (o *outputEvents) Header(int) {}

func (o *outputEvents) Event(k wire.Kind, _ bool, _ int) {
	o.n = append(o.n, 0)
	if k != wire.None {
		o.events = append(o.events, len(o.n)-1)
	}
}

// times checks that each event that was alone in its read bears a stamp from
// between the write that completed it and the next write: an event is seen when
// its last byte is there, not when the next one comes.
func (c *wireCase) times(t *testing.T, r ipc.Record, pieces []*piece) {
	t.Helper()
	var o outputEvents
	var reader wire.Reader
	api := map[string]wire.API{"chat": wire.Chat, "anthropic": wire.Messages}[c.API]
	reader.Reset(wire.Options{API: api, Stream: true}, &o)
	reader.Push([]byte(c.raw))
	const slack = int64(200 * time.Microsecond) // between CLOCK_REALTIME's offset and ours
	for i, e := range r.Output {
		if !e.Alone || i >= len(o.events) || o.events[i]+1 >= len(pieces) {
			continue
		}
		p, next := pieces[o.events[i]], pieces[o.events[i]+1]
		if e.Arrival < p.before-slack || next.before > 0 && e.Arrival > next.before+slack {
			t.Errorf("output event %d: arrival %v after its write began, the next one began after %v",
				i, time.Duration(e.Arrival-p.before), time.Duration(next.before-p.before))
		}
	}
}

// All wire cases, read by the engine from real sockets: whole, byte by byte,
// at random cuts, and event by event with pauses; over TCP and over TLS. (The
// same cuts without sockets, and more of them, are in package wire.)
func TestWireCasesOverSockets(t *testing.T) {
	cert, ca := selfSigned(t)
	for _, secure := range []bool{false, true} {
		for _, c := range wireCases(t) {
			if c.Contested {
				continue
			}
			for how, pieces := range cutsOf(c) {
				name := strings.Join([]string{map[bool]string{false: "tcp", true: "tls"}[secure], how, c.name}, "/")
				t.Run(name, func(t *testing.T) {
					t.Parallel() // most of it is waiting
					ln := listen(t)
					file := ""
					if secure {
						ln, file = tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{cert}}), ca
					}
					done := serveOne(t, ln, c, pieces)
					r := askFor(t, ln, c, file)
					<-done
					c.check(t, r)
					if how == "events" {
						c.times(t, r, pieces)
					}
				})
			}
		}
	}
}

func cutsOf(c wireCase) map[string][]*piece {
	all := map[string][]*piece{
		"whole":  cut(c.raw, nil, 0),
		"events": cut(c.raw, c.Offsets, 3*time.Millisecond),
	}
	r := mathrand.New(mathrand.NewPCG(7, uint64(len(c.raw))))
	var random []int
	for range min(12, max(len(c.raw)-1, 0)) {
		random = append(random, 1+r.IntN(len(c.raw)-1))
	}
	slices.Sort(random)
	all["random"] = cut(c.raw, random, time.Millisecond)
	if len(c.raw) < 10_000 && !testing.Short() {
		every := make([]int, len(c.raw))
		for i := range every {
			every[i] = i
		}
		all["bytes"] = cut(c.raw, every, 0)
	}
	return all
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

// selfSigned makes a certificate for the loopback address and a file to trust
// it by.
func selfSigned(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "tare test"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// Stamps work beneath TLS: what the kernel held for 30 ms shows as client lag
// there as well.
func TestStampsUnderTLS(t *testing.T) {
	cert, ca := selfSigned(t)
	ln := tls.NewListener(listen(t), &tls.Config{Certificates: []tls.Certificate{cert}})
	for _, c := range wireCases(t) {
		if c.name != "001-vllm-chat-basic.http" {
			continue
		}
		pieces := cut(c.raw, c.Offsets, 5*time.Millisecond)
		done := serveOne(t, ln, c, pieces)
		r := askFor(t, ln, c, ca)
		<-done
		c.check(t, r)
		for i, e := range r.Output {
			if e.Arrival == e.Read {
				t.Skip("this kernel gives no receive stamps")
			}
			if !e.Alone {
				t.Logf("event %d shared its read", i)
			}
		}
		c.times(t, r, pieces)
	}
}
