package analysis

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"tare/ipc"
)

// A Visit is called with one record and the number of the worker that it came
// from. The record is valid until Visit returns.
type Visit func(worker int, r *ipc.Record) error

// Records calls the Visit that begin returns for the run's manifest for every
// record of the run directory dir, in the order of the file. An error of the
// Visit ends the reading and is returned. A torn frame ends the file.
func Records(dir string, begin func(ipc.Manifest) Visit) error {
	r, err := ipc.OpenRecords(filepath.Join(dir, ipc.RecordFileName))
	if err != nil {
		return err
	}
	manifest, err := readManifest(r)
	if err == nil {
		err = visitAll(r, begin(manifest))
	}
	return errors.Join(err, r.Close())
}

func visitAll(r *ipc.RecordReader, visit Visit) error {
	for record := new(ipc.Record); ; {
		t, worker, err := r.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, ipc.ErrTorn) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read record file: %w", err)
		}
		if t != ipc.TypeRecords {
			continue
		}
		if err := visitFrame(r, worker, record, visit); err != nil {
			return err
		}
	}
}

// visitFrame visits the records of the current frame, each read into record.
func visitFrame(r *ipc.RecordReader, worker int, record *ipc.Record, visit Visit) error {
	for {
		err := r.Record(record)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read record file: %w", err)
		}
		if err := visit(worker, record); err != nil {
			return err
		}
	}
}
