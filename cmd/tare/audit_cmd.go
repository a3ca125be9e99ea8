package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tare/analysis/arrival"
	"tare/analysis/audit"
	"tare/analysis/audit/tools"
	"tare/analysis/report"
	"tare/ipc"
	"tare/supervisor"
)

// auditCmd is tare audit.
type auditCmd struct {
	Command []string `arg:"" optional:"" help:"The load generator, after --; with --recipe, what to add to its command line." placeholder:"COMMAND"`

	Recipe   string `help:"Use the known command line of a tool; --list names them." placeholder:"NAME" group:"tool"`
	List     bool   `help:"List the recipes." group:"tool"`
	Print    bool   `help:"Print the recipe's command line and files, and run nothing." group:"tool"`
	Tool     string `help:"Whose output --reported is. Default: that of the recipe or the command." placeholder:"NAME" group:"tool"`
	Reported string `help:"File, or directory, in which the tool leaves its results; {dir} is this audit's directory." placeholder:"FILE" group:"tool"`
	Mapping  string `help:"Where the figures stand in a JSON file of another tool, like ttft.mean=latency.ttft.avg@s,failed=errors." placeholder:"MAP" group:"tool"`

	Rate         later[arrival.Rate]  `help:"Requests a second that the tool is asked for." placeholder:"R" group:"load"`
	Concurrency  later[int64]         `help:"Requests in flight that it is asked for, in a closed loop." placeholder:"C" group:"load"`
	Duration     later[time.Duration] `help:"Length of the load. Default 10s." placeholder:"D" group:"load"`
	Requests     later[int64]         `help:"Number of requests, in place of a duration." placeholder:"N" group:"load"`
	Arrival      string               `help:"poisson or constant: the law that it is asked for. Default: poisson, or what the recipe has." placeholder:"LAW" group:"load"`
	Seed         later[uint64]        `help:"Seed for the tool." default:"1" placeholder:"N" group:"load"`
	Workers      later[int64]         `help:"Processes that the recipe's tool sends from. Default: as many as it starts by itself." placeholder:"M" group:"load"`
	InputTokens  later[int64]         `help:"Tokens of a prompt." default:"32" placeholder:"N" group:"shape"`
	OutputTokens later[int64]         `help:"Tokens of an answer." default:"10" placeholder:"N" group:"shape"`

	Light bool                 `help:"Run the command a second time, against a server that answers with one token at once: tells a lost schedule from the cost of events." group:"audit"`
	Limit later[time.Duration] `help:"Longest time for the command. Default: twice its load and two minutes." placeholder:"D" group:"audit"`
	CPUs  later[[]int]         `help:"CPUs of the tool. Default: all but one, which is the simulator's." name:"cpus" placeholder:"LIST" group:"audit"`

	Out    string   `help:"Directory for all results. Default: runs/TIME-audit." placeholder:"DIR" group:"output"`
	Format string   `help:"table, or json: audit.json on stdout and nothing else." default:"table" group:"output"`
	Strict bool     `help:"Exit with code 3 unless the tool was found faithful." group:"output"`
	Quiet  bool     `help:"No progress on stderr." group:"output"`
	Sim    simFlags `embed:"" prefix:"sim-" group:"simulator"`
}

// Help is shown below the flags.
func (auditCmd) Help() string {
	return `Benchmark your benchmark: runs a load generator against the bundled simulator and says what the server saw of it:
the rate and the law of its arrivals, its connections, and by how much each latency that it reports is off, and why.
In COMMAND {url}, {host}, {port}, {model}, {rate}, {concurrency}, {requests}, {duration} (s), {output_tokens},
{input_tokens}, {seed} and {dir} are filled in. Unless said otherwise the simulator takes ` + auditTTFT + ` to the first token, ` + auditITL + ` between tokens, sends the role
of a chat at once and ends a stream ` + auditTail + ` after its last token, so that what counts these in is seen to do so.

Examples:
  tare audit --recipe vllm --rate 1000 --arrival constant --light
  tare audit --recipe guidellm --rate 100 --print
  tare audit --rate 100 --requests 3000 --reported {dir}/out.json --mapping e2e.mean=latency.mean@s \
      -- ./my-client --url {url} --rate {rate} --count {requests} --out {dir}/out.json
Exit code: 0 done; 2 the tool sent nothing; 3 not faithful, with --strict; 130 interrupted.`
}

