package supervisor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tare/ipc"
)

// A worker that is not fit to run ends the session before the load, and the
// user reads why.
func TestOpenFails(t *testing.T) {
	for _, c := range []struct {
		why  string
		play part
		want string
	}{
		{"death before hello: only its exit is known", func(w *fakeWorker) {
			w.exit = "signal: killed"
		}, "worker 0: signal: killed"},

		{"death before hello with last words: they come along", func(w *fakeWorker) {
			w.say("panic: out of luck\n")
			w.exit = "exit status 2"
		}, "worker 0: exit status 2: panic: out of luck"},

		{"a binary of another build would measure something else", func(w *fakeWorker) {
			w.send(ipc.TypeHello, ipc.Hello{Protocol: ipc.Protocol, Build: "v2", CPUs: []int{0}})
			w.leave()
		}, "binary of another version: protocol 1, build v2"},

		{"a binary of another protocol would be misread", func(w *fakeWorker) {
			w.send(ipc.TypeHello, ipc.Hello{Protocol: ipc.Protocol + 1, Build: build, CPUs: []int{0}})
			w.leave()
		}, "binary of another version: protocol 2"},

		{"the kernel cuts a CPU list silently: what was read back counts", func(w *fakeWorker) {
			w.send(ipc.TypeHello, ipc.Hello{Protocol: ipc.Protocol, Build: build, CPUs: []int{0, 1}})
			w.leave()
		}, "pinned to CPUs [0], reads back [0 1]"},

		{"a fault's text stands for itself, not its exit code", func(w *fakeWorker) {
			w.greet(0)
			var a ipc.Assign
			w.expect(ipc.TypeAssign, &a)
			w.send(ipc.TypeFault, ipc.Fault{Text: "connect to http://host: refused\n", Stack: "goroutine 1"})
			w.exit = "exit status 1"
		}, "connect to http://host: refused"},

		{"a frame that no worker sends", func(w *fakeWorker) {
			w.send(ipc.TypeStop, ipc.Stop{Mode: ipc.StopNow})
			w.leave()
		}, "is no worker's"},
	} {
		t.Run(c.why, func(t *testing.T) {
			cast := &cast{t: t, parts: []part{c.play}}
			began := time.Now()
			_, err := Open(cast.config())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %q, want one with %q", err, c.want)
			}
			if took := time.Since(began); took > helloLimit/2 {
				t.Errorf("told after %v, not at once", took)
			}
			cast.gone()
		})
	}
}

// One worker's failure to start ends those that are fit.
func TestOpenEndsTheOthers(t *testing.T) {
	greeted := make(chan struct{})
	c := &cast{t: t, parts: []part{
		func(w *fakeWorker) { w.greet(0); close(greeted); w.linger() },
		func(w *fakeWorker) { <-greeted; w.exit = "exit status 1" },
	}}
	if _, err := Open(c.config()); err == nil {
		t.Fatal("no error")
	}
	c.gone()
}

func TestOpenInterrupted(t *testing.T) {
	c := &cast{t: t, parts: []part{func(w *fakeWorker) { w.linger() }}}
	cfg := c.config()
	interrupts := make(chan os.Signal, 1)
	interrupts <- os.Interrupt
	cfg.Interrupt = interrupts
	if _, err := Open(cfg); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("error %v, want ErrInterrupted", err)
	}
	c.gone()
}

// What each worker is told: its number, the cut, the secrets, its processors.
func TestAssign(t *testing.T) {
	assigned := make(chan ipc.Assign, 2)
	play := func(cpu int) part {
		return func(w *fakeWorker) { assigned <- w.prepare(cpu); w.leave() }
	}
	c := &cast{t: t, parts: []part{play(0), play(1)}}
	cfg := c.config()
	cfg.APIKey, cfg.Headers = "secret", []string{"X-Team: a"}
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got := []ipc.Assign{<-assigned, <-assigned}
	slices.SortFunc(got, func(a, b ipc.Assign) int { return a.Worker - b.Worker })
	for i, a := range got {
		if a.Worker != i || a.Workers != 2 || a.Procs != 1 || a.APIKey != "secret" || !slices.Equal(a.Headers, cfg.Headers) {
			t.Errorf("worker %d: %+v", i, a)
		}
		if !slices.Contains(c.workers[i].env, "GOMAXPROCS=1") {
			t.Errorf("worker %d: environment %q", i, c.workers[i].env)
		}
	}
	for _, name := range []string{ipc.ManifestFileName, ipc.RecordFileName} {
		b, err := os.ReadFile(filepath.Join(cfg.Dir, name))
		if err != nil || strings.Contains(string(b), "secret") {
			t.Errorf("%s: %v, or it holds the key", name, err)
		}
	}
}

