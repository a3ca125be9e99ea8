package ipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// messages is one value of each type that goes through Marshal.
var messages = []struct {
	t    Type
	sent any
	into func() any
}{
	{TypeHeader, &Header{Protocol: 1, Manifest: []byte("{}")}, func() any { return new(Header) }},
	{TypeHello, &Hello{Protocol: 1, PID: 42, Build: "v1", CPUs: []int{3}, MaxFiles: 1024}, func() any { return new(Hello) }},
	{TypeAssign, &Assign{Worker: 1, Workers: 2, Procs: 1, Settings: []byte("{}"), APIKey: "k", Headers: []string{"A: b"}}, func() any { return new(Assign) }},
	{TypeReady, &Ready{Connections: 8, Addresses: []string{"127.0.0.1:80"}, KernelStamps: true, ClockOffset: 17e17}, func() any { return new(Ready) }},
	{TypeStep, &Step{Step: 1, Offset: 50e6, Load: []byte("{}")}, func() any { return new(Step) }},
	{TypeStart, &Start{Step: 1, Epoch: 1e12, Offset: 50e6, Load: []byte("{}")}, func() any { return new(Start) }},
	{TypeProgress, &Progress{Step: 1, At: 5, Sent: 9, Queue: []QueueRow{{Interval: 2, Busy: Moments{N: 1, Sum: 3, SqHi: 1, SqLo: 1 << 63}}}}, func() any { return new(Progress) }},
	{TypeStop, &Stop{Mode: StopNow}, func() any { return new(Stop) }},
	{TypeDone, &Done{Step: 1, Ended: 7, Stopped: true}, func() any { return new(Done) }},
	{TypeFault, &Fault{Text: "no", Stack: "main"}, func() any { return new(Fault) }},
	{TypeEnd, &End{At: 9, Interrupted: 8, Dead: []int{1}}, func() any { return new(End) }},
}

// Each message goes through a frame and comes out the same.
func TestMessagesRoundTrip(t *testing.T) {
	d := NewDecoder()
	for _, m := range messages {
		f, err := Marshal(m.t, 6, m.sent)
		if err != nil {
			t.Fatalf("%T: %v", m.sent, err)
		}
		typ, worker, err := d.Open(f)
		if err != nil || typ != m.t || worker != 6 {
			t.Fatalf("%T: Open = %v, %d, %v", m.sent, typ, worker, err)
		}
		got := m.into()
		if err := d.Message(got); err != nil {
			t.Fatalf("%T: %v", m.sent, err)
		}
		if diff := cmp.Diff(m.sent, got); diff != "" {
			t.Errorf("%T (-sent +got):\n%s", m.sent, diff)
		}
	}
}

// stream is two frames, one after the other.
func stream(t testing.TB) []byte {
	t.Helper()
	a, err := Marshal(TypeStop, 0, &Stop{Mode: StopDrain})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Marshal(TypeFault, 1, &Fault{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return append(bytes.Clone(a), b...)
}

// Where a stream is cut decides how its end is called: clean between frames,
// torn inside one, wherever inside.
func TestTornIsToldFromClean(t *testing.T) {
	whole := stream(t)
	first := headLen + int(binary.BigEndian.Uint32(whole))
	for cut := range len(whole) + 1 {
		r := NewFrameReader(bytes.NewReader(whole[:cut]))
		n, err := 0, error(nil)
		for err == nil {
			if _, err = r.Next(); err == nil {
				n++
			}
		}
		clean := cut == 0 || cut == first || cut == len(whole)
		if clean && !errors.Is(err, io.EOF) || !clean && !errors.Is(err, ErrTorn) {
			t.Errorf("cut at %d after %d frames: %v (a clean end: %v)", cut, n, err, clean)
		}
	}
}

// A length beyond the limit is refused before any memory is taken for it.
func TestFrameLimit(t *testing.T) {
	head := binary.BigEndian.AppendUint32(nil, MaxFrame+1)
	if _, err := NewFrameReader(bytes.NewReader(head)).Next(); !errors.Is(err, ErrTooLong) {
		t.Errorf("%v, want ErrTooLong", err)
	}
	if _, err := Marshal(TypeHeader, 0, &Header{Manifest: make([]byte, MaxFrame)}); !errors.Is(err, ErrTooLong) {
		t.Errorf("sending: %v, want ErrTooLong", err)
	}
}

// A record file reads back frame by frame; one cut off in the middle gives
// all that was whole before it.
func TestRecordFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), RecordFileName)
	w, err := CreateRecords(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct {
		t   Type
		msg any
	}{{TypeHeader, &Header{Protocol: Protocol}}, {TypeStep, &Step{Step: 0}}, {TypeEnd, &End{At: 1}}} {
		if err := w.AppendMessage(m.t, m.msg); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := frameTypes(t, path); !cmp.Equal(got, []Type{TypeStep, TypeEnd}) {
		t.Errorf("frames after the header: %v", got)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-1); err != nil {
		t.Fatal(err)
	}
	if got := frameTypes(t, path); !cmp.Equal(got, []Type{TypeStep}) {
		t.Errorf("frames of the torn file: %v, want all but the torn one", got)
	}
}

func frameTypes(t *testing.T, path string) (types []Type) {
	t.Helper()
	r, err := OpenRecords(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		typ, _, err := r.Next()
		if err != nil {
			return types
		}
		types = append(types, typ)
	}
}

// What is no record file of ours is refused with a reason.
func TestOpenRecordsRefuses(t *testing.T) {
	header := func(protocol int) []byte {
		f, err := Marshal(TypeHeader, Supervisor, &Header{Protocol: protocol})
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Clone(f)
	}
	for reason, content := range map[string][]byte{
		"empty":              {},
		"torn header":        header(Protocol)[:5],
		"another version":    header(Protocol + 1),
		"no header in front": stream(t),
		"text":               []byte("{\"not\": \"ours\"}\n"),
	} {
		path := filepath.Join(t.TempDir(), "r")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := OpenRecords(path); err == nil {
			r.Close()
			t.Errorf("%s: no error", reason)
		}
	}
}
