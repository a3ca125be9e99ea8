package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tare/analysis/ntpot"
	"tare/ipc"
)

// BaselineFileName is the name, within a run directory, of the Baseline that
// the run is held against.
const BaselineFileName = "baseline.json"

// A Baseline is an idle run of the same server: it has no queue, so that what
// its latencies hold beside prefill and decoding is fixed cost.
type Baseline struct {
	Dir      string       `json:"dir"`       // where it was read from
	InFlight *float64     `json:"in_flight"` // requests in flight in the mean: delivered rate times mean E2E (Little)
	Model    string       `json:"model"`
	Shape    ipc.Shape    `json:"shape"`
	Parts    *ntpot.Parts `json:"parts"` // nil if nothing was streamed
}

// NewBaseline reads the run in dir. It is an error if that is no plain run.
func NewBaseline(dir string) (*Baseline, error) {
	run, err := Load(dir)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	if n := len(run.Steps); n != 1 {
		return nil, fmt.Errorf("baseline %s holds %d steps of load; an idle run has one", dir, n)
	}
	s, set := run.Steps[0].Summary, run.Manifest.Settings
	b := &Baseline{Dir: dir, InFlight: inFlight(&s), Model: set.Target.Model, Shape: set.Shape}
	if s.NTPOTParts != nil {
		b.Parts = &s.NTPOTParts.Parts
	}
	return b, nil
}

// Write puts the Baseline into the directory of a run that is held against it.
func (b *Baseline) Write(dir string) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return fmt.Errorf("encode baseline: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, BaselineFileName), append(text, '\n'), 0o644)
}

// readBaseline returns the Baseline of the run in dir, nil if it has none.
func readBaseline(dir string) (*Baseline, error) {
	text, err := os.ReadFile(filepath.Join(dir, BaselineFileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b := &Baseline{}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("read %s: %w", BaselineFileName, err)
	}
	return b, nil
}

// inFlight is the mean number of requests in flight by Little's law.
func inFlight(s *Summary) *float64 {
	if s.Load.DeliveredRate == nil || s.Latency.E2E.Wire.Mean == nil {
		return nil
	}
	return new(*s.Load.DeliveredRate * *s.Latency.E2E.Wire.Mean / 1e3)
}

// idle is the most requests in flight at which a server is said to be idle:
// one, and some for the overlap of a closed loop of one.
const idle = 1.1

// doubts are about a baseline as one of this run.
func (b *Baseline) doubts(s *ipc.Settings) []ntpot.Doubt {
	var d []ntpot.Doubt
	if b.InFlight != nil && *b.InFlight > idle {
		d = append(d, ntpot.Doubt{Key: "fixed_ms", Text: fmt.Sprintf(
			"the baseline %s was not idle: %.1f requests were in flight in the mean, and their queue counts as fixed cost", b.Dir, *b.InFlight)})
	}
	if b.Model != s.Target.Model {
		d = append(d, ntpot.Doubt{Key: "fixed_ms", Text: fmt.Sprintf("the baseline %s is of the model %q, not %q", b.Dir, b.Model, s.Target.Model)})
	}
	return d
}
