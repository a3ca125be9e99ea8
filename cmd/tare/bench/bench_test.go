package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tare/ipc"
	"tare/ipc/clock"
	"tare/supervisor"
	"tare/worker"
)

var (
	compare = flag.Bool("compare", false, "compare the worker with the floor; needs two quiet CPUs")
	rounds  = flag.Int("rounds", 5, "rounds of the comparison")
	span    = flag.Duration("span", 2*time.Second, "load of each client in each round")
)

// TestMain is the test, or one of the processes that it spawns.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	number := func(i int) int {
		n, err := strconv.Atoi(os.Args[i])
		if err != nil {
			panic(err)
		}
		return n
	}
	var err error
	switch os.Args[1] {
	case "serve":
		err = serve(number(2))
	case "floor":
		err = floor(number(2), number(3), time.Duration(number(4)))
	case "worker":
		err = worker.Main(context.Background(), "bench")
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestCompare prints a worker's CPU time a request and an event as ratios to
// the floor's. The limits are those that the project holds itself to.
func TestCompare(t *testing.T) {
	if !*compare {
		t.Skip("run by make bench")
	}
	cpus, err := supervisor.Allowed()
	if err != nil || len(cpus) < 2 {
		t.Skipf("two CPUs are needed, allowed: %v (%v)", cpus, err)
	}
	if err := supervisor.Retreat(cpus[:1]); err != nil {
		t.Fatal(err)
	}
	t.Logf("%8s %10s %10s %10s %12s %12s", "events", "floor us", "tare us", "wrk us", "tare/floor", "tare/wrk")
	for _, row := range []struct {
		events int
		limit  float64 // tare/floor
	}{{1, 1.5}, {10, 1.5}, {100, 1.25}} {
		c := measure(t, cpus, row.events)
		ratio := c["tare"] / c["floor"]
		wrk, vs := "-", "-"
		if w, ok := c["wrk"]; ok {
			wrk, vs = fmt.Sprintf("%.2f", w), fmt.Sprintf("%.2f", c["tare"]/w)
		}
		t.Logf("%8d %10.2f %10.2f %10s %12.2f %12s", row.events, c["floor"], c["tare"], wrk, ratio, vs)
		if ratio > row.limit {
			t.Errorf("%d events: %.2f times the floor, want at most %.2f", row.events, ratio, row.limit)
		}
	}
}

// measure returns the median µs of CPU a request of each client.
func measure(t *testing.T, cpus []int, events int) map[string]float64 {
	t.Helper()
	port, stop := startServer(t, cpus[0], events)
	defer stop()
	clients := []struct {
		name string
		run  func(*testing.T, int, int, int) cost
	}{{"floor", runFloor}, {"tare", runWorker}, {"wrk", runWrk}}
	if _, err := exec.LookPath("wrk"); err != nil {
		clients = clients[:2]
	}
	all := map[string][]float64{}
	for range *rounds {
		for _, c := range clients {
			all[c.name] = append(all[c.name], c.run(t, cpus[1], port, events).perRequest())
		}
		clients = append(clients[1:], clients[0])
	}
	medians := map[string]float64{}
	for name, xs := range all {
		slices.Sort(xs)
		medians[name] = xs[len(xs)/2]
	}
	return medians
}

// spawn starts a role of this binary with a pipe for what it prints.
func spawn(t *testing.T, cpu int, files []*os.File, args ...string) (*supervisor.Process, *bufio.Reader) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	p, err := supervisor.Spawn(supervisor.Command{
		Args: args, Env: []string{"GOMAXPROCS=1"}, CPUs: []int{cpu}, Files: files, Stdout: in, Stderr: os.Stderr,
	})
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	return p, bufio.NewReader(out)
}

func startServer(t *testing.T, cpu, events int) (port int, stop func()) {
	t.Helper()
	p, out := spawn(t, cpu, nil, "serve", strconv.Itoa(events))
	if _, err := fmt.Fscan(out, &port); err != nil {
		t.Fatal(err)
	}
	return port, func() {
		p.Signal(syscall.SIGKILL)
		<-p.Done()
	}
}

