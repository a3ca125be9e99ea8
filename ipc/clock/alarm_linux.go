package clock

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrStopped is what WaitUntil returns after Stop.
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
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(at)}
	if err := unix.TimerfdSettime(a.fd, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
		return fmt.Errorf("timerfd_settime: %w", err)
	}
	if _, err := a.file.Read(a.buf[:]); errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) {
		return ErrStopped
	} else if err != nil {
		return fmt.Errorf("read timerfd: %w", err)
	}
	return nil
}

// Stop makes WaitUntil return, now and for ever.
func (a *Alarm) Stop() error { return a.file.SetReadDeadline(time.Unix(1, 0)) }

// Close frees the timer; a WaitUntil that waits returns.
func (a *Alarm) Close() error { return a.file.Close() }
