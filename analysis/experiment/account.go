package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"tare/ipc"
)

// Account is what a plain run cost its worker processes, all together.
type Account struct {
	Processes   int     `json:"processes"`
	CPU         float64 `json:"cpu_us"`      // user and system
	Switches    int64   `json:"switches"`    // of context, voluntary
	Preemptions int64   `json:"preemptions"` // switches of context that were not
	GCs         int64   `json:"gcs"`         // collections
	GCPause     float64 `json:"gc_pause_ms"` // stop-the-world, at most
	Memory      float64 `json:"max_rss_mib"` // the largest resident size of each, added up

	epoch int64 // of the step, CLOCK_MONOTONIC ns
}

// ReadAccount reads the record file of a run directory. It is an error if the
// file is damaged or has no step; one that was cut off counts as far as it goes.
func ReadAccount(dir string) (a Account, err error) {
	r, err := ipc.OpenRecords(filepath.Join(dir, ipc.RecordFileName))
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var manifest ipc.Manifest
	if err := json.Unmarshal(r.Header.Manifest, &manifest); err != nil {
		return a, fmt.Errorf("read the manifest in the record file: %w", err)
	}
	a.epoch = manifest.Epoch
	for {
		t, _, err := r.Next()
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, ipc.ErrTorn):
			return a, nil
		case err != nil:
			return a, err
		}
		if err := a.frame(r, t); err != nil {
			return a, err
		}
	}
}

// frame books the frames that tell of a process, and the step's epoch.
func (a *Account) frame(r *ipc.RecordReader, t ipc.Type) error {
	switch t {
	case ipc.TypeStep:
		var s ipc.Step
		err := r.Message(&s)
		a.epoch += s.Offset
		return err
	case ipc.TypeDone:
		var d ipc.Done
		err := r.Message(&d)
		a.add(d.Last.Usage)
		return err
	}
	return nil
}

func (a *Account) add(u ipc.Usage) {
	a.Processes++
	a.CPU += float64(u.User+u.System) / 1e3
	a.Switches += u.Switches
	a.Preemptions += u.Preemptions
	a.GCs += u.GCs
	a.GCPause += float64(u.GCPause) / 1e6
	a.Memory += float64(u.MaxRSS) / (1 << 20)
}
