package supervisor

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// roleEnv makes a spawned copy of the test binary play a role and leave.
const roleEnv = "SUPERVISOR_TEST_ROLE"

// roles are what a spawned copy of this binary can do. Each prints a line when
// it is set up.
var roles = map[string]func(){
	"threads": func() {
		var locked sync.WaitGroup
		for range 4 {
			locked.Add(1)
			go func() {
				runtime.LockOSThread()
				locked.Done()
				sleepOn()
			}()
		}
		locked.Wait()
		fmt.Println("set up", runtime.GOMAXPROCS(0))
		sleepOn()
	},
	"deaf": func() {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("set up")
		sleepOn()
	},
	"idle": func() {
		fmt.Println("set up")
		sleepOn()
	},
	"brief": func() { fmt.Println("set up") },
	"failing": func() {
		fmt.Println("set up")
		os.Exit(7)
	},
	// parent spawns a child of its own and says its PID.
	"parent": func() {
		cpus, err := Allowed()
		if err != nil {
			panic(err)
		}
		p, err := Spawn(Command{Env: []string{roleEnv + "=deaf"}, CPUs: cpus[:1]})
		if err != nil {
			panic(err)
		}
		fmt.Println("set up", p.PID())
		sleepOn()
	},
}

// sleepOn outlasts every test.
func sleepOn() { time.Sleep(time.Minute) }

func TestMain(m *testing.M) {
	if role := roles[os.Getenv(roleEnv)]; role != nil {
		role()
		return
	}
	os.Exit(m.Run())
}

// spawnRole spawns a role and waits until it is set up. words are what it said.
func spawnRole(t *testing.T, role string, cpus []int) (p *Process, words []string) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p, err = Spawn(Command{Env: []string{roleEnv + "=" + role, "GOMAXPROCS=1"}, CPUs: cpus, Stdout: in, Stderr: os.Stderr})
	if err != nil {
		t.Fatal(errors.Join(err, in.Close()))
	}
	t.Cleanup(func() { p.End(0, 0) })
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "set up") {
		t.Fatalf("the child said %q, %v", line, err)
	}
	return p, strings.Fields(line)[2:]
}

// allowed lists the CPUs of this process, or skips the test.
func allowed(t *testing.T, atLeast int) []int {
	t.Helper()
	cpus, err := Allowed()
	if err != nil {
		t.Fatal(err)
	}
	if len(cpus) < atLeast {
		t.Skipf("needs %d CPUs, has %v", atLeast, cpus)
	}
	return cpus
}

// statusField reads one field of every thread of a process.
func statusField(t *testing.T, pid int, field string) []string {
	t.Helper()
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(paths) == 0 {
		t.Fatalf("threads of %d: %v, %v", pid, paths, err)
	}
	var values []string
	for _, path := range paths {
		b, _ := os.ReadFile(path) // a thread may end meanwhile
		for line := range strings.Lines(string(b)) {
			if v, ok := strings.CutPrefix(line, field+":"); ok {
				values = append(values, strings.TrimSpace(v))
			}
		}
	}
	return values
}

// Affinity set before the start is that of every thread of the child, those
// of the Go runtime included, and of those it makes later.
func TestSpawnPinsEveryThread(t *testing.T) {
	for _, cpu := range allowed(t, 2) {
		p, words := spawnRole(t, "threads", []int{cpu})
		values := statusField(t, p.PID(), "Cpus_allowed_list")
		if len(values) < 5 {
			t.Fatalf("only %d threads: the child makes 4 and has 1", len(values))
		}
		for _, v := range values {
			if v != strconv.Itoa(cpu) {
				t.Errorf("a thread may run on CPUs %s, want %d", v, cpu)
			}
		}
		if words[0] != "1" {
			t.Errorf("GOMAXPROCS %s, want 1", words[0])
		}
	}
}

