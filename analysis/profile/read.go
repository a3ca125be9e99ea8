package profile

import (
	"errors"
	"fmt"

	"tare/analysis"
	"tare/ipc"
)

// FileName is the result's name within a run directory.
const FileName = "profile.json"

// ErrNoProfile says that a run directory holds a plain run.
var ErrNoProfile = errors.New("the run is no profile")

// Read judges the steps of a profile anew, from the record file of its run
// directory alone. A step that the user, or the supervisor's death, cut short
// is the last. The error wraps ErrNoProfile for a plain run.
func Read(dir string) (Result, error) {
	if err := check(dir); err != nil {
		return Result{}, err
	}
	run, err := analysis.Load(dir)
	if err != nil {
		return Result{}, err
	}
	settings := &run.Manifest.Settings
	steps, err := judgeRun(dir, 0, run, nil)
	if err != nil {
		return Result{}, err
	}
	if last := &steps[len(steps)-1]; run.End == nil || run.End.Interrupted > run.Steps[len(run.Steps)-1].Offset {
		last.Interrupted = true
	}
	return Conclude(*settings.Profile, settings.SLO, steps), nil
}

// errChecked ends the reading of a file whose header is all that is wanted.
var errChecked = errors.New("checked")

// check looks for a profile's settings in the header of the record file.
func check(dir string) error {
	verdict := errChecked
	err := analysis.Records(dir, func(m ipc.Manifest) analysis.Visit {
		if m.Settings.Profile == nil {
			verdict = fmt.Errorf("%s: %w", dir, ErrNoProfile)
		}
		return func(int, *ipc.Record) error { return verdict }
	})
	if errors.Is(verdict, ErrNoProfile) {
		return verdict
	}
	if errors.Is(err, errChecked) {
		return nil
	}
	return err
}

// ReadOn judges the steps that stand in the record file from a byte offset on,
// which is that of a step's frame, and appends them to those before. It is for
// a profile under way, all of whose steps on file have ended.
func ReadOn(dir string, offset int64, before []Step) ([]Step, error) {
	run, err := analysis.LoadFrom(dir, offset)
	if err != nil {
		return before, err
	}
	return judgeRun(dir, offset, run, before)
}

// judgeRun judges the steps of a run in their order: each is judged in the
// light of those before it.
func judgeRun(dir string, offset int64, run *analysis.Run, before []Step) ([]Step, error) {
	settings := &run.Manifest.Settings
	flows, err := readFlows(dir, offset, run)
	if err != nil {
		return before, err
	}
	steps := before
	for i := range run.Steps {
		ask, more, _ := Next(*settings.Profile, settings.SLO, steps)
		s := newStep(*settings.Profile, settings.SLO, run.Steps[i], flows[int64(run.Steps[i].Number)], steps)
		if more && ask.load() == s.load() {
			s.Purpose = ask.Purpose
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// readFlows reads the flow of each step.
func readFlows(dir string, offset int64, run *analysis.Run) (map[int64]*Flow, error) {
	settings := &run.Manifest.Settings
	flows := map[int64]*Flow{}
	for i := range run.Steps {
		flows[int64(run.Steps[i].Number)] = NewFlow(run.Steps[i].Offset, settings.SLO)
	}
	err := analysis.RecordsFrom(dir, offset, func(_ int, r *ipc.Record) error {
		f := flows[r.Step]
		if f == nil {
			return fmt.Errorf("record %d belongs to step %d, which is not on file", r.Index, r.Step)
		}
		f.Due(r.Scheduled)
		f.End(r, !settings.Target.Stream)
		return nil
	})
	return flows, err
}
