package supervisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tare/ipc"
)

// phase is how far a child has come.
type phase uint8

const (
	spawned phase = iota
	greeted
	ready
	running
	idle // after a step's Done
	dead
)

// process is what a child needs of the operating system.
type process interface {
	PID() int
	Done() <-chan struct{}
	Exit() string
	End(self, term time.Duration)
}

// child is one worker as the session knows it.
type child struct {
	Assignment
	process process
	conn    *ipc.Conn
	stderr  string // path
	phase   phase
	hello   ipc.Hello
	ready   ipc.Ready
	last    ipc.Progress
	fault   string
}

// event is what a child's goroutine tells the session: a frame, or its end.
type event struct {
	child *child
	frame ipc.Frame // nil at the end
	err   error     // why the frames ended, nil at EOF
}

// startChild spawns a worker. Its standard error goes to a file in dir.
func startChild(a Assignment, dir string, spawn func(Command) (process, error), events chan<- event) (*child, error) {
	ours, theirs, err := ipc.Pair()
	if err != nil {
		return nil, err
	}
	c := &child{Assignment: a, stderr: filepath.Join(dir, fmt.Sprintf("worker-%d.stderr", a.Worker))}
	stderr, err := os.Create(c.stderr)
	if err != nil {
		return nil, fmt.Errorf("worker's stderr: %w", err)
	}
	defer stderr.Close()
	if c.conn, err = ipc.NewConn(ours); err != nil {
		return nil, err
	}
	c.process, err = spawn(Command{
		Args: []string{"worker"}, Env: []string{"GOMAXPROCS=" + strconv.Itoa(a.Procs)},
		CPUs: a.CPUs, Files: []*os.File{theirs}, Stderr: stderr,
	})
	if err != nil {
		return nil, errors.Join(err, c.conn.Close())
	}
	go c.readFrames(events)
	return c, nil
}

// readFrames hands on every frame and, when the child has closed its end and
// has exited, that. Frames written before a death are still read.
func (c *child) readFrames(events chan<- event) {
	for {
		f, err := c.conn.Receive()
		if err != nil {
			<-c.process.Done()
			events <- event{child: c, err: err}
			return
		}
		events <- event{child: c, frame: slices.Clone(f)}
	}
}

// alive tells whether the child still takes part.
func (c *child) alive() bool { return c.phase != dead }

// send sends a message; a child that is gone is noticed by its end.
func (c *child) send(t ipc.Type, message any) {
	if c.alive() {
		_ = c.conn.Send(t, c.Worker, message) // EPIPE: readFrames tells of the death
	}
}

// saidLast returns the end of what the child wrote to stderr, or "".
func (c *child) saidLast() string {
	b, err := os.ReadFile(c.stderr)
	if err != nil {
		return ""
	}
	const most = 2000
	return strings.TrimSpace(string(b[max(0, len(b)-most):]))
}
