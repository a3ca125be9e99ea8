package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"tare/analysis/arrival"
	"tare/analysis/profile"
	"tare/ipc"
)

// follower reads the record file behind the session that writes it, and looks
// at a step while it runs.
type follower struct {
	file   *os.File
	dec    *ipc.Decoder
	begin  int64 // byte offset of the step's frame
	at     int64 // byte offset of the next frame
	step   int
	unary  bool
	load   ipc.Load
	slo    ipc.SLO
	watch  *profile.Watch
	flow   *profile.Flow // nil until the step's frame has been read
	offset int64         // of the step's epoch, ns after the run epoch
	due    *arrival.Cursor
	next   arrival.Arrival // not yet due; beyond all time after the last
	over   bool            // the step has been halted
	record ipc.Record
}

// lag is how far the record file may be behind: records are batched for a
// quarter of a second, and flushed each quarter.
const lag = 750 * time.Millisecond

// newFollower follows a step from where the follower of the one before ended;
// nil is the file's begin.
func newFollower(path string, before *follower, step int, load ipc.Load, s ipc.Settings, watch *profile.Watch) (*follower, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("follow the record file: %w", err)
	}
	f := &follower{file: file, dec: ipc.NewDecoder(), step: step, load: load, slo: s.SLO, unary: !s.Target.Stream, watch: watch}
	if before != nil {
		f.begin, f.at = before.at, before.at
	}
	if load.Open() {
		spec, err := arrival.FromLoad(load)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("schedule: %w", err), file.Close())
		}
		f.due = spec.Slice(0, 1)
		f.advance()
	}
	return f, nil
}

func (f *follower) close() error {
	return errors.Join(f.read(), f.file.Close())
}

// look reads what is new on file and tells if the step has shown enough. After
// it has said so once it looks no more.
func (f *follower) look(elapsed time.Duration) (enough bool, err error) {
	if f.over || elapsed >= f.load.Duration {
		return false, nil
	}
	if err := f.read(); err != nil || f.flow == nil {
		return false, err
	}
	to := f.offset + int64(elapsed-lag)
	for f.due != nil && f.offset+f.next.At <= to {
		f.flow.Due(f.offset + f.next.At)
		f.advance()
	}
	f.over = f.watch.Enough(f.flow, to)
	return f.over, nil
}

func (f *follower) advance() {
	var ok bool
	if f.next, ok = f.due.Next(); !ok {
		f.next.At = math.MaxInt64 / 2
	}
}

// read reads the whole frames that have come since the last time.
func (f *follower) read() error {
	frames := ipc.NewFrameReader(bufio.NewReader(io.NewSectionReader(f.file, f.at, math.MaxInt64-f.at)))
	for {
		frame, err := frames.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, ipc.ErrTorn) {
			return nil
		}
		if err == nil {
			err = f.take(frame)
		}
		if err != nil {
			return fmt.Errorf("follow the record file: %w", err)
		}
		f.at += int64(len(frame))
	}
}

// take acts on a frame of the step.
func (f *follower) take(frame ipc.Frame) error {
	kind, _, err := f.dec.Open(frame)
	switch {
	case err != nil:
		return err
	case kind == ipc.TypeStep:
		return f.start()
	case kind == ipc.TypeRecords && f.flow != nil:
		return f.records()
	}
	return nil
}

// start begins the flow at the step's frame.
func (f *follower) start() error {
	var s ipc.Step
	if err := f.dec.Message(&s); err != nil || s.Step != f.step {
		return err
	}
	f.begin, f.offset = f.at, s.Offset
	f.flow = profile.NewFlow(s.Offset, f.slo)
	return nil
}

func (f *follower) records() error {
	for {
		err := f.dec.Record(&f.record)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if f.record.Step != int64(f.step) {
			continue
		}
		if f.due == nil {
			f.flow.Due(f.record.Scheduled)
		}
		f.flow.End(&f.record, f.unary)
	}
}
