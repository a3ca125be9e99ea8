package supervisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tare/ipc"
	"tare/ipc/clock"
)

// Open starts the workers and waits until all are ready. On error nothing is
// left behind but files in the run directory.
func Open(cfg Config) (*Session, error) {
	if cfg.spawn == nil {
		cfg.spawn = spawnProcess
	}
	s := &Session{cfg: cfg, manifest: cfg.Manifest, events: make(chan event, 64), dec: ipc.NewDecoder(), live: newLive(cfg.Record)}
	if err := s.start(); err != nil {
		s.endAll(0)
		for _, c := range s.children {
			if c.fault != "" {
				_ = os.Remove(c.stderr) // it says the same
			}
		}
		return nil, err
	}
	return s, nil
}

func (s *Session) start() error {
	for _, a := range s.cfg.Children {
		c, err := startChild(a, s.cfg.Dir, s.cfg.spawn, s.events)
		if err != nil {
			return fmt.Errorf("start worker %d: %w", a.Worker, err)
		}
		s.children = append(s.children, c)
	}
	if err := s.await(greeted, helloLimit); err != nil {
		return err
	}
	settings, err := json.Marshal(s.manifest.Settings)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	for _, c := range s.children {
		c.send(ipc.TypeAssign, ipc.Assign{
			Worker: c.Worker, Workers: len(s.children), Procs: c.Procs,
			Settings: settings, APIKey: s.cfg.APIKey, Headers: s.cfg.Headers,
		})
	}
	if err := s.await(ready, readyLimit); err != nil {
		return err
	}
	return s.createFile()
}

// ErrInterrupted says that the user stopped a session before its load began.
var ErrInterrupted = errors.New("interrupted before the load began")

// await handles events until every child has reached a phase. A child that
// dies or is not as it should be, or a first interrupt, ends the waiting with
// an error.
func (s *Session) await(p phase, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for !s.all(p) {
		select {
		case e := <-s.events:
			s.handle(e)
			if e.child.phase == dead || e.child.fault != "" {
				return s.deathOf(e.child)
			}
		case <-s.cfg.Interrupt:
			return ErrInterrupted
		case <-timer.C:
			return fmt.Errorf("workers were not ready within %v", limit)
		}
	}
	return nil
}

func (s *Session) all(p phase) bool {
	for _, c := range s.children {
		if c.phase != p {
			return false
		}
	}
	return true
}

// deathOf says why a child died: its own words before its exit code.
func (s *Session) deathOf(c *child) error {
	switch {
	case c.fault != "":
		return errors.New(c.fault)
	case c.saidLast() != "":
		return fmt.Errorf("worker %d: %s: %s", c.Worker, c.process.Exit(), c.saidLast())
	}
	return fmt.Errorf("worker %d: %s", c.Worker, c.process.Exit())
}

// createFile writes the manifest and the record file's header: everything is
// on disk before the first request.
func (s *Session) createFile() error {
	for _, c := range s.children {
		s.manifest.Workers = append(s.manifest.Workers, ipc.Child{
			Worker: c.Worker, PID: c.process.PID(), CPUs: c.hello.CPUs,
			Connections: c.ready.Connections, ClockOffset: c.ready.ClockOffset,
		})
	}
	_, s.bites = quota()
	s.epoch = clock.Now()
	s.manifest.Epoch = s.epoch
	doc, err := s.writeManifest()
	if err != nil {
		return err
	}
	if s.file, err = ipc.CreateRecords(filepath.Join(s.cfg.Dir, ipc.RecordFileName)); err != nil {
		return err
	}
	header := ipc.Header{Protocol: ipc.Protocol, Manifest: doc}
	return errors.Join(s.file.AppendMessage(ipc.TypeHeader, header), s.file.Flush())
}

func (s *Session) writeManifest() ([]byte, error) {
	doc, err := json.MarshalIndent(s.manifest, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode manifest: %w", err)
	}
	return doc, os.WriteFile(filepath.Join(s.cfg.Dir, ipc.ManifestFileName), append(doc, '\n'), 0o644)
}