func runFloor(t *testing.T, cpu, port, events int) cost {
	t.Helper()
	p, out := spawn(t, cpu, nil, "floor", strconv.Itoa(port), strconv.Itoa(events), strconv.Itoa(int(*span)))
	var c cost
	if _, err := fmt.Fscan(out, &c.requests, &c.cpu); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	return c
}

// runWorker plays the supervisor of one real worker.
func runWorker(t *testing.T, cpu, port, events int) cost {
	t.Helper()
	ours, theirs, err := ipc.Pair()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := ipc.NewConn(ours)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p, _ := spawn(t, cpu, []*os.File{theirs}, "worker")
	load := ipc.Load{Concurrency: streams, Duration: *span, MaxInFlight: streams, Seed: 1}
	settings := must(t, ipc.Settings{
		Target: ipc.Target{URL: fmt.Sprintf("http://127.0.0.1:%d", port), Endpoint: "completions", Model: "bare", Stream: true, Timeout: time.Minute, IdleTimeout: time.Minute},
		Load:   load, Shape: ipc.Shape{InputTokens: "32", OutputTokens: strconv.Itoa(events)},
	})
	send := func(typ ipc.Type, m any) {
		if err := conn.Send(typ, 0, m); err != nil {
			t.Fatal(err)
		}
	}
	send(ipc.TypeAssign, ipc.Assign{Workers: 1, Procs: 1, Settings: settings})
	await(t, conn, ipc.TypeReady, nil)
	send(ipc.TypeStart, ipc.Start{Epoch: clock.Now() + int64(20*time.Millisecond), Load: must(t, load)})
	var done ipc.Done
	await(t, conn, ipc.TypeDone, &done)
	send(ipc.TypeStop, ipc.Stop{Mode: ipc.StopExit})
	<-p.Done()
	if done.Last.Failed > 0 {
		t.Fatalf("%d requests failed", done.Last.Failed)
	}
	return cost{done.Last.OK, time.Duration(done.Last.Usage.User + done.Last.Usage.System)}
}

func must(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// await reads frames up to one of a type.
func await(t *testing.T, conn *ipc.Conn, want ipc.Type, into any) {
	t.Helper()
	d := ipc.NewDecoder()
	for {
		f, err := conn.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch typ, _, err := d.Open(f); {
		case err != nil:
			t.Fatal(err)
		case typ == ipc.TypeFault:
			var fault ipc.Fault
			_ = d.Message(&fault)
			t.Fatal(fault.Text)
		case typ == want:
			if into != nil {
				if err := d.Message(into); err != nil {
					t.Fatal(err)
				}
			}
			return
		}
	}
}

// runWrk runs Debian's wrk with the same request.
func runWrk(t *testing.T, cpu, port, _ int) cost {
	t.Helper()
	script := filepath.Join(t.TempDir(), "post.lua")
	lua := "wrk.method='POST'\nwrk.body=string.rep('0',280)\nwrk.headers['Content-Type']='application/json'\n" +
		"function done(s) io.write('requests ', s.requests, '\\n') end\n"
	if err := os.WriteFile(script, []byte(lua), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("taskset", "-c", strconv.Itoa(cpu), "wrk", "-t1", fmt.Sprintf("-c%d", streams),
		fmt.Sprintf("-d%ds", max(int(span.Seconds()), 1)), "-s", script, fmt.Sprintf("http://127.0.0.1:%d/v1/completions", port))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var c cost
	for line := range strings.Lines(string(out)) {
		if _, err := fmt.Sscanf(line, "requests %d", &c.requests); err == nil {
			break
		}
	}
	if c.requests == 0 {
		t.Fatalf("wrk said nothing of its requests: %s", out)
	}
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return c
}