func TestSpawnRefusesACPUThatIsNotThere(t *testing.T) {
	p, err := Spawn(Command{Env: []string{roleEnv + "=idle"}, CPUs: []int{1023}})
	if err == nil {
		p.End(0, 0)
		t.Fatal("no error")
	}
	if !strings.Contains(err.Error(), "pin to CPUs [1023]") {
		t.Errorf("error %q", err)
	}
}

// Ctrl-C goes to the foreground process group: the child is not in ours.
func TestSpawnMakesAProcessGroup(t *testing.T) {
	p, _ := spawnRole(t, "idle", allowed(t, 1))
	if group, err := syscall.Getpgid(p.PID()); err != nil || group != p.PID() {
		t.Errorf("process group %d of child %d, %v", group, p.PID(), err)
	}
}

// The death signal follows the thread that made the child: that thread must
// outlast any amount of work on others.
func TestSpawnedChildOutlivesOtherThreads(t *testing.T) {
	p, _ := spawnRole(t, "idle", allowed(t, 1))
	for range 50 { // threads that end with their goroutine
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread()
		}()
		<-done
	}
	select {
	case <-p.Done():
		t.Fatalf("the child is gone: %s", p.Exit())
	case <-time.After(100 * time.Millisecond):
	}
}

// No process is left when the supervisor is killed, not even one that is deaf
// to SIGTERM.
func TestSpawnedChildDiesWithItsParent(t *testing.T) {
	p, words := spawnRole(t, "parent", allowed(t, 1))
	grandchild, err := strconv.Atoi(words[0])
	if err != nil || !lives(grandchild) {
		t.Fatalf("grandchild %q: %v, or it does not run", words[0], err)
	}
	p.Signal(syscall.SIGKILL)
	for deadline := time.Now().Add(2 * time.Second); lives(grandchild); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = syscall.Kill(grandchild, syscall.SIGKILL)
			t.Fatal("the grandchild still runs after 2 s")
		}
	}
}

// lives tells whether a process is there and no zombie.
func lives(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(b), ") ") // the name may hold anything
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}

// The rungs of the ladder: by itself, SIGTERM, SIGKILL. End returns when the
// child is gone, and Exit says by which rung.
func TestEnd(t *testing.T) {
	const short, long = 50 * time.Millisecond, 20 * time.Second
	for _, c := range []struct {
		why, role  string
		self, term time.Duration
		want       string
	}{
		{"leaves by itself within its grace", "brief", long, long, ""},
		{"its exit code is told", "failing", long, long, "exit status 7"},
		{"does not leave, heeds SIGTERM", "idle", short, long, "signal: terminated"},
		{"is deaf to SIGTERM", "deaf", short, short, "signal: killed"},
		{"no grace at all", "idle", 0, long, "signal: terminated"},
	} {
		t.Run(c.why, func(t *testing.T) {
			p, _ := spawnRole(t, c.role, allowed(t, 1))
			p.End(c.self, c.term)
			select {
			case <-p.Done():
			default:
				t.Error("End returned while the child lives")
			}
			if got := p.Exit(); got != c.want {
				t.Errorf("exit %q, want %q", got, c.want)
			}
			if lives(p.PID()) {
				t.Error("the child still runs")
			}
			p.End(0, 0) // ending one that is gone is no error
		})
	}
}

// Retreat moves this process off the workers' CPUs, with all its threads.
func TestRetreat(t *testing.T) {
	cpus := allowed(t, 2)
	defer func() {
		if err := Retreat(cpus); err != nil {
			t.Errorf("undo: %v", err)
		}
	}()
	if err := Retreat(cpus[:1]); err != nil {
		t.Fatal(err)
	}
	for _, v := range statusField(t, os.Getpid(), "Cpus_allowed_list") {
		if v != strconv.Itoa(cpus[0]) {
			t.Errorf("a thread may run on CPUs %s, want %d", v, cpus[0])
		}
	}
	if now, err := Allowed(); err != nil || len(now) != 1 || now[0] != cpus[0] {
		t.Errorf("allowed now: %v, %v", now, err)
	}
}
