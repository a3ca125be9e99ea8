package clock

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrStopped is what WaitUntil and Wait return after Stop or Close.
var ErrStopped = errors.New("alarm stopped")

// Alarm waits for instants of the time line. One goroutine waits at a time.
type Alarm struct {
	file *os.File
	fd   int
	buf  [8]byte
}

// NewAlarm makes an alarm on a timerfd of its own.
func NewAlarm() (*Alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("timerfd_create: %w", err)
	}
	return &Alarm{file: os.NewFile(uintptr(fd), "timerfd"), fd: fd}, nil
}

// WaitUntil returns at the instant, CLOCK_MONOTONIC ns, or at once if it has
// passed. The error is ErrStopped after Stop.
func (a *Alarm) WaitUntil(at int64) error {
	if at <= Now() {
		return nil
	}
	if err := a.Set(at); err != nil {
		return err
	}
	return a.Wait()
}

// Set makes Wait return at the instant, CLOCK_MONOTONIC ns; an instant that
// has passed is due at once. It replaces the instant set before, due or not,
// and may be called from any goroutine while another one waits.
func (a *Alarm) Set(at int64) error {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(at, 1))} // 0 would disarm
	if err := unix.TimerfdSettime(a.fd, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
		return fmt.Errorf("timerfd_settime: %w", err)
	}
	return nil
}

// Wait returns when the instant of Set has come: once for each Set, and never
// without one. The error is ErrStopped after Stop.
func (a *Alarm) Wait() error {
	if _, err := a.file.Read(a.buf[:]); errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) {
		return ErrStopped
	} else if err != nil {
		return fmt.Errorf("read timerfd: %w", err)
	}
	return nil
}

// Stop makes WaitUntil and Wait return, now and for ever.
func (a *Alarm) Stop() error { return a.file.SetReadDeadline(time.Unix(1, 0)) }

// Close frees the timer; a wait that goes on returns.
func (a *Alarm) Close() error { return a.file.Close() }
