package supervisor

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Allowed lists the CPUs that this process may run on.
func Allowed() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	var cpus []int
	for c := range len(set) * 64 {
		if set.IsSet(c) {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}

// Retreat moves all threads of this process to the given CPUs, so that it
// stays off those of the workers. Threads made later inherit it; one made
// meanwhile by a thread not yet moved shows in the next list.
func Retreat(cpus []int) error {
	set := cpuSet(cpus)
	moved := map[string]bool{}
	for before := -1; len(moved) > before; {
		before = len(moved)
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("list own threads: %w", err)
		}
		for _, t := range tasks {
			if moved[t.Name()] {
				continue
			}
			moved[t.Name()] = true
			if err := moveThread(t.Name(), &set); err != nil {
				return fmt.Errorf("move thread to CPUs %v: %w", cpus, err)
			}
		}
	}
	return nil
}

// moveThread sets the affinity of one thread; one that has ended is no error.
func moveThread(id string, set *unix.CPUSet) error {
	tid, err := strconv.Atoi(id)
	if err == nil {
		err = unix.SchedSetaffinity(tid, set)
	}
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

func cpuSet(cpus []int) unix.CPUSet {
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	return set
}

// Command is a process to spawn.
type Command struct {
	Path   string   // of the program; empty: this same binary
	Args   []string // after argv[0]
	Env    []string // added to ours
	Unset  []string // names of variables that it does not get
	Dir    string   // to start in; empty: ours
	CPUs   []int
	Files  []*os.File // from file descriptor 3 on; closed here once the child has them
	Stdout *os.File
	Stderr *os.File
}

// Process is a spawned child.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Spawn starts a program, or this binary again, pinned from its first
// instruction. The child is in a process group of its own, so that Ctrl-C
// reaches only us, and is killed when we die.
func Spawn(c Command) (*Process, error) {
	cmd := exec.Command(cmp.Or(c.Path, "/proc/self/exe"), c.Args...) // survives a rebuild of the binary
	if c.Path == "" {
		cmd.Args[0] = os.Args[0] // its name in ps, and what test binaries dispatch on
	}
	cmd.Env = append(without(os.Environ(), append(c.Unset, apiKeyName)), c.Env...)
	cmd.Dir = c.Dir
	cmd.ExtraFiles, cmd.Stdout, cmd.Stderr = c.Files, c.Stdout, c.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go p.live(c.CPUs, started)
	err := <-started
	for _, f := range c.Files {
		err = errors.Join(err, f.Close()) // ours would keep EOF from coming
	}
	if err != nil {
		return nil, fmt.Errorf("start %v: %w", c.Args, err)
	}
	return p, nil
}

// apiKeyName is the variable that no child gets: workers get the key over their
// socket, and the simulator needs none.
const apiKeyName = "OPENAI_API_KEY"

// without drops variables from an environment.
func without(env, names []string) []string {
	return slices.DeleteFunc(env, func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(names, name)
	})
}

// live pins its thread, starts the child and waits for it, all on one thread
// that ends with this goroutine since it is never unlocked: Pdeathsig fires
// when the creating thread ends, not the process.
func (p *Process) live(cpus []int, started chan<- error) {
	runtime.LockOSThread()
	set := cpuSet(cpus)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		started <- fmt.Errorf("pin to CPUs %v: %w", cpus, err)
		return
	}
	if err := p.cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	p.err = p.cmd.Wait()
	close(p.done)
}

// PID is the child's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended and has been waited for.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit says how the child ended, once Done is closed; "" means exit code 0.
func (p *Process) Exit() string {
	if p.err == nil {
		return ""
	}
	return p.err.Error()
}

// Code is the child's exit code, once Done is closed; false if a signal ended
// it.
func (p *Process) Code() (int, bool) {
	code := p.cmd.ProcessState.ExitCode()
	return code, code >= 0
}

// End waits for the child to end by itself, then asks it with SIGTERM, then
// kills it, each after its grace. It returns when the child is gone.
func (p *Process) End(self, term time.Duration) {
	for _, rung := range []struct {
		grace  time.Duration
		signal os.Signal
	}{{self, syscall.SIGTERM}, {term, syscall.SIGKILL}} {
		timer := time.NewTimer(rung.grace)
		select {
		case <-p.done:
			timer.Stop()
			return
		case <-timer.C:
			p.Signal(rung.signal)
		}
	}
	<-p.done
}

// Signal sends a signal; a child that has gone is no error.
func (p *Process) Signal(s os.Signal) {
	_ = p.cmd.Process.Signal(s) // os.ErrProcessDone only
}

// SignalGroup sends a signal to all processes of the child's group, those that
// outlived it included; none left is no error.
func (p *Process) SignalGroup(s syscall.Signal) {
	_ = unix.Kill(-p.PID(), s) // ESRCH only: they are ours
}

// samePinning tells whether a child reads back the CPUs it was given.
func samePinning(asked, got []int) bool {
	a, b := slices.Clone(asked), slices.Clone(got)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
