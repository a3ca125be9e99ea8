package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tare/analysis/profile"
	"tare/ipc"
	"tare/supervisor"
)

// climber runs the steps of a profile in one session.
type climber struct {
	session    *supervisor.Session
	interrupts <-chan os.Signal
	dir        string
	settings   ipc.Settings
	progress   *progress // nil: quiet
	out        io.Writer // of progress
	follow     *follower // of the step under way; nil between steps

	steps       []profile.Step
	interrupted bool // between two steps
}

// drive runs all steps and leaves records, manifest and profile in dir.
func (c *profileCmd) drive(env env, interrupts <-chan os.Signal, j job, dir string) error {
	k := &climber{interrupts: interrupts, dir: dir, settings: j.settings, out: env.stderr}
	if !c.Quiet {
		k.progress = newProgress(env.stderr)
	}
	var err error
	k.session, err = supervisor.Open(supervisor.Config{
		Dir: dir, Manifest: c.manifest(j), APIKey: j.apiKey, Headers: j.headers,
		Children: j.plan.Children, Interrupt: interrupts, Live: k.live,
	})
	if err != nil {
		return err
	}
	climbErr := k.climb()
	m, err := k.session.Close()
	if k.interrupted && m.End.Status == "complete" {
		m.End.Status = "interrupted"
	}
	if err := errors.Join(climbErr, err); err != nil {
		fmt.Fprintf(env.stderr, "tare: %v\n", err) // what is on file is still worth a report
	}
	return writeManifest(dir, m)
}

// climb runs one step after the other until none is wanted.
func (k *climber) climb() error {
	p, slo := *k.settings.Profile, k.settings.SLO
	for number := 0; !k.stopped(); number++ {
		ask, more, why := profile.Next(p, slo, k.steps)
		if !more {
			k.say("no more steps: %s\n", why)
			return nil
		}
		if err := k.step(number, ask); err != nil {
			return fmt.Errorf("step %d: %w", number, err)
		}
	}
	return nil
}

// stopped tells if the user, or the death of a worker, ended the profile.
func (k *climber) stopped() bool {
	select {
	case <-k.interrupts:
		k.interrupted = true
	default:
	}
	return k.interrupted || k.session.Interrupted() || len(k.session.Dead()) > 0
}

// step runs a step and judges it. One that was cut short is judged in the end.
func (k *climber) step(number int, ask profile.Ask) error {
	load, err := ask.Load(k.settings.Load, *k.settings.Profile, number)
	if err != nil {
		return err
	}
	watch := profile.NewWatch(*k.settings.Profile, k.settings.SLO, ask, k.steps)
	if k.follow, err = newFollower(filepath.Join(k.dir, ipc.RecordFileName), k.follow, number, load, k.settings, watch); err != nil {
		return err
	}
	err = k.session.Step(number, load)
	offset, closed := k.follow.begin, k.follow.close()
	if err := errors.Join(err, closed); err != nil || k.session.Interrupted() || len(k.session.Dead()) > 0 {
		return err
	}
	if k.steps, err = profile.ReadOn(k.dir, offset, k.steps); err != nil {
		return err
	}
	k.say("%s\n", stepLine(&k.steps[len(k.steps)-1]))
	return writeProfile(k.dir, profile.Conclude(*k.settings.Profile, k.settings.SLO, k.steps))
}

// live shows how a step goes and halts it when it has shown enough.
func (k *climber) live(l supervisor.Live) {
	if k.progress != nil {
		k.progress.show(l)
	}
	enough, err := k.follow.look(l.Elapsed)
	if err != nil {
		k.say("cannot look at the step under way: %v\n", err)
	}
	if enough {
		k.session.Halt()
	}
}

// say writes a line of progress.
func (k *climber) say(format string, args ...any) {
	if k.progress != nil {
		k.progress.clear()
		fmt.Fprintf(k.out, format, args...)
	}
}

// stepLine tells of a finished step.
func stepLine(s *profile.Step) string {
	asked := "step %d (%s): "
	text := fmt.Sprintf(asked, s.Number, s.Purpose)
	switch {
	case s.Asked != nil:
		text += fmt.Sprintf("%g/s asked", *s.Asked)
	case s.Concurrency != nil:
		text += fmt.Sprintf("%d in flight", *s.Concurrency)
	}
	if s.Delivered != nil {
		text += fmt.Sprintf(", %.4g/s delivered", *s.Delivered)
	}
	text += fmt.Sprintf(", %.1f s: %s", s.Seconds, s.Status)
	if len(s.Reasons) > 0 {
		text += ": " + s.Reasons[0]
	}
	return text
}