// The simulator's laws in an audit, unless the flags say otherwise.
const (
	auditTTFT = "20ms"
	auditITL  = "2ms"
	auditTail = "5ms"
)

// auditJob is a checked command line.
type auditJob struct {
	params  tools.Params
	tool    tools.Tool // zero if it is not known
	mapping tools.Mapping
	mapped  bool // by that, not by the tool's own reader
	asked   audit.Asked
	length  time.Duration // of the load
	limit   time.Duration
	sim     simFlags
	cpus    []int // of the tool
	rest    []int // of the simulator and of this process
	host    ipc.Host
}

func (c *auditCmd) run(ctx context.Context, env env) error {
	if c.List {
		return listRecipes(env.stdout)
	}
	j, err := c.check()
	if err != nil {
		return err
	}
	if c.Print {
		return c.print(env.stdout, j)
	}
	name := j.tool.Executable
	if c.Recipe == "" {
		name = c.Command[0]
	}
	if _, err := findProgram(name, j.tool); err != nil {
		return err
	}
	dir, err := newRunDir(c.Out, "audit", time.Now())
	if err != nil {
		return err
	}
	result, err := c.audit(ctx, env, j, dir)
	if err != nil {
		return errors.Join(err, removeUnused(dir))
	}
	return c.conclude(env, dir, result)
}

// check reads every flag and returns all that is wrong at once.
func (c *auditCmd) check() (j auditJob, err error) {
	var f faults
	allowed, err := supervisor.Allowed()
	if err != nil {
		return j, err
	}
	j.host = supervisor.HostInfo(allowed)
	f.choice("format", c.Format, "table", "json")
	f.check(c.Print && c.Recipe == "", "--print wants --recipe")
	f.check(c.Recipe == "" && len(c.Command) == 0, "say what to audit: --recipe NAME, or a command after --; tare audit --list names the recipes")
	f.out(c.Out)
	c.checkTool(&f, &j)
	c.checkLoad(&f, &j)
	c.checkCPUs(&f, &j, allowed)
	j.sim = c.Sim
	j.sim.TTFT, j.sim.ITL, j.sim.Tail = cmp.Or(c.Sim.TTFT, auditTTFT), cmp.Or(c.Sim.ITL, auditITL), cmp.Or(c.Sim.Tail, auditTail)
	j.sim.OpenEarly = true
	f.check(c.Sim.Truth != "", "--sim-truth: an audit keeps the log in its own directory, as truth.jsonl")
	c.Sim.config(&f, "sim-")
	return j, errors.Join(f...)
}

// checkTool finds out whose output is read, and how.
func (c *auditCmd) checkTool(f *faults, j *auditJob) {
	known := strings.Join(tools.Names(), ", ")
	found := false
	switch name := cmp.Or(c.Tool, c.Recipe); {
	case c.Tool != "" && c.Recipe != "" && c.Tool != c.Recipe:
		f.add("--tool %s and --recipe %s contradict each other; leave out one", c.Tool, c.Recipe)
	case name != "":
		j.tool, found = tools.Find(name)
		f.check(!found, "there is no recipe %q; choose from %s", name, known)
	default:
		j.tool, found = tools.Guess(c.Command)
	}
	if j.mapped = c.Mapping != ""; j.mapped {
		var err error
		j.mapping, err = tools.ParseMapping(c.Mapping)
		f.check(err != nil, "--mapping: %v", err)
		f.check(c.Reported == "", "--mapping wants --reported FILE, the file whose figures it names")
	}
	f.check(c.Reported != "" && c.Mapping == "" && !found,
		"--reported %s: it is not known how to read it; say --tool (%s) or --mapping", c.Reported, known)
}

// auditDuration is the length of a load unless the flags say otherwise.
const auditDuration = 10 * time.Second