// A worker that dies in the middle of a step makes the run partial; the others
// go on to their end.
func TestWorkerDiesInMidStep(t *testing.T) {
	died := make(chan struct{})
	c := &cast{t: t, parts: []part{
		func(w *fakeWorker) {
			w.prepare(0)
			var start ipc.Start
			w.expect(ipc.TypeStart, &start)
			<-died
			w.sendRecord(ipc.Record{Index: 3, Class: ipc.OK, Sent: 10, Done: 20})
			w.finish(ipc.Done{Last: ipc.Progress{OK: 1, Queue: []ipc.QueueRow{}}})
		},
		func(w *fakeWorker) {
			defer close(died)
			w.prepare(1)
			var start ipc.Start
			w.expect(ipc.TypeStart, &start)
			w.say("fatal error: stack overflow")
			w.exit = "signal: killed"
		},
	}}
	cfg := c.config()
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Step(0, ipc.Load{Rate: "10"}); err != nil {
		t.Errorf("step: %v", err)
	}
	if dead := s.Dead(); !slices.Equal(dead, []int{1}) {
		t.Errorf("dead: %v, want [1]", dead)
	}
	m, err := s.Close()
	if err != nil {
		t.Fatal(err)
	}
	if m.End.Status != "partial" || m.Workers[1].Exit != "signal: killed" || m.Workers[1].Stderr != "fatal error: stack overflow" || m.Workers[0].Exit != "" {
		t.Errorf("manifest: end %+v, workers %+v", m.End, m.Workers)
	}
	want := []ipc.Type{ipc.TypeStep, ipc.TypeRecords, ipc.TypeDone, ipc.TypeEnd}
	if diff := cmp.Diff(want, frames(t, filepath.Join(cfg.Dir, ipc.RecordFileName))); diff != "" {
		t.Errorf("frames on file (-want +got)\n%s", diff)
	}
	c.gone()
}

func (w *fakeWorker) sendRecord(r ipc.Record) {
	b := ipc.NewBatch(0, 1<<10)
	err := b.Add(&r)
	if err == nil {
		var f ipc.Frame
		if f, err = b.Frame(); err == nil {
			err = w.conn.SendFrame(f)
		}
	}
	if err != nil {
		w.t.Errorf("fake worker: %v", err)
	}
}

// The first signal drains, the second ends at once: the worker hears of both,
// in this order, before it is told to leave.
func TestInterrupt(t *testing.T) {
	interrupts := make(chan os.Signal, 2)
	c := &cast{t: t, parts: []part{func(w *fakeWorker) {
		w.prepare(0)
		var start ipc.Start
		w.expect(ipc.TypeStart, &start)
		for _, want := range []ipc.StopMode{ipc.StopDrain, ipc.StopNow} {
			interrupts <- os.Interrupt
			var s ipc.Stop
			if w.expect(ipc.TypeStop, &s); s.Mode != want {
				w.t.Errorf("stop mode %d, want %d", s.Mode, want)
			}
		}
		w.finish(ipc.Done{Stopped: true, Last: ipc.Progress{Queue: []ipc.QueueRow{}}})
	}}}
	cfg := c.config()
	cfg.Interrupt = interrupts
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Step(0, ipc.Load{Rate: "10"}); err != nil {
		t.Errorf("step: %v", err)
	}
	m, err := s.Close()
	if err != nil {
		t.Fatal(err)
	}
	if !s.Interrupted() || m.End.Status != "interrupted" {
		t.Errorf("interrupted %v, status %q", s.Interrupted(), m.End.Status)
	}
	// The word to leave comes first; signals only after these graces.
	if got := <-c.workers[0].ends; got != [2]time.Duration{exitGrace, termGrace} {
		t.Errorf("graces %v", got)
	}
}

