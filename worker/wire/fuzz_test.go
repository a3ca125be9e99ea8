package wire

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzScan holds the scan against the decoder: whatever the scan accepts the
// decoder must accept and read the same, also with the head of an earlier event
// known.
func FuzzScan(f *testing.F) {
	for i, data := range payloads {
		f.Add([]byte(payloads[(i+1)%len(payloads)]), []byte(data))
		f.Add([]byte(data), []byte(data))
	}
	f.Fuzz(func(t *testing.T, earlier, data []byte) {
		var fast, full chunk
		var known knownHead
		fast.reset()
		fast.scanOpenAI(earlier, &known)
		if fast.reset(); fast.scanOpenAI(data, &known) {
			full.reset()
			if err := full.decodeOpenAI(data, "delta"); err != nil {
				t.Fatalf("scan accepts what the decoder refuses: %v", err)
			}
			sameChunk(t, fast, full)
		}
		var fastEvent, fullEvent messagesEvent
		if fastEvent.reset(); fastEvent.scan(data) {
			fullEvent.reset()
			if err := fullEvent.decode(data); err != nil {
				t.Fatalf("scan accepts what the decoder refuses: %v", err)
			}
			fast.reset()
			full.reset()
			fast.fromMessages(&fastEvent, data)
			full.fromMessages(&fullEvent, data)
			sameChunk(t, fast, full)
		}
	})
}

func sameChunk(t *testing.T, fast, full chunk) {
	t.Helper()
	for _, c := range []*chunk{&fast, &full} {
		for _, b := range []*[]byte{&c.text, &c.reasoning, &c.finish} {
			if len(*b) == 0 {
				*b = nil
			}
		}
	}
	if diff := cmp.Diff(full, fast, cmp.AllowUnexported(chunk{})); diff != "" {
		t.Fatalf("scan and decoder differ (-decoder +scan):\n%s", diff)
	}
}

