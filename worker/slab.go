package worker

import (
	"fmt"
	"sync"
	"time"

	"tare/ipc"
)

const (
	slabBatch = 64 << 10               // bytes of records after which a batch is handed over
	slabFlush = 100 * time.Millisecond // after which it is handed over anyway
	slabCount = 32                     // batches there are before more are made
)

// slab takes finished records from streams without ever making them wait for
// the supervisor: batches go through a queue to one goroutine that writes the
// socket. When the supervisor is slow the queue grows and nothing is lost.
type slab struct {
	conn   *ipc.Conn
	worker int

	sending sync.Mutex // held while batches are written, so that they keep their order

	mu    sync.Mutex
	cur   *ipc.Batch
	queue []*ipc.Batch
	free  []*ipc.Batch
	fault error

	wake chan struct{} // capacity 1: the queue may have something
	stop chan struct{}
	done chan struct{}
}

func newSlab(conn *ipc.Conn, worker int) *slab {
	s := &slab{conn: conn, worker: worker, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	for range slabCount {
		s.free = append(s.free, ipc.NewBatch(worker, slabBatch*2))
	}
	s.cur = s.fresh()
	go s.drain()
	return s
}

// fresh returns an empty batch. The caller holds mu or is the only one.
func (s *slab) fresh() *ipc.Batch {
	if n := len(s.free); n > 0 {
		b := s.free[n-1]
		s.free = s.free[:n-1]
		return b
	}
	return ipc.NewBatch(s.worker, slabBatch*2)
}

// add encodes a record into the current batch.
func (s *slab) add(r *ipc.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.cur.Add(r); err != nil {
		s.fault = err
	}
	if s.cur.Len() >= slabBatch {
		s.rotate()
	}
}

// rotate queues the current batch. The caller holds mu.
func (s *slab) rotate() {
	if s.cur.Records() == 0 {
		return
	}
	s.queue = append(s.queue, s.cur)
	s.cur = s.fresh()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// drain writes batches until close.
func (s *slab) drain() {
	defer close(s.done)
	tick := time.NewTicker(slabFlush)
	defer tick.Stop()
	for {
		select {
		case <-s.wake:
		case <-tick.C:
			s.mu.Lock()
			s.rotate()
			s.mu.Unlock()
		case <-s.stop:
			return
		}
		s.flush()
	}
}

// flush writes what is queued.
func (s *slab) flush() {
	s.sending.Lock()
	defer s.sending.Unlock()
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.mu.Unlock()
			return
		}
		b := s.queue[0]
		s.queue = append(s.queue[:0], s.queue[1:]...)
		s.mu.Unlock()

		err := s.send(b)
		b.Reset()
		s.mu.Lock()
		s.free = append(s.free, b)
		if err != nil {
			s.fault = err
		}
		s.mu.Unlock()
	}
}

func (s *slab) send(b *ipc.Batch) error {
	f, err := b.Frame()
	if err != nil {
		return err
	}
	return s.conn.SendFrame(f)
}

// sync writes all that was added so far and returns the first thing that ever
// went wrong.
func (s *slab) sync() error {
	s.mu.Lock()
	s.rotate()
	s.mu.Unlock()
	s.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault != nil {
		return fmt.Errorf("send records: %w", s.fault)
	}
	return nil
}

// close ends the drain goroutine and waits for it.
func (s *slab) close() {
	close(s.stop)
	<-s.done
}
