package ipc

import (
	"errors"
	"io"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fullRecord has a value in every field, extremes among them.
func fullRecord() Record {
	return Record{
		Index: 1 << 40, Step: 3, Class: StreamError, Conn: 7, Address: 1,
		Scheduled: 1_000_000, Sent: 1_030_000, Header: 2_000_000, Choice: Unknown, Done: 9_000_000, Connect: 80_000,
		Status: 200, InputTokens: 32, OutputTokens: Unknown, AskedInput: 32, AskedOutput: 16,
		Events: 4, ContentEvents: 2, FirstContent: 1, FirstText: 2,
		FinishReason: "abort", Sub: "abort", Message: "engine died", Body: []byte("{\"error\":1}"), Text: "über\x00", Reasoning: "hm",
		Output: []Event{
			{Arrival: 2_000_000, Read: 2_007_000, Handled: 2_008_000, Tokens: 1, Kind: KindReasoning, Alone: true},
			{Arrival: 1_999_000, Read: 1_998_500, Handled: 2_009_000, Tokens: 5, Kind: KindText}, // before the first: clocks differ
			{Arrival: math.MaxInt64 / 2, Read: math.MaxInt64 / 2, Handled: math.MaxInt64/2 + 1, Tokens: 0, Kind: KindToolCall},
		},
	}
}

// A batch gives back the records that went in, one after another.
func TestBatchRoundTrip(t *testing.T) {
	want := []Record{fullRecord(), {Class: Dropped, Index: 5}, fullRecord()}
	b := NewBatch(2, 64)
	for i := range want {
		if err := b.Add(&want[i]); err != nil {
			t.Fatal(err)
		}
	}
	f, err := b.Frame()
	if err != nil {
		t.Fatal(err)
	}
	d := NewDecoder()
	typ, worker, err := d.Open(f)
	if err != nil || typ != TypeRecords || worker != 2 {
		t.Fatalf("Open = %v, %d, %v; want records of worker 2", typ, worker, err)
	}
	for i := range want {
		var got Record
		if err := d.Record(&got); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
		if want[i].Output == nil {
			want[i].Output = got.Output[:0]
		}
		if diff := cmp.Diff(want[i], got, cmp.Comparer(sameEvents)); diff != "" {
			t.Errorf("record %d (-want +got):\n%s", i, diff)
		}
	}
	if err := d.Record(new(Record)); !errors.Is(err, io.EOF) {
		t.Errorf("after the last record: %v, want EOF", err)
	}
}

// sameEvents compares event lists; none and an empty one are the same.
func sameEvents(a, b []Event) bool { return len(a) == 0 && len(b) == 0 || cmp.Equal(a, b) }

// A slab takes records on the hot path: in steady state it allocates nothing.
func TestBatchAddAllocatesNothing(t *testing.T) {
	b := NewBatch(0, 1<<16)
	r := fullRecord()
	n := testing.AllocsPerRun(200, func() {
		if b.Len() > 1<<15 {
			b.Reset()
		}
		if err := b.Add(&r); err != nil {
			t.Fatal(err)
		}
	})
	if n > 0 {
		t.Errorf("%v allocations a record, want none", n)
	}
}

// A record of ten events takes a few bytes an event, not a few words.
func TestRecordSize(t *testing.T) {
	r := Record{Scheduled: 1e9, Sent: 1e9 + 30e3, Done: 2e9, Status: 200, FinishReason: "length"}
	for i := range int64(10) {
		at := r.Sent + (i+1)*100_000
		r.Output = append(r.Output, Event{Arrival: at, Read: at + 7000, Handled: at + 8500, Tokens: 1, Kind: KindText, Alone: true})
	}
	b := NewBatch(0, 1024)
	if err := b.Add(&r); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 160 {
		t.Errorf("%d bytes for 10 events, want at most 160", b.Len())
	}
}
