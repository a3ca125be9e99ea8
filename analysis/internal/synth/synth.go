// Package synth writes record files for tests, frame by frame, with the
// encoder that real runs use.
package synth

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"tare/ipc"
)

// A Writer writes one record file. Errors end the test.
type Writer struct {
	t     testing.TB
	dir   string
	out   *ipc.RecordWriter
	batch map[int]*ipc.Batch
}

// New begins a record file in a directory of its own, for worker processes
// that are numbered from 0 and have one CPU each, of the same number.
func New(t testing.TB, settings ipc.Settings, workers int) *Writer {
	t.Helper()
	w := &Writer{t: t, dir: t.TempDir(), batch: map[int]*ipc.Batch{}}
	out, err := ipc.CreateRecords(filepath.Join(w.dir, ipc.RecordFileName))
	w.must(err)
	w.out = out
	m := ipc.Manifest{Version: "test", Protocol: ipc.Protocol, Settings: settings}
	for id := range workers {
		m.Workers = append(m.Workers, ipc.Child{Worker: id, CPUs: []int{id}})
	}
	manifest, err := json.Marshal(m)
	w.must(err)
	w.message(ipc.TypeHeader, ipc.Supervisor, ipc.Header{Protocol: ipc.Protocol, Manifest: manifest})
	return w
}

// Step begins a step with a load of its own.
func (w *Writer) Step(number int, offset int64, load ipc.Load) {
	w.t.Helper()
	b, err := json.Marshal(load)
	w.must(err)
	w.message(ipc.TypeStep, ipc.Supervisor, ipc.Step{Step: number, Offset: offset, Load: b})
}

// flushLen is the size at which a batch of records becomes a frame.
const flushLen = 64 << 10

// Record adds a record of a worker.
func (w *Writer) Record(id int, r *ipc.Record) {
	b := w.batch[id]
	if b == nil {
		b = ipc.NewBatch(id, 2*flushLen)
		w.batch[id] = b
	}
	w.must(b.Add(r))
	if b.Len() > flushLen {
		w.flush(b)
	}
}

// Progress adds a worker's report.
func (w *Writer) Progress(id int, p ipc.Progress) { w.message(ipc.TypeProgress, id, p) }

// Done ends a worker's step.
func (w *Writer) Done(id int, d ipc.Done) { w.message(ipc.TypeDone, id, d) }

// Fault is a worker's last word.
func (w *Writer) Fault(id int, text string) { w.message(ipc.TypeFault, id, ipc.Fault{Text: text}) }

// End ends the run and the file.
func (w *Writer) End(e ipc.End) string {
	w.t.Helper()
	w.message(ipc.TypeEnd, ipc.Supervisor, e)
	return w.Cut()
}

// Cut ends the file without an End frame, as the supervisor's death does, and
// returns the run directory.
func (w *Writer) Cut() string {
	w.t.Helper()
	w.flushAll()
	w.must(w.out.Close())
	return w.dir
}

// message writes a frame after all records that came before it.
func (w *Writer) message(t ipc.Type, id int, m any) {
	w.t.Helper()
	w.flushAll()
	f, err := ipc.Marshal(t, id, m)
	w.must(err)
	w.must(w.out.Append(f))
}

func (w *Writer) flushAll() {
	for _, b := range w.batch {
		w.flush(b)
	}
}

func (w *Writer) flush(b *ipc.Batch) {
	if b.Records() == 0 {
		return
	}
	f, err := b.Frame()
	w.must(err)
	w.must(w.out.Append(f))
	b.Reset()
}

func (w *Writer) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// OK returns a record of a request that was sent lag after it was scheduled
// and got events at the given instants after that, each read 5 µs and handled
// 8 µs after its stamp.
func OK(index, scheduled, lag int64, events ...int64) *ipc.Record {
	r := &ipc.Record{
		Index: index, Scheduled: scheduled, Sent: scheduled + lag, Header: ipc.Unknown, Choice: ipc.Unknown,
		Connect: ipc.Unknown, Status: 200, InputTokens: 32, OutputTokens: int64(len(events)),
		AskedInput: 32, AskedOutput: int64(len(events)), Events: int64(len(events)) + 2,
		ContentEvents: int64(len(events)), FirstContent: 0, FirstText: 0, FinishReason: "length",
	}
	r.Done = r.Sent
	for _, after := range events {
		k := r.Sent + after
		r.Output = append(r.Output, ipc.Event{Arrival: k, Read: k + 5e3, Handled: k + 8e3, Tokens: 1, Kind: ipc.KindText, Alone: true})
		r.Done = k + 20e3
	}
	return r
}

// Failed returns a record of a request that failed 1 ms after it was sent.
func Failed(index, scheduled int64, class ipc.Class) *ipc.Record {
	r := OK(index, scheduled, 0)
	r.Class, r.Done = class, scheduled+1e6
	r.InputTokens, r.OutputTokens, r.FirstContent, r.FirstText, r.FinishReason = ipc.Unknown, ipc.Unknown, ipc.Unknown, ipc.Unknown, ""
	r.Message = "it failed"
	return r
}

// Dropped returns a record of an arrival that was never sent.
func Dropped(index, scheduled int64) *ipc.Record {
	r := Failed(index, scheduled, ipc.Dropped)
	r.Sent, r.Done, r.Status, r.Message = ipc.Unknown, ipc.Unknown, 0, ""
	return r
}
