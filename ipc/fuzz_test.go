package ipc

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzFrames reads any bytes as a record file: no panic, no hang, and every
// record that decodes encodes to a record that decodes to the same.
func FuzzFrames(f *testing.F) {
	b := NewBatch(1, 256)
	r := fullRecord()
	if err := b.Add(&r); err != nil {
		f.Fatal(err)
	}
	records, err := b.Frame()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.Clone(records))
	f.Add([]byte{0, 0, 0, 9, byte(TypeProgress), 0, 0x9e, 1, 2, 0xdd, 0xff, 0xff, 0xff}) // a count of four billion rows
	f.Add([]byte{0, 0, 0, 8, byte(TypeHeader), 0, 0x92, 1, 0xc6, 0xff, 0xff, 0xff})      // bytes longer than the frame
	f.Add(stream(f))
	for _, m := range messages {
		frame, err := Marshal(m.t, 0, m.sent)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(frame))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frames := NewFrameReader(bytes.NewReader(data))
		for {
			frame, err := frames.Next()
			if err != nil {
				return
			}
			readFrame(t, frame)
		}
	})
}

// readFrame decodes a frame as what it says it is.
func readFrame(t *testing.T, f Frame) {
	d := NewDecoder()
	typ, _, err := d.Open(f)
	if err != nil {
		return
	}
	for _, m := range messages {
		if m.t == typ {
			_ = d.Message(m.into()) // an error is a fine answer, a panic is not
		}
	}
	for typ == TypeRecords {
		var r Record
		if d.Record(&r) != nil {
			return
		}
		again(t, r)
	}
}

// again encodes a decoded record and decodes it once more.
func again(t *testing.T, want Record) {
	b := NewBatch(0, 64)
	if err := b.Add(&want); err != nil {
		t.Fatalf("a decoded record does not encode: %v", err)
	}
	frame, err := b.Frame()
	if err != nil {
		return // a record at the limit of a frame grows with compact numbers made long
	}
	d := NewDecoder()
	var got Record
	if _, _, err := d.Open(frame); err != nil {
		t.Fatal(err)
	}
	if err := d.Record(&got); err != nil {
		t.Fatalf("an encoded record does not decode: %v", err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(sameEvents), cmp.Comparer(bytes.Equal)); diff != "" {
		t.Fatalf("decode-encode-decode (-first +second):\n%s", diff)
	}
}
