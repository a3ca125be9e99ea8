package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience bounds every wait for something that comes on any machine that is
// not stuck.
const patience = 30 * time.Second

// exits CODE PROGRAM ARG… runs a program, which must exit with CODE. The
// commands stdout and stderr look at its output.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) < 2, "exits CODE PROGRAM ARG…")
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		code = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// story holds the programs that a script has started, by name.
type story map[string]*program

type storyKey struct{}

// program is a process that leads a process group, as under a shell.
type program struct {
	*exec.Cmd
	ended chan struct{}
}

// start NAME PROGRAM ARG… starts a program; its output goes to the files
// NAME.out and NAME.err.
func start(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) < 2, "start NAME PROGRAM ARG…")
	p := &program{exec.Command(args[1], args[2:]...), make(chan struct{})}
	p.Dir = ts.MkAbs(".")
	p.Env = append(os.Environ(), "WORK="+ts.Getenv("WORK"), "OPENAI_API_KEY="+ts.Getenv("OPENAI_API_KEY"))
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	stderr, err := os.Create(ts.MkAbs(args[0] + ".err"))
	ts.Check(err)
	p.Stdout, p.Stderr = stdout, stderr
	ts.Check(p.Start())
	ts.Check(errors.Join(stdout.Close(), stderr.Close()))
	go func() {
		defer close(p.ended)
		_ = p.Wait() // ProcessState tells
	}()
	ts.Defer(func() {
		_ = p.Process.Kill() // it has ended unless the script failed
		<-p.ended
	})
	ts.Value(storyKey{}).(story)[args[0]] = p
}

func find(ts *testscript.TestScript, name string) *program {
	p := ts.Value(storyKey{}).(story)[name]
	if p == nil {
		ts.Fatalf("nothing was started under the name %q", name)
	}
	return p
}

// ctrlc NAME does what a terminal does: SIGINT to the whole process group.
func ctrlC(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "ctrlc NAME")
	ts.Check(syscall.Kill(-find(ts, args[0]).Process.Pid, syscall.SIGINT))
}

// kill9 NAME kills a started program; kill9 FILE PATH kills the process whose
// ID stands in a JSON file.
func kill9(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) < 1 || len(args) > 2, "kill9 NAME | kill9 FILE PATH")
	if len(args) == 1 {
		ts.Check(find(ts, args[0]).Process.Kill())
		return
	}
	pid, ok := at(ts, args[0], args[1]).(float64)
	if !ok {
		ts.Fatalf("no process ID at %s", args[1])
	}
	ts.Check(syscall.Kill(int(pid), syscall.SIGKILL))
}

// finish NAME CODE waits for a started program, which must end with an exit
// code, or by a signal as in "signal: killed".
func finish(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "finish NAME CODE")
	p := find(ts, args[0])
	select {
	case <-p.ended:
	case <-time.After(patience):
		ts.Fatalf("%s still runs after %v", args[0], patience)
	}
	ts.Logf("[stderr of %s]\n%s", args[0], ts.ReadFile(args[0]+".err"))
	if got := strings.TrimPrefix(p.ProcessState.String(), "exit status "); got != args[1] {
		ts.Fatalf("%s ended with %q, want %q", args[0], got, args[1])
	}
}

// await FILE BYTES waits until a file has at least so many bytes, or until
// whatever was started has ended, which fails the script.
func await(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "await FILE BYTES")
	least, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	grown := func() bool {
		info, err := os.Stat(ts.MkAbs(args[0]))
		return err == nil && info.Size() >= least
	}
	short := fmt.Sprintf("%s does not grow to %d bytes", args[0], least)
	eventually(ts, patience, short, func() bool { return grown() || allEnded(ts) })
	if !grown() {
		ts.Fatalf("%s: all programs have ended", short)
	}
}

func allEnded(ts *testscript.TestScript) bool {
	for _, p := range ts.Value(storyKey{}).(story) {
		select {
		case <-p.ended:
		default:
			return false
		}
	}
	return true
}

// eventually waits until a condition holds.
func eventually(ts *testscript.TestScript, within time.Duration, otherwise string, holds func() bool) {
	for deadline := time.Now().Add(within); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("%s, within %v", otherwise, within)
		}
	}
}

// serve STATUS starts a server that answers every request with a status and an
// error object; serve mute starts one that never answers. Its address is $URL.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "serve STATUS | serve mute")
	if args[0] == "mute" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		ts.Defer(func() { _ = l.Close() })
		ts.Setenv("URL", "http://"+l.Addr().String())
		return
	}
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":"this server says %d"}}`, status)
	}))
	ts.Defer(server.Close)
	ts.Setenv("URL", server.URL)
}

// gone checks that no process of this story is left, two seconds from now at
// the latest.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "gone")
	eventually(ts, 2*time.Second, "processes are left", func() bool { return len(commandLines(ts)) == 0 })
}

// argv prints the command lines of this story's processes.
func argv(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "argv")
	fmt.Fprintln(ts.Stdout(), strings.Join(commandLines(ts), "\n"))
}

// commandLines finds every process whose environment has this script's WORK;
// children inherit it.
func commandLines(ts *testscript.TestScript) []string {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	ts.Check(err)
	var lines []string
	for _, dir := range dirs {
		environ, _ := os.ReadFile(filepath.Join(dir, "environ")) // of others: not readable
		if slices.Contains(strings.Split(string(environ), "\x00"), "WORK="+ts.Getenv("WORK")) {
			line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
			lines = append(lines, strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " ")))
		}
	}
	return lines
}

// pinned MANIFEST checks that every thread of every worker may run on the CPUs
// that the manifest says, and on no other.
func pinned(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "pinned MANIFEST")
	workers, _ := at(ts, args[0], "workers").([]any)
	for i := range workers {
		pid := at(ts, args[0], fmt.Sprintf("workers.%d.pid", i)).(float64)
		want := fmt.Sprint(at(ts, args[0], fmt.Sprintf("workers.%d.cpus", i)))
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%.0f/task/*/status", pid))
		ts.Check(err)
		if len(threads) < 2 {
			ts.Fatalf("worker %d has threads %q, a Go program has several", i, threads)
		}
		for _, thread := range threads {
			if got := fmt.Sprint(threadCPUs(ts, thread)); got != want {
				ts.Fatalf("worker %d: a thread may run on CPUs %v, want %v", i, got, want)
			}
		}
	}
}

// threadCPUs reads where a thread may run.
func threadCPUs(ts *testscript.TestScript, path string) []int {
	for line := range strings.Lines(ts.ReadFile(path)) {
		if list, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
			cpus, err := parseCPUs(strings.TrimSpace(list))
			ts.Check(err)
			return cpus
		}
	}
	ts.Fatalf("%s has no list of CPUs", path)
	return nil
}
