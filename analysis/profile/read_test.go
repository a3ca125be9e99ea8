package profile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tare/analysis/arrival"
	"tare/analysis/internal/synth"
	"tare/ipc"
)

// written puts steps of constant arrivals on file, each request served after
// 100 ms by 8 slots, and returns the run directory. The end is filed if it is
// not nil.
func written(t *testing.T, settings ipc.Settings, end *ipc.End, rates ...string) string {
	t.Helper()
	w := synth.New(t, settings, 1)
	offset := int64(1e9)
	for number, rate := range rates {
		load := ipc.Load{Arrival: "constant", Rate: rate, Duration: 4 * time.Second, Warmup: 400 * time.Millisecond, MaxInFlight: 1e4}
		w.Step(number, offset, load)
		s := queue{slots: 8, service: "100ms"}.begin(nil)
		due := schedule(t, load)
		for _, at := range due {
			s.arrive(at)
		}
		for i, x := range s.until(1 << 60) {
			r := synth.OK(int64(i), offset+x.at, 0, x.end-x.at)
			r.Step = int64(number)
			w.Record(0, r)
		}
		w.Done(0, ipc.Done{Step: number, Ended: offset + 4e9, Last: ipc.Progress{Step: number, Sent: int64(len(due)), OK: int64(len(due)), Queue: []ipc.QueueRow{}}})
		offset += 10e9
	}
	if end == nil {
		return w.Cut()
	}
	return w.End(*end)
}

// schedule is the instants of a load, ns after the step's epoch.
func schedule(t *testing.T, l ipc.Load) []int64 {
	t.Helper()
	spec, err := arrival.FromLoad(l)
	if err != nil {
		t.Fatal(err)
	}
	var due []int64
	c := spec.Slice(0, 1)
	for a, ok := c.Next(); ok; a, ok = c.Next() {
		due = append(due, a.At)
	}
	return due
}

// lastStep is the byte offset of the last step's frame.
func lastStep(t *testing.T, dir string) (offset int64) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, ipc.RecordFileName))
	if err != nil {
		t.Fatal(err)
	}
	frames, dec, at := ipc.NewFrameReader(bytes.NewReader(b)), ipc.NewDecoder(), int64(0)
	for {
		f, err := frames.Next()
		if err == io.EOF {
			return offset
		}
		if err != nil {
			t.Fatal(err)
		}
		if kind, _, err := dec.Open(f); err != nil {
			t.Fatal(err)
		} else if kind == ipc.TypeStep {
			offset = at
		}
		at += int64(len(f))
	}
}

// A profile's directory holds all that its result rests on; a step read alone
// while the profile runs is judged as the same step read with all others.
func TestReadFromRecordsAlone(t *testing.T) {
	p := auto(40, 160)
	settings := ipc.Settings{Profile: &p, Target: ipc.Target{Stream: true}}
	dir := written(t, settings, &ipc.End{At: 41e9}, "40", "80", "160", "78.2")
	all, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var statuses []Status
	var purposes []Purpose
	for _, s := range all.Steps {
		statuses, purposes = append(statuses, s.Status), append(purposes, s.Purpose)
	}
	if diff := cmp.Diff([]Status{Stable, Stable, Saturated, Stable}, statuses); diff != "" {
		t.Errorf("statuses (-want +got)\n%s", diff)
	}
	// 78.2 is not the probe that follows: 80 was stable. Its purpose is unknown.
	if diff := cmp.Diff([]Purpose{Doubling, Doubling, Doubling, ""}, purposes); diff != "" {
		t.Errorf("purposes (-want +got)\n%s", diff)
	}
	if c := all.Capacity; c.LimitedBy != ByServer || *c.Lo > 80 || *c.Hi < 80 {
		t.Errorf("capacity %s by %s", show(c), c.LimitedBy)
	}

	steps, err := ReadOn(dir, lastStep(t, dir), all.Steps[:3:3])
	if err != nil || len(steps) != 4 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	if diff := cmp.Diff(all.Steps[3], steps[3], cmpopts.IgnoreUnexported(Step{}, Judgement{})); diff != "" {
		t.Errorf("the last step, of all and alone (-of all +alone)\n%s", diff)
	}
}

// Steps that have ended keep what they told; the one that the user cut short
// decides nothing, nor does the last of a run whose supervisor died.
func TestReadOfAProfileCutShort(t *testing.T) {
	p := auto(40, 160)
	settings := ipc.Settings{Profile: &p, Target: ipc.Target{Stream: true}}
	for why, end := range map[string]*ipc.End{
		"by the user": {At: 30e9, Interrupted: 24e9}, "by the death of its supervisor": nil,
	} {
		r, err := Read(written(t, settings, end, "40", "80", "160"))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Steps) != 3 || !r.Steps[2].Interrupted || r.Steps[1].Interrupted {
			t.Errorf("cut short %s: %d steps, the last is interrupted: %v", why, len(r.Steps), r.Steps[2].Interrupted)
		}
		if c := r.Capacity; c.LimitedBy != ByNone || *c.Lo != 80 || c.Hi != nil || r.Ended != "it was stopped before its end" {
			t.Errorf("cut short %s: capacity %s by %s, ended: %s", why, show(c), c.LimitedBy, r.Ended)
		}
	}
}

// A run that is no profile is told from one that is.
func TestReadOfAPlainRun(t *testing.T) {
	dir := written(t, ipc.Settings{Target: ipc.Target{Stream: true}}, &ipc.End{At: 11e9}, "40")
	if _, err := Read(dir); !errors.Is(err, ErrNoProfile) {
		t.Errorf("error %v, want ErrNoProfile", err)
	}
	if _, err := Read(filepath.Join(dir, "nowhere")); err == nil || errors.Is(err, ErrNoProfile) {
		t.Errorf("error %v", err)
	}
}
