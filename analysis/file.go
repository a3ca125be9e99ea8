package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tare/ipc"
)

// file is the state of reading a record file.
type file struct {
	reader *ipc.RecordReader
	beside beside
	run    *Run
	steps  map[int64]*step
	order  []*step
	newest int64 // newest instant on file, ns after the run epoch
	record ipc.Record
}

// frames reads the file to its end, clean or torn.
func (f *file) frames() error {
	for {
		t, worker, err := f.reader.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, ipc.ErrTorn):
			f.run.Torn = true
			return nil
		case err != nil:
			return fmt.Errorf("read record file: %w", err)
		}
		if err := f.frame(t, worker); err != nil {
			return fmt.Errorf("read record file: %w", err)
		}
	}
}

// frame acts on one frame. Types that say nothing about the figures are
// passed over.
func (f *file) frame(t ipc.Type, worker int) error {
	switch t {
	case ipc.TypeStep:
		return f.begin()
	case ipc.TypeRecords:
		return f.records(worker)
	case ipc.TypeProgress:
		return f.progress(worker)
	case ipc.TypeDone:
		return f.done(worker)
	case ipc.TypeFault:
		return f.fault(worker)
	case ipc.TypeEnd:
		f.run.End = &ipc.End{}
		return f.reader.Message(f.run.End)
	}
	return nil
}

func (f *file) fault(worker int) error {
	var m ipc.Fault
	err := f.reader.Message(&m)
	f.run.Faults = append(f.run.Faults, Fault{Worker: worker, Text: m.Text})
	return err
}

// begin opens a step. Its load is in the frame; a frame without one has the
// load of the settings.
func (f *file) begin() error {
	var m ipc.Step
	if err := f.reader.Message(&m); err != nil {
		return err
	}
	load := f.run.Manifest.Settings.Load
	if len(m.Load) > 0 {
		load = ipc.Load{}
		if err := json.Unmarshal(m.Load, &load); err != nil {
			return fmt.Errorf("load of step %d: %w", m.Step, err)
		}
	}
	if f.steps[int64(m.Step)] != nil {
		return fmt.Errorf("step %d begins twice", m.Step)
	}
	s, err := newStep(m, load, &f.run.Manifest)
	if err != nil {
		return fmt.Errorf("step %d: %w", m.Step, err)
	}
	f.steps[int64(m.Step)] = s
	f.order = append(f.order, s)
	return nil
}

func (f *file) step(number int64) (*step, error) {
	s := f.steps[number]
	if s == nil {
		return nil, fmt.Errorf("step %d has not begun", number)
	}
	return s, nil
}

func (f *file) records(worker int) error {
	return visitFrame(f.reader, worker, &f.record, func(worker int, r *ipc.Record) error {
		s, err := f.step(r.Step)
		if err == nil {
			err = s.add(worker, r)
		}
		if err != nil {
			return fmt.Errorf("record %d of worker %d: %w", r.Index, worker, err)
		}
		f.newest = max(f.newest, r.Scheduled, r.Sent, r.Done)
		return nil
	})
}

func (f *file) progress(worker int) error {
	var m ipc.Progress
	if err := f.reader.Message(&m); err != nil {
		return err
	}
	return f.report(worker, m)
}

func (f *file) done(worker int) error {
	var m ipc.Done
	if err := f.reader.Message(&m); err != nil {
		return err
	}
	if err := f.report(worker, m.Last); err != nil {
		return err
	}
	s, err := f.step(int64(m.Step))
	if err != nil {
		return err
	}
	f.newest = max(f.newest, m.Ended)
	s.worker(worker).done = &m
	return nil
}

func (f *file) report(worker int, m ipc.Progress) error {
	s, err := f.step(int64(m.Step))
	if err != nil {
		return err
	}
	f.newest = max(f.newest, m.At)
	w := s.worker(worker)
	w.rows = append(w.rows, m.Queue...)
	m.Queue = nil
	w.last = m
	return nil
}
