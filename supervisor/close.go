package supervisor

import (
	"os"
	"time"

	"tare/ipc"
	"tare/ipc/clock"
)

// Close ends the workers and completes the record file. The returned manifest
// has everything but the ledger.
func (s *Session) Close() (ipc.Manifest, error) {
	dead := s.Dead()
	end := ipc.End{At: clock.Now() - s.epoch, Interrupted: s.interrupted, Dead: dead, Throttled: s.throttled()}
	s.endAll(exitGrace)
	s.note(s.file.AppendMessage(ipc.TypeEnd, end))
	s.note(s.file.Close())
	for i, c := range s.children {
		w := &s.manifest.Workers[i]
		w.Exit, w.Stderr = c.process.Exit(), c.saidLast()
		if w.Stderr == "" {
			s.note(os.Remove(c.stderr))
		}
	}
	s.manifest.Host.Throttled = end.Throttled
	s.manifest.End = &ipc.Ending{Status: s.status(dead), Seconds: float64(end.At) / 1e9}
	return s.manifest, s.fault
}

// throttled counts the periods in which a CPU quota held us up since the
// session began.
func (s *Session) throttled() int64 {
	_, now := quota()
	return now - s.bites
}

func (s *Session) status(dead []int) string {
	switch {
	case len(dead) > 0:
		return "partial"
	case s.interrupts > 0:
		return "interrupted"
	}
	return "complete"
}

// endAll ends every child by the ladder Stop, SIGTERM, SIGKILL, and waits.
// What they still say is filed.
func (s *Session) endAll(grace time.Duration) {
	for _, c := range s.children {
		if c.alive() {
			c.send(ipc.TypeStop, ipc.Stop{Mode: ipc.StopExit})
			go c.process.End(grace, termGrace) // ends with the process, which the loop below waits for
		}
	}
	for s.anyAlive() {
		s.handle(<-s.events)
	}
	for _, c := range s.children {
		_ = c.conn.Close() // the other end is gone
	}
}

func (s *Session) anyAlive() bool {
	for _, c := range s.children {
		if c.alive() {
			return true
		}
	}
	return false
}