// FuzzText holds appendUnquoted against encoding/json.
func FuzzText(f *testing.F) {
	for _, s := range []string{`a\n\"\\\/\b\f\r\t`, `\u00e9\ud83d\ude00`, `\ud83dx`, `\ud83d\ud83d\ude00`, `\ude00`, "\xe2\x80\xa8"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		quoted := slices.Concat([]byte{'"'}, raw, []byte{'"'})
		s := scan{b: quoted}
		s.str()
		var want string
		err := json.Unmarshal(quoted, &want)
		if ok := s.end(); ok != (err == nil) {
			t.Fatalf("scan says %v, decoder %v", ok, err)
		}
		if err != nil {
			return
		}
		got := string(appendUnquoted(nil, raw))
		if !utf8.ValidString(got) {
			t.Fatalf("invalid UTF-8: %q", got)
		}
		// They replace broken UTF-8 by other rules; all else must be equal.
		if utf8.Valid(raw) && got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// FuzzHTTP holds the framing against net/http. Where they differ on purpose:
// we read past what net/http refuses in the names and values of header and
// trailer lines, in the length of chunk lines and the zeros of chunk sizes, and
// blanks before a chunk extension; lengths such as 02 and 2 agree; we read chunked HTTP/1.0 answers and list
// forms of Transfer-Encoding; we never reuse a connection after an answer with
// both lengths; and we pass over blanks between a field name and its colon, as
// RFC 9112, 5.1 has proxies do, where net/http passes over the whole field.
func FuzzHTTP(f *testing.F) {
	for _, raw := range responses {
		f.Add([]byte(raw))
	}
	for _, c := range loadCases(f) {
		if len(c.raw) < 2000 {
			f.Add(c.raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !bytes.HasPrefix(raw, []byte("HTTP/1.")) || blankColon.Match(raw) || signedStatus.Match(raw) {
			return
		}
		var r Reader
		r.Reset(Options{MaxBody: 1 << 20}, &recorder{})
		r.Push(raw)
		s := r.Close(io.EOF)
		if r.resp.gzip || r.resp.coding != "" || r.resp.encoded && r.resp.minor == 0 {
			return
		}
		want, body, rest, err := oracle(raw)
		switch {
		case want != nil && want.ProtoMajor != 1:
			// After an interim answer it takes any version for the final one.
		case err == nil:
			checkWhole(t, &r, s, want, body, rest)
		case want != nil && errors.Is(err, io.ErrUnexpectedEOF):
			if s.Complete || r.resp.status != want.StatusCode || !bytes.Equal(r.prefix, body) {
				t.Fatalf("%+v, status %d, body %q; net/http has %d, %q, %v", s, r.resp.status, r.prefix, want.StatusCode, body, err)
			}
		case s.Complete && !forgiven(err):
			t.Fatalf("complete; net/http says %v", err)
		}
	})
}

var (
	blankColon   = regexp.MustCompile(`[ \t]:`)
	signedStatus = regexp.MustCompile(`HTTP/1\.\d +[+-]`) // a number to strconv, and so to net/http
)

// oracle reads a response with net/http, interim ones passed over.
func oracle(raw []byte) (resp *http.Response, body, rest []byte, err error) {
	b := bufio.NewReader(bytes.NewReader(raw))
	for {
		resp, err = http.ReadResponse(b, &http.Request{Method: "POST"})
		if err != nil {
			return nil, nil, nil, err
		}
		if resp.StatusCode < 100 {
			return nil, nil, nil, errors.New("no status is below 100, though net/http reads on")
		}
		if resp.StatusCode > 199 || resp.StatusCode == 101 {
			break
		}
	}
	if body, err = io.ReadAll(resp.Body); err != nil {
		return resp, body, nil, err
	}
	rest, _ = io.ReadAll(b)
	return resp, body, rest, nil
}

func checkWhole(t *testing.T, r *Reader, s State, want *http.Response, body, rest []byte) {
	t.Helper()
	if want.StatusCode < 100 || want.ProtoMajor != 1 {
		return
	}
	if !s.Complete || r.resp.status != want.StatusCode || !bytes.Equal(r.prefix, body) {
		t.Fatalf("%+v %v, status %d, body %q; net/http has %d, %q", s, r.message, r.resp.status, r.prefix, want.StatusCode, body)
	}
	if want.StatusCode == 101 {
		return
	}
	reusable := !want.Close && len(rest) == 0 && !(r.resp.encoded && r.resp.hasLength)
	if got := r.Result().Reusable; got != reusable {
		t.Fatalf("reusable %v, net/http %v", got, reusable)
	}
}

// forgiven tells whether we may read what net/http refuses with err.
func forgiven(err error) bool {
	for _, s := range []string{
		"malformed MIME header", "invalid byte in chunk length", "too large", "too much non-data", "line too long",
		"long trailer", "transfer encoding", "reading trailer",
		"multiple Content-Length",
	} {
		if strings.Contains(err.Error(), s) {
			return true
		}
	}
	return false
}

// FuzzCuts reads a response whole, byte by byte and in random pieces: result
// and events must be the same.
func FuzzCuts(f *testing.F) {
	for i, raw := range responses {
		f.Add([]byte(raw), uint64(i), uint8(i))
	}
	for i, c := range loadCases(f) {
		if len(c.raw) < 4000 {
			f.Add(c.raw, uint64(i), uint8(c.options().API)<<1|1)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64, mode uint8) {
		o := Options{Stream: mode&1 != 0, API: API(mode >> 1 % 3), SaveText: true}
		if mode&64 != 0 {
			o.MaxLine, o.MaxText, o.MaxBody = 100, 5, 20
		}
		var r Reader
		want, wantSeen := read(&r, o, raw, nil, io.EOF)
		want.BodyPrefix = bytes.Clone(want.BodyPrefix)
		rng := rand.New(rand.NewPCG(seed, 0))
		for _, cuts := range [][]int{everyByte(len(raw)), randomCuts(rng, len(raw)), randomCuts(rng, len(raw))} {
			got, seen := read(&r, o, raw, cuts, io.EOF)
			sameReading(t, want, got, wantSeen, seen)
		}
	})
}

func sameReading(t *testing.T, want, got Result, wantSeen, seen *recorder) {
	t.Helper()
	// What was pushed after the class was settled is no longer kept.
	if !bytes.HasPrefix(want.BodyPrefix, got.BodyPrefix) {
		t.Fatalf("body prefix %q, want %q", got.BodyPrefix, want.BodyPrefix)
	}
	got.BodyPrefix = want.BodyPrefix
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-whole +cut):\n%s", diff)
	}
	for _, e := range [][]seenEvent{wantSeen.events, seen.events} {
		for i := range e {
			e[i].offset = 0
		}
	}
	if diff := cmp.Diff(wantSeen, seen, cmp.AllowUnexported(recorder{}, seenEvent{}), cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".offset"
	}, cmp.Ignore())); diff != "" {
		t.Fatalf("(-whole +cut):\n%s", diff)
	}
}

