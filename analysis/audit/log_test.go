package audit

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goodLine = `{"request":7,"conn":2,"accepted_ns":90,"arrival_ns":100,"read_ns":110,"scheduled_first_ns":200,"opening_ns":150,` +
	`"first_write_ns":201,"last_write_ns":300,"end_ns":310,"tokens":10,"input_tokens":32,"status":200,"fault":"","cut":false,"body_crc":4294967295,"stream":true}`

func TestReadLog(t *testing.T) {
	good := Request{Number: 7, Conn: 2, Accepted: 90, Arrival: 100, Read: 110, Scheduled: 200, Opening: 150, First: 201, Last: 300, End: 310,
		Tokens: 10, Input: 32, Status: 200, BodyCRC: 1<<32 - 1, Stream: new(true)}
	tests := []struct {
		name, log string
		want      []Request
		err       string
	}{
		{"nothing", "", nil, ""},
		{"a whole line", goodLine + "\n", []Request{good}, ""},
		{"no end of line", goodLine, []Request{good}, ""},
		{"members that are not there are 0", `{"arrival_ns":5}`, []Request{{Arrival: 5}}, ""},
		{"members of a later version", `{"arrival_ns":5,"cached_tokens":16,"more":{"a":[1]}}`, []Request{{Arrival: 5}}, ""},
		{"blank lines", "\n" + goodLine + "\n\n", []Request{good}, ""},
		{"a torn last line", goodLine + "\n" + goodLine[:50], []Request{good}, ""},
		{"a torn line before others", goodLine[:50] + "\n" + goodLine + "\n", nil, "line 1"},
		{"no JSON", goodLine + "\nhello\n", nil, "line 2"},
		{"another type", `{"arrival_ns":"5"}`, nil, "line 1"},
		{"no arrival", goodLine + "\n{}\n", nil, "line 2: it has no arrival_ns"},
		{"before the beginning", `{"arrival_ns":5,"end_ns":-1}`, nil, "negative instant"},
		{"fewer than no tokens", `{"arrival_ns":5,"tokens":-1}`, nil, "negative count"},
		{"an instant too large", `{"arrival_ns":99999999999999999999}`, nil, "line 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadLog(strings.NewReader(tt.log))
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("error %v, want one with %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A log cut off anywhere is read up to its last whole line.
func TestReadLogTornAnywhere(t *testing.T) {
	log := goodLine + "\n" + goodLine + "\n"
	for n := range len(log) {
		got, err := ReadLog(strings.NewReader(log[:n]))
		want := n / (len(goodLine) + 1)
		if n%(len(goodLine)+1) == len(goodLine) { // only the end of line is missing
			want++
		}
		if err != nil || len(got) != want {
			t.Fatalf("%d bytes: %d requests, error %v", n, len(got), err)
		}
	}
}

// What is read can be audited, whatever it is, and gives JSON and a page.
func FuzzReadLog(f *testing.F) {
	for _, seed := range []string{goodLine, goodLine + "\n" + goodLine[:40], `{"arrival_ns":5}` + "\n" + `{"arrival_ns":4,"status":503}`, "x"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		got, err := ReadLog(bytes.NewReader(log))
		if err != nil || len(got) == 0 {
			return
		}
		for _, law := range []Law{Poisson, Constant, Closed} {
			in := Input{Log: got, Asked: Asked{Law: law}, Reported: &Reported{OK: new(int64(1)), Failed: new(int64(0)), Latency: map[Metric]Summary{
				TTFT: {P50: new(1.0)}, E2E: {Mean: new(1.0)}, TPOT: {P99: new(1.0)}, ITL: {Mean: new(1.0)}, NTPOT: {P90: new(1.0)}}}}
			if law != Closed {
				in.Asked.Rate = 10
			}
			r, err := Audit(in)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Fatalf("the result is no JSON: %v", err)
			}
			if err := r.Table(&bytes.Buffer{}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func BenchmarkReadLog(b *testing.B) {
	log := []byte(strings.Repeat(goodLine+"\n", 1000))
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		if _, err := ReadLog(bytes.NewReader(log)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAudit(b *testing.B) {
	m := newModel(1, Poisson, 1000, 100000)
	m.open()
	in := Input{Log: m.log, Asked: m.asked(), Client: spare(), Reported: m.said(0.1, nil)}
	for b.Loop() {
		if _, err := Audit(in); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.n), "ns/request")
}
