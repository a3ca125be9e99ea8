package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"tare/analysis/audit/tools"
	"tare/analysis/layout"
	"tare/supervisor"
)

// Files of an audit's directory.
const (
	auditFileName = "audit.json"
	toolStdout    = "tool.stdout"
	toolStderr    = "tool.stderr"
)

// toolGrace is how long a tool that is asked to end has to do so.
const toolGrace = 5 * time.Second

// ending is how the tool ended.
type ending struct {
	exit     *int // its code; nil: a signal
	timedOut bool
}

// runTool runs the tool, and then what makes its report of what it wrote.
func (r *auditRun) runTool(ctx context.Context, t invocation, dir string) (*threadMeter, ending, error) {
	if !r.quiet {
		fmt.Fprintf(r.env.stderr, "running %s\n", strings.Join(t.Args, " "))
	}
	out := filepath.Join(dir, cmp.Or(t.Stdout, toolStdout))
	meter, e, err := r.process(ctx, t, t.Args, out, dir)
	if err != nil || t.Then == nil || e.timedOut || r.interrupted {
		return meter, e, err
	}
	_, _, err = r.process(ctx, t, t.Then, filepath.Join(dir, t.Result), dir)
	return meter, e, err
}

// process runs a command to its end, its limit or the user's Ctrl-C, and
// leaves nothing of it running.
func (r *auditRun) process(ctx context.Context, t invocation, args []string, stdout, dir string) (*threadMeter, ending, error) {
	path, err := findProgram(args[0], r.tool)
	if err != nil {
		return nil, ending{}, err
	}
	out, err := os.Create(stdout)
	if err != nil {
		return nil, ending{}, err
	}
	defer out.Close()
	said, err := os.OpenFile(filepath.Join(dir, toolStderr), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, ending{}, err
	}
	defer said.Close()
	p, err := supervisor.Spawn(supervisor.Command{
		Path: path, Args: args[1:], Env: t.Env, Unset: t.Unset, Dir: t.dir, CPUs: r.cpus, Stdout: out, Stderr: said,
	})
	if err != nil {
		return nil, ending{}, err
	}
	meter := &threadMeter{root: p.PID()}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { meter.run(stop) })
	e := ending{timedOut: r.await(ctx, p)}
	close(stop)
	wg.Wait()
	p.SignalGroup(syscall.SIGKILL) // what it left behind
	if code, ok := p.Code(); ok {
		e.exit = &code
	}
	return meter, e, nil
}

// findProgram finds a command's file; empty for tare, which is this program. The
// tool may be none that is known.
func findProgram(name string, tool tools.Tool) (string, error) {
	if name == "tare" {
		return "", nil
	}
	path, err := exec.LookPath(name)
	if err != nil && tool.Install != "" {
		return "", fmt.Errorf("the tool was not found: %w; %s", err, tool.Install)
	} else if err != nil {
		return "", fmt.Errorf("the tool was not found: %w", err)
	}
	return filepath.Abs(path)
}

// await waits for the tool to end and shows that it goes on; true if it had
// to be ended for having taken too long.
func (r *auditRun) await(ctx context.Context, p *supervisor.Process) (timedOut bool) {
	begin := time.Now()
	limit := time.NewTimer(r.limit)
	defer limit.Stop()
	ticker := time.NewTicker(5 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-p.Done():
			return false
		case <-limit.C:
			timedOut = true
		case <-ctx.Done():
		case <-r.interrupts:
			r.interrupted = true
		case <-ticker.C:
			if !r.quiet {
				fmt.Fprintf(r.env.stderr, "%5.0fs of at most %.0fs\n", time.Since(begin).Seconds(), r.limit.Seconds())
			}
			continue
		}
		p.SignalGroup(syscall.SIGINT)
		p.End(toolGrace, toolGrace)
		return timedOut
	}
}

// print shows what a recipe would run, for a server at the usual address.
func (c *auditCmd) print(w io.Writer, j auditJob) error {
	j.params.URL, j.params.Dir = "http://127.0.0.1:8000", "/tmp/audit"
	recipe, err := j.tool.Recipe(j.params)
	if err != nil {
		return err
	}
	recipe.Args = append(recipe.Args, j.fillIn(c.Command, j.params)...)
	fmt.Fprintf(w, "# in %s, to which it writes %s\n", j.params.Dir, recipe.Result)
	for name, text := range recipe.Files {
		fmt.Fprintf(w, "# there: %s, %d bytes\n", name, len(text))
	}
	_, err = fmt.Fprintln(w, recipe)
	return err
}

// known writes what is known of the tool's own measuring.
func (a audited) known(w io.Writer) error {
	c := a.Conventions
	if c == nil {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nknown of %s:\n", cmp.Or(c.Version, "it"))
	for _, fact := range []struct{ about, says string }{
		{"clock of a request starts", c.Start}, {"TTFT ends", c.FirstToken}, {"E2E ends", c.End}, {"TPOT", c.TPOT}, {"ITL", c.ITL},
		{"tokens", c.Tokens}, {"pacing", c.Pacing}, {"note", c.Note},
	} {
		if fact.says != "" {
			b.WriteString(layout.Item(fact.about + ": " + fact.says))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// listRecipes shows the tools and which of them are here.
func listRecipes(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RECIPE\tREAD IN\tARRIVALS\tFOUND")
	for _, name := range tools.Names() {
		tool, _ := tools.Find(name)
		laws := make([]string, len(tool.Arrivals))
		for i, l := range tool.Arrivals {
			laws[i] = string(l)
		}
		found := "no: " + tool.Install
		if path, err := exec.LookPath(tool.Executable); name == "tare" {
			found = "this program"
		} else if err == nil {
			found = path
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", name, tool.Conventions.Version, strings.Join(laws, ", "), found)
	}
	return t.Flush()
}
