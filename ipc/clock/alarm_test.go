package clock

import (
	"errors"
	"testing"
	"time"
)

func newAlarm(t *testing.T) *Alarm {
	t.Helper()
	a, err := NewAlarm()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// An earlier instant set by another goroutine ends a wait that has begun.
func TestSetWakesTheWaiter(t *testing.T) {
	a := newAlarm(t)
	begin := Now()
	if err := a.Set(begin + int64(time.Hour)); err != nil {
		t.Fatal(err)
	}
	woken := make(chan error)
	go func() { woken <- a.Wait() }()
	time.Sleep(10 * time.Millisecond) // lets the wait begin; the test holds either way
	at := begin + int64(20*time.Millisecond)
	if err := a.Set(at); err != nil {
		t.Fatal(err)
	}
	if err := <-woken; err != nil {
		t.Fatal(err)
	}
	if now := Now(); now < at || now > begin+int64(10*time.Second) {
		t.Errorf("woken %v after the instant", time.Duration(now-at))
	}
}

// An instant of the past is due at once, 0 and below included.
func TestSetInThePast(t *testing.T) {
	a := newAlarm(t)
	for _, at := range []int64{Now() - 1, 1, 0, -5} {
		if err := a.Set(at); err != nil {
			t.Fatal(err)
		}
		if err := a.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// Stop ends a wait, and every later one.
func TestStop(t *testing.T) {
	a := newAlarm(t)
	woken := make(chan error)
	go func() { woken <- a.Wait() }()
	if err := a.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := <-woken; !errors.Is(err, ErrStopped) {
		t.Errorf("wait returned %v, want ErrStopped", err)
	}
	if err := a.WaitUntil(Now() + int64(time.Hour)); !errors.Is(err, ErrStopped) {
		t.Errorf("later wait returned %v, want ErrStopped", err)
	}
}