// checkLoad reads what the tool is asked for.
func (c *auditCmd) checkLoad(f *faults, j *auditJob) {
	if c.Arrival != "" {
		f.choice("arrival", c.Arrival, "poisson", "constant")
	}
	f.check(c.Rate.set == c.Concurrency.set, "say one of --rate and --concurrency: what the tool is asked for")
	f.check(c.Recipe != "" && c.Concurrency.set, "--recipe and --concurrency exclude each other: recipes are open loops")
	f.check(c.Duration.set && c.Requests.set, "--duration and --requests exclude each other")
	p := tools.Params{
		Model: simModel, Requests: int(read(f, "requests", c.Requests, parseCount)), Seed: int64(read(f, "seed", c.Seed, parseSeed)),
		InputTokens: int(read(f, "input-tokens", c.InputTokens, parseCount)), OutputTokens: int(read(f, "output-tokens", c.OutputTokens, parseCount)),
		Workers: int(read(f, "workers", c.Workers, parseCount)), Arrival: c.law(j.tool),
	}
	j.length = cmp.Or(read(f, "duration", c.Duration, parseDeadline), auditDuration)
	j.asked = audit.Asked{Law: audit.Closed, Concurrency: int(read(f, "concurrency", c.Concurrency, parseCount)), Requests: int64(p.Requests)}
	if c.Rate.set {
		p.Rate = read(f, "rate", c.Rate, arrival.ParseRate).Float64()
		if p.Requests == 0 {
			p.Requests = max(1, int(p.Rate*j.length.Seconds()+0.5))
		} else if p.Rate > 0 {
			j.length = p.Duration()
		}
		j.asked = audit.Asked{Law: audit.Law(p.Arrival), Rate: p.Rate, Requests: int64(p.Requests)}
	}
	command := strings.Join(c.Command, " ")
	f.check(!c.Rate.set && strings.Contains(command, "{rate}"), "{rate} in the command wants --rate")
	f.check(!c.Concurrency.set && strings.Contains(command, "{concurrency}"), "{concurrency} in the command wants --concurrency")
	f.check(p.Requests == 0 && strings.Contains(command, "{requests}"), "{requests} in the command of a closed loop wants --requests")
	j.params = p
	j.limit = cmp.Or(read(f, "limit", c.Limit, parseDeadline), 2*j.length+2*time.Minute)
}

// law is the law that is asked for: by default Poisson, or what a known tool has
// in its place.
func (c *auditCmd) law(t tools.Tool) tools.Arrival {
	switch {
	case c.Arrival != "":
		return tools.Arrival(c.Arrival)
	case len(t.Arrivals) > 0 && !slices.Contains(t.Arrivals, tools.Poisson):
		return t.Arrivals[0]
	}
	return tools.Poisson
}

// checkCPUs lays the tool where workers would be, and the simulator where theirs
// would.
func (c *auditCmd) checkCPUs(f *faults, j *auditJob, allowed []int) {
	p := shardingFlags{Sharding: supervisor.ByGoroutine, CPUs: c.CPUs}.plan(f, allowed)
	j.cpus, j.rest = slices.Concat(cpusOf(p)...), p.Rest
}

// audited is audit.json: the judgement and what was run.
type audited struct {
	audit.Result
	Command     []string           `json:"command"`
	Conventions *tools.Conventions `json:"conventions"` // what is known of the tool
	Host        ipc.Host           `json:"host"`

	interrupted bool
}

// conclude shows the result and maps it to an exit code.
func (c *auditCmd) conclude(env env, dir string, a audited) error {
	if err := a.write(dir); err != nil {
		return err
	}
	var err error
	if c.Format == "json" {
		err = report.JSON(env.stdout, a)
	} else {
		err = errors.Join(a.Table(env.stdout), a.known(env.stdout))
		fmt.Fprintf(env.stdout, "results: %s\n", dir)
	}
	switch {
	case err != nil:
		return err
	case a.interrupted:
		return exit{exitInterrupted, "interrupted; what was seen until then is judged"}
	case c.Strict && a.Verdict.Status != audit.StatusFaithful:
		return exit{exitNotValid, fmt.Sprintf("the tool is %s", a.Verdict.Status)}
	}
	return nil
}

// write leaves the result in its directory.
func (a audited) write(dir string) error {
	f, err := os.Create(filepath.Join(dir, auditFileName))
	if err != nil {
		return fmt.Errorf("write the audit: %w", err)
	}
	return errors.Join(report.JSON(f, a), f.Close())
}
