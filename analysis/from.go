package analysis

import (
	"errors"
	"path/filepath"

	"tare/ipc"
)

// LoadFrom is Load for a run under way whose earlier steps are known already:
// reading begins at the frame of a step, which lies at a byte offset of the
// record file. What lies beside the file is left out.
func LoadFrom(dir string, offset int64) (*Run, error) {
	var run *Run
	err := readFrom(dir, offset, func(r *ipc.RecordReader) (err error) {
		run, err = read(r, beside{})
		return err
	})
	return run, err
}

// RecordsFrom is Records from a byte offset of the record file, which must be
// that of a frame; 0 is the file's begin.
func RecordsFrom(dir string, offset int64, visit Visit) error {
	return readFrom(dir, offset, func(r *ipc.RecordReader) error { return visitAll(r, visit) })
}

func readFrom(dir string, offset int64, do func(*ipc.RecordReader) error) error {
	r, err := ipc.OpenRecords(filepath.Join(dir, ipc.RecordFileName))
	if err != nil {
		return err
	}
	if offset > 0 {
		err = r.SkipTo(offset)
	}
	if err == nil {
		err = do(r)
	}
	return errors.Join(err, r.Close())
}
