package worker

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"tare/analysis/dist"
	"tare/ipc"
	"tare/ipc/clock"
)

// Modes of an emulated service time.
const (
	serviceBusy = "busy" // the processor spins
	serviceHeld = "held" // the loop is held on a timer, the processor is free
)

// service makes the worker's loop slower than it is: a time drawn from a law
// is added to each output event. It is an emulation of a slow client and
// labelled so wherever its results are shown.
//
// Held, the worker has one loop that one stream at a time may hold: from when
// its connection is readable, before the read, until its events are handled.
// So k such loops can be had on one CPU.
type service struct {
	law  dist.Dist
	held bool

	loop  sync.Mutex // held: the one loop
	alarm *clock.Alarm

	mu  sync.Mutex // busy: draws of several processors
	rng *rand.Rand
}

// newService returns nil where nothing is emulated.
func newService(s ipc.Shape, seed uint64, worker int) (*service, error) {
	if s.ServiceTime == "" {
		return nil, nil
	}
	law, err := dist.Parse(s.ServiceTime, dist.Duration)
	if err != nil {
		return nil, fmt.Errorf("service time: %w", err)
	}
	v := &service{law: law, held: s.ServiceMode == serviceHeld, rng: rand.New(rand.NewPCG(seed, 0x73657276+uint64(worker)))}
	if v.held {
		v.alarm, err = clock.NewAlarm()
	}
	return v, err
}

// spend passes the service time of one output event.
func (v *service) spend() {
	v.mu.Lock()
	d := int64(v.law.Duration(v.rng))
	v.mu.Unlock()
	end := clock.Now() + d
	if v.held {
		// A timer that wakes late makes the service longer by as much, which the
		// measured service time shows.
		_ = v.alarm.WaitUntil(end) // never stopped
		return
	}
	for clock.Now() < end {
	}
}

// enter waits for the loop; exit gives it back.
func (v *service) enter() { v.loop.Lock() }

func (v *service) exit() { v.loop.Unlock() }
