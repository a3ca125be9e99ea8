package supervisor

import (
	"io"
	"os"
	"testing"
	"time"

	"tare/ipc"
)

// build is the version of the binary in these tests.
const build = "v1"

// fakeWorker is a worker process that the test plays: it holds the child's end
// of the socket, and is gone when its part is over.
type fakeWorker struct {
	t      *testing.T
	env    []string
	stderr string // path
	conn   *ipc.Conn
	dec    *ipc.Decoder
	done   chan struct{}
	exit   string // how it ends; "" for exit code 0

	ends chan [2]time.Duration // the graces of each End
}

func (w *fakeWorker) PID() int              { return 1 << 30 } // above any real one
func (w *fakeWorker) Done() <-chan struct{} { return w.done }
func (w *fakeWorker) Exit() string          { return w.exit }

func (w *fakeWorker) End(self, term time.Duration) {
	w.ends <- [2]time.Duration{self, term}
	if self == 0 {
		_ = w.conn.Close() // as SIGTERM would
	}
	<-w.done
}

// A part is what a fake worker does from its start to its end.
type part func(w *fakeWorker)

// cast spawns fake workers, one for each part, in order.
type cast struct {
	t       *testing.T
	parts   []part
	workers []*fakeWorker
}

func (c *cast) spawn(command Command) (process, error) {
	conn, err := ipc.NewConn(command.Files[0])
	if err != nil {
		return nil, err
	}
	w := &fakeWorker{
		t: c.t, env: command.Env, stderr: command.Stderr.Name(),
		conn: conn, dec: ipc.NewDecoder(), done: make(chan struct{}),
		ends: make(chan [2]time.Duration, 4),
	}
	play := c.parts[len(c.workers)]
	c.workers = append(c.workers, w)
	go func() {
		defer close(w.done)
		defer w.conn.Close()
		play(w)
	}()
	return w, nil
}

// config is a session of the cast's.
func (c *cast) config() Config {
	cfg := Config{Dir: c.t.TempDir(), Manifest: ipc.Manifest{Version: build}, spawn: c.spawn}
	for i := range c.parts {
		cfg.Children = append(cfg.Children, Assignment{Worker: i, CPUs: []int{i}, Procs: 1})
	}
	return cfg
}

// gone fails the test unless every worker has ended.
func (c *cast) gone() {
	c.t.Helper()
	for i, w := range c.workers {
		select {
		case <-w.done:
		case <-time.After(5 * time.Second):
			c.t.Errorf("worker %d is still there", i)
		}
	}
}

// say writes to the worker's stderr.
func (w *fakeWorker) say(text string) {
	if err := os.WriteFile(w.stderr, []byte(text), 0o644); err != nil {
		w.t.Errorf("fake worker: %v", err)
	}
}

func (w *fakeWorker) send(t ipc.Type, message any) {
	if err := w.conn.Send(t, 0, message); err != nil {
		w.t.Errorf("fake worker: %v", err)
	}
}

// expect receives one frame, which must be of type t, into message. It is
// false at the end of the socket.
func (w *fakeWorker) expect(t ipc.Type, message any) bool {
	f, err := w.conn.Receive()
	if err != nil {
		return false
	}
	got, _, err := w.dec.Open(f)
	if err == nil {
		err = w.dec.Message(message)
	}
	if err != nil || got != t {
		w.t.Errorf("fake worker: got a frame of type %d, %v; want type %d", got, err, t)
	}
	return true
}

// greet is the first word of a good worker on CPU number cpu.
func (w *fakeWorker) greet(cpu int) {
	w.send(ipc.TypeHello, ipc.Hello{Protocol: ipc.Protocol, PID: w.PID(), Build: build, CPUs: []int{cpu}})
}

// prepare plays a good worker until it is ready.
func (w *fakeWorker) prepare(cpu int) ipc.Assign {
	w.greet(cpu)
	var a ipc.Assign
	if w.expect(ipc.TypeAssign, &a) {
		w.send(ipc.TypeReady, ipc.Ready{Connections: 4, Addresses: []string{}})
	}
	return a
}

// finish reports the end of a step and leaves when told to.
func (w *fakeWorker) finish(d ipc.Done) {
	w.send(ipc.TypeDone, d)
	w.leave()
}

// leave waits for the word to leave.
func (w *fakeWorker) leave() {
	var s ipc.Stop
	if w.expect(ipc.TypeStop, &s) && s.Mode != ipc.StopExit {
		w.t.Errorf("fake worker: stop mode %d, want exit", s.Mode)
	}
}

// linger heeds no word and ends when it must.
func (w *fakeWorker) linger() {
	for {
		if _, err := w.conn.Receive(); err != nil {
			return
		}
	}
}

// frames reads the frames of a record file, header apart.
func frames(t *testing.T, path string) []ipc.Type {
	t.Helper()
	r, err := ipc.OpenRecords(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var types []ipc.Type
	for {
		kind, _, err := r.Next()
		if err == io.EOF {
			return types
		}
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, kind)
	}
}