// FuzzStream holds the line reader against a plain one: a stream, and the same
// events written anew in the simplest form, must read the same.
func FuzzStream(f *testing.F) {
	for _, c := range loadCases(f) {
		if _, body, _, err := oracle(c.raw); err == nil && len(body) < 3000 {
			f.Add(body)
		}
	}
	f.Add([]byte("\xef\xbb\xbf: hi\rdata:\rdata: {\r\ndata:}\n\revent\nevent:error\n\ndata\n\nid:1\nretry: 2\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
		plain, ok := plainStream(body)
		if !ok {
			return
		}
		var r Reader
		o := Options{Stream: true, SaveText: true, API: Chat}
		want, wantSeen := read(&r, o, []byte(head+plain), nil, io.EOF)
		got, seen := read(&r, o, append([]byte(head), body...), nil, io.EOF)
		if want.Class == Empty || want.Class == NotStream { // depends on lines that are no fields
			want.Class, want.Sub, want.Message = got.Class, got.Sub, got.Message
		}
		want.BodyPrefix = got.BodyPrefix
		sameReading(t, want, got, wantSeen, seen)
	})
}

// plainStream reads a stream by the letter of the WHATWG algorithm and writes
// its events anew. A stream with an error field, or that ends within an event,
// goes beyond that standard: not ok.
func plainStream(body []byte) (plain string, ok bool) {
	text := strings.TrimPrefix(string(body), "\xef\xbb\xbf")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	lines := strings.Split(text, "\n")
	if last := lines[len(lines)-1]; last != "" || strings.HasSuffix(text, "\n") && !strings.HasSuffix("\n"+text, "\n\n") {
		return "", false
	}
	var out strings.Builder
	var data []string
	name := ""
	for _, line := range lines[:len(lines)-1] {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if len(data) > 0 || name != "" {
				out.WriteString("event: " + name + "\ndata: " + strings.Join(data, "\ndata: ") + "\n\n")
			}
			data, name = nil, ""
		case field == "data":
			data = append(data, value)
		case field == "event":
			name = value
		case field == "error":
			return "", false
		}
	}
	return out.String(), true
}

// FuzzInflate holds the gzip decoder against the standard one, in two pieces.
func FuzzInflate(f *testing.F) {
	for _, level := range []int{gzip.NoCompression, gzip.BestSpeed, gzip.BestCompression, gzip.HuffmanOnly} {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, level)
		w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
		for _, p := range payloads {
			io.WriteString(w, p)
		}
		w.Flush()
		w.Close()
		f.Add(b.Bytes(), 20)
		f.Add(slices.Concat(b.Bytes(), b.Bytes()), 300)
	}
	f.Fuzz(func(t *testing.T, zipped []byte, cut int) {
		want, wantErr := gunzip(zipped)
		if len(want) > 1<<20 || wantErr == gzip.ErrHeader && len(zipped) > 512 { // it refuses longer names
			return
		}
		cut = max(0, min(cut, len(zipped)))
		got, err := inflateAll(zipped[:cut], zipped[cut:])
		if err == errGzip && wantErr == io.ErrUnexpectedEOF { // we need not read ten bytes to know
			return
		}
		if (err == io.EOF) != (wantErr == nil) || (err == io.ErrUnexpectedEOF) != (wantErr == io.ErrUnexpectedEOF) {
			t.Fatalf("ends with %v, standard decoder with %v", err, wantErr)
		}
		if !bytes.HasPrefix(got, want) || wantErr == nil && len(got) != len(want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// gunzip decodes with the standard library; garbage behind a whole member is no
// fault, and what a fault leaves in its window is lost.
func gunzip(zipped []byte) ([]byte, error) {
	b := bytes.NewReader(zipped)
	var all []byte
	for members := 0; ; members++ {
		rest := zipped[len(zipped)-b.Len():]
		if n := min(len(rest), 3); members > 0 && (n == 0 || string(rest[:n]) != gzipMagic[:n]) {
			return all, nil
		}
		z, err := gzip.NewReader(b)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return all, err
		}
		z.Multistream(false)
		part, err := io.ReadAll(z)
		if all = append(all, part...); err != nil {
			return all, err
		}
	}
}

func inflateAll(pieces ...[]byte) ([]byte, error) {
	f := newInflater()
	defer f.stop()
	var all []byte
	for i, p := range pieces {
		f.in, f.eof = p, i == len(pieces)-1
		for {
			out, more := f.next()
			if !more {
				return all, f.err
			}
			if out == nil {
				break
			}
			all = append(all, out...)
		}
	}
	return all, errors.New("decoder did not end")
}
