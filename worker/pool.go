package worker

import (
	"sync"
	"time"

	"tare/ipc/clock"
)

// keepIdle is how long a connection may lie idle before it is closed, below
// the limits of usual servers (uvicorn and Node 5 s, nginx 75 s), so that a
// server seldom closes one as we write.
const keepIdle = 4 * time.Second

// pool holds the streams that wait for a job, the last used on top: those
// below grow cold and are closed.
type pool struct {
	mu   sync.Mutex
	idle []*stream
	all  map[*stream]struct{}
	next int64          // number of the next stream
	busy sync.WaitGroup // streams that have a job
	ends sync.WaitGroup // streams' goroutines
}

// take returns an idle stream, or starts one. It is busy until put.
func (p *pool) take(e *engine) *stream {
	p.busy.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return s
	}
	return p.start(e)
}

// start adds a stream, which is not idle. The caller holds mu.
func (p *pool) start(e *engine) *stream {
	s := newStream(e, p.next)
	p.next++
	p.all[s] = struct{}{}
	p.ends.Go(s.run)
	return s
}

// put takes a busy stream back.
func (p *pool) put(s *stream) {
	defer p.busy.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
}

// end lets a stream's goroutine return. The caller holds mu.
func (p *pool) end(s *stream) {
	delete(p.all, s)
	close(s.jobs)
}

// trim ends the streams that have been idle for too long.
func (p *pool) trim(now int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for n < len(p.idle) && now-p.idle[n].idleSince > int64(keepIdle) {
		p.end(p.idle[n])
		n++
	}
	p.idle = append(p.idle[:0], p.idle[n:]...)
}

// whenIdle returns a channel that is closed once no stream is busy. No more
// jobs are given out meanwhile, but by streams that are busy.
func (p *pool) whenIdle() <-chan struct{} {
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		p.busy.Wait()
	}()
	return idle
}

// each calls f for every stream.
func (p *pool) each(f func(*stream)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.all {
		f(s)
	}
}

// warm opens n connections before the load begins and returns how many there
// are. The error is that of the last failure.
func (p *pool) warm(e *engine, n int) (int, error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var last error
	slots := make(chan struct{}, warmAtOnce)
	opened := 0
	for range n {
		p.mu.Lock()
		s := p.start(e)
		p.mu.Unlock()
		p.busy.Add(1)
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			err := s.open()
			s.idleSince = clock.Now()
			p.put(s)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				last = err
			} else {
				opened++
			}
		})
	}
	wg.Wait()
	return opened, last
}

// warmAtOnce bounds the connections being opened at a time, below the accept
// queues of usual servers.
const warmAtOnce = 64

// close ends every stream, of which none is busy, and waits.
func (p *pool) close() {
	p.mu.Lock()
	for _, s := range p.idle {
		p.end(s)
	}
	p.idle = nil
	p.mu.Unlock()
	p.ends.Wait()
}
