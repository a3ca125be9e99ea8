package ipc

import (
	"os"
	"path/filepath"
	"testing"
)

// A step of a long file is read alone, from the byte at which its frame begins.
func TestSkipTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), RecordFileName)
	w, err := CreateRecords(path)
	if err != nil {
		t.Fatal(err)
	}
	offsets := map[int]int64{}
	write := func(kind Type, message any) {
		t.Helper()
		if err := w.AppendMessage(kind, message); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	write(TypeHeader, Header{Protocol: Protocol, Manifest: []byte("{}")})
	for step := range 3 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		offsets[step] = info.Size()
		write(TypeStep, Step{Step: step})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRecords(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, want := range []int{2, 0, 1} {
		if err := r.SkipTo(offsets[want]); err != nil {
			t.Fatal(err)
		}
		var got Step
		if kind, _, err := r.Next(); err != nil || kind != TypeStep {
			t.Fatalf("type %d, %v", kind, err)
		}
		if err := r.Message(&got); err != nil || got.Step != want {
			t.Errorf("step %d, %v; want %d", got.Step, err, want)
		}
	}
}