// A worker that does not heed the second signal is ended by the ladder.
func TestInterruptOfADeafWorker(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a grace of seconds")
	}
	t.Parallel()
	interrupts := make(chan os.Signal, 2)
	c := &cast{t: t, parts: []part{func(w *fakeWorker) {
		w.prepare(0)
		var start ipc.Start
		w.expect(ipc.TypeStart, &start)
		interrupts <- os.Interrupt
		interrupts <- os.Interrupt
		w.linger()
	}}}
	cfg := c.config()
	cfg.Interrupt = interrupts
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Step(0, ipc.Load{Rate: "10"}); err != nil {
		t.Errorf("step: %v", err)
	}
	if _, err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-c.workers[0].ends; got != [2]time.Duration{0, termGrace} {
		t.Errorf("graces %v", got)
	}
}

// Steps follow each other in one session, every start is at one instant for
// all and lies ahead, and the manifest is on disk before the first.
func TestSteps(t *testing.T) {
	starts := make(chan ipc.Start, 4)
	var manifest string
	play := func(cpu int) part {
		return func(w *fakeWorker) {
			w.prepare(cpu)
			for range 2 {
				var s ipc.Start
				w.expect(ipc.TypeStart, &s)
				if _, err := os.Stat(manifest); err != nil {
					w.t.Errorf("before the start: %v", err)
				}
				starts <- s
				w.send(ipc.TypeDone, ipc.Done{Step: s.Step, Last: ipc.Progress{Sent: 5, Queue: []ipc.QueueRow{}}})
			}
			w.leave()
		}
	}
	c := &cast{t: t, parts: []part{play(0), play(1)}}
	cfg := c.config()
	manifest = filepath.Join(cfg.Dir, ipc.ManifestFileName)
	var shown []Live
	cfg.Live = func(l Live) { shown = append(shown, l) }
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for number := range 2 {
		if err := s.Step(number, ipc.Load{Rate: "10"}); err != nil {
			t.Fatal(err)
		}
		a, b := <-starts, <-starts
		if a.Step != number || a.Offset != b.Offset || a.Epoch != b.Epoch {
			t.Errorf("step %d starts at %+v and %+v", number, a, b)
		}
		if last := shown[len(shown)-1]; last.Sent != 10 {
			t.Errorf("step %d: live view says %d sent, want 5 of each worker", number, last.Sent)
		}
	}
	m, err := s.Close()
	if err != nil || m.End.Status != "complete" {
		t.Errorf("close: %v, %+v", err, m.End)
	}
	want := []ipc.Type{ipc.TypeStep, ipc.TypeDone, ipc.TypeDone, ipc.TypeStep, ipc.TypeDone, ipc.TypeDone, ipc.TypeEnd}
	if diff := cmp.Diff(want, frames(t, filepath.Join(cfg.Dir, ipc.RecordFileName))); diff != "" {
		t.Errorf("frames on file (-want +got)\n%s", diff)
	}
}

// A step that has shown enough is halted from its live view: the worker hears
// the same word as at a first signal, and nobody has interrupted anything.
func TestHalt(t *testing.T) {
	c := &cast{t: t, parts: []part{func(w *fakeWorker) {
		w.prepare(0)
		var start ipc.Start
		w.expect(ipc.TypeStart, &start)
		var s ipc.Stop
		if w.expect(ipc.TypeStop, &s); s.Mode != ipc.StopDrain {
			w.t.Errorf("stop mode %d, want drain", s.Mode)
		}
		w.finish(ipc.Done{Stopped: true, Last: ipc.Progress{Queue: []ipc.QueueRow{}}})
	}}}
	cfg := c.config()
	var s *Session
	halted := false
	cfg.Live = func(Live) {
		if !halted {
			halted = true
			s.Halt()
		}
	}
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Step(0, ipc.Load{Rate: "10"}); err != nil {
		t.Errorf("step: %v", err)
	}
	m, err := s.Close()
	if err != nil || s.Interrupted() || m.End.Status != "complete" {
		t.Errorf("close: %v, interrupted %v, %+v", err, s.Interrupted(), m.End)
	}
}
