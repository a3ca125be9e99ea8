package capacity

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"tare/analysis"
	"tare/ipc"
)

// Run is what a plain run's directory tells of its workers.
type Run struct {
	Dir         string
	Manifest    ipc.Manifest
	Summary     analysis.Summary
	Rows        []ipc.QueueRow // of all workers, wholly within the steady window
	Streams     int64          // connections of the worker that had most
	RSS         int64          // bytes, of the worker that took most
	RecordBytes int64          // length of the record file
}

// Read reads a run directory. It is an error if the run had more than one step
// of load.
func Read(dir string) (Run, error) {
	r := Run{Dir: dir}
	whole, err := analysis.Load(dir)
	if err != nil {
		return r, err
	}
	if n := len(whole.Steps); n != 1 {
		return r, fmt.Errorf("%s holds %d steps of load; a plan needs a plain run, which has one", dir, n)
	}
	r.Manifest, r.Summary = whole.Manifest, whole.Steps[0].Summary
	path := filepath.Join(dir, ipc.RecordFileName)
	info, err := os.Stat(path)
	if err != nil {
		return r, fmt.Errorf("look at record file: %w", err)
	}
	r.RecordBytes = info.Size()
	records, err := ipc.OpenRecords(path)
	if err != nil {
		return r, err
	}
	return r, errors.Join(r.read(records), records.Close())
}

// read takes what the summary leaves out: rows one by one, and memory.
func (r *Run) read(records *ipc.RecordReader) error {
	for {
		t, _, err := records.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, ipc.ErrTorn) {
			return nil
		}
		if err == nil {
			err = r.frame(records, t)
		}
		if err != nil {
			return fmt.Errorf("read record file: %w", err)
		}
	}
}

// frame acts on what workers report of themselves.
func (r *Run) frame(records *ipc.RecordReader, t ipc.Type) error {
	var p ipc.Progress
	switch t {
	case ipc.TypeProgress:
		if err := records.Message(&p); err != nil {
			return err
		}
	case ipc.TypeDone:
		var d ipc.Done
		if err := records.Message(&d); err != nil {
			return err
		}
		p = d.Last
	default:
		return nil
	}
	r.Streams, r.RSS = max(r.Streams, p.Conns), max(r.RSS, p.Usage.MaxRSS)
	w := r.Summary.Load.Window
	from, to := math.Ceil(w.From/rowSeconds), math.Floor(w.To/rowSeconds)
	for _, row := range p.Queue {
		if i := float64(row.Interval); from <= i && i < to {
			r.Rows = append(r.Rows, row)
		}
	}
	return nil
}

// rowSeconds is the length of a row of queue sums.
const rowSeconds = ipc.QueueInterval / 1e9
