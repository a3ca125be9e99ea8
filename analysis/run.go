package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"tare/ipc"
)

// Run is a run as its record file tells it.
type Run struct {
	Manifest ipc.Manifest // as it stood before the start
	Steps    []Step       // in the order in which they ran; a plain run has one
	Torn     bool         // the file ends inside a frame: what was in it is lost
	End      *ipc.End     // nil if the file was cut off: its supervisor died
	Faults   []Fault      // last words of workers, in the order of the file
}

// Step is one step of load and what it came to.
type Step struct {
	Number  int
	Offset  int64 // of the step's epoch after the run epoch, ns
	Load    ipc.Load
	Summary Summary
}

// Fault is what a worker said when it could not go on.
type Fault struct {
	Worker int
	Text   string
}

// Load reads the record file of the run directory dir, and the baseline and the
// server's metrics that may lie beside it. A file that was cut off is read as
// far as it goes. It is an error if the file is damaged before its end, holds no
// step of load, or contradicts itself: an arrival that is on file twice or that
// the plan does not hold.
func Load(dir string) (*Run, error) { return load(dir, nil) }

// Summarize reads the run directory of a plain run. It is an error if the run
// had more than one step.
func Summarize(dir string) (Summary, error) { return SummarizeAgainst(dir, nil) }

// SummarizeAgainst is Summarize with a Baseline in the place of the one that
// lies in dir; nil leaves it.
func SummarizeAgainst(dir string, baseline *Baseline) (Summary, error) {
	run, err := load(dir, baseline)
	if err != nil {
		return Summary{}, err
	}
	if n := len(run.Steps); n != 1 {
		return Summary{}, fmt.Errorf("%s holds %d steps of load; a plain run has one", dir, n)
	}
	return run.Steps[0].Summary, nil
}

func load(dir string, baseline *Baseline) (*Run, error) {
	b, err := readBeside(dir)
	if err != nil {
		return nil, err
	}
	if baseline != nil {
		b.baseline = baseline
	}
	r, err := ipc.OpenRecords(filepath.Join(dir, ipc.RecordFileName))
	if err != nil {
		return nil, err
	}
	run, err := read(r, b)
	return run, errors.Join(err, r.Close())
}

func read(r *ipc.RecordReader, b beside) (*Run, error) {
	manifest, err := readManifest(r)
	if err != nil {
		return nil, err
	}
	f := &file{reader: r, beside: b, run: &Run{Manifest: manifest}, steps: map[int64]*step{}}
	if err := f.frames(); err != nil {
		return nil, err
	}
	if len(f.order) == 0 {
		return nil, errors.New("no step of load is on file: the run ended before it began")
	}
	return f.run, f.summarize()
}

func readManifest(r *ipc.RecordReader) (m ipc.Manifest, err error) {
	if err = json.Unmarshal(r.Header.Manifest, &m); err != nil {
		return m, fmt.Errorf("read the manifest in the record file: %w", err)
	}
	return m, nil
}
