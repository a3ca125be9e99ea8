package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// cli is the command line. Verbs take what they share by embedding.
type cli struct {
	Run       runCmd       `cmd:"" help:"Drive a server at an exact rate and report what it did, what an ordinary client would have said, and whether the measurement is valid."`
	Profile   profileCmd   `cmd:"" help:"Raise the load step by step until the server saturates, and report its capacity with an interval, its knee, and what it sustains within an SLO."`
	Analyze   analyzeCmd   `cmd:"" help:"Make the report again from the records of a run."`
	Reproduce reproduceCmd `cmd:"" help:"Run the experiments of the paper and judge every claim on this host."`
	Audit     auditCmd     `cmd:"" help:"Benchmark a load generator: what the server saw of it, and by how much its figures are off."`
	Plan      planCmd      `cmd:"" help:"Say how many workers and machines a load needs, or the highest rate that this host can carry, from what an event costs."`
	Sim       simCmd       `cmd:"" help:"Run the simulator: an OpenAI-compatible server with known service laws and a truth log."`

	Version kong.VersionFlag `help:"Print the version and exit."`
}

// verb is what every command of cli does.
type verb interface {
	run(ctx context.Context, env env) error
}

// run is the program.
func run(ctx context.Context, env env, args []string) error {
	var c cli
	exited := false
	parser, err := kong.New(&c,
		kong.Name("tare"),
		kong.Description("An LLM inference load generator that measures its own bias."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Writers(env.stdout, env.stderr),
		kong.Exit(func(int) { exited = true }),
		kong.Vars{"version": version(), "sim_model": simModel},
	)
	if err != nil {
		return fmt.Errorf("command line: %w", err)
	}
	args, faults := checkFlags(parser.Model, args)
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	file, err := resolvers(parser.Model, args)
	if err != nil {
		return err
	}
	if err := kong.Resolvers(file...).Apply(parser); err != nil {
		return fmt.Errorf("command line: %w", err)
	}
	k, err := parser.Parse(args)
	if exited {
		return nil // --help or --version
	}
	if err != nil {
		return fmt.Errorf("%w; see tare --help", err)
	}
	return k.Selected().Target.Addr().Interface().(verb).run(ctx, env)
}

// checkFlags finds every flag that the verb does not have or that lacks its
// value, where the parser would stop at the first. It ties each value to its
// flag, so that "-1" is a value and no flag.
func checkFlags(app *kong.Application, args []string) (tied []string, faults []error) {
	known := flagsOf(app, args)
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return append(tied, args[i:]...), faults
		}
		name, isFlag := strings.CutPrefix(a, "--")
		name, _, hasValue := strings.Cut(name, "=")
		flag := known[name]
		switch {
		case !isFlag:
		case flag == nil:
			faults = append(faults, fmt.Errorf("there is no flag --%s%s", name, similar(name, known)))
		case hasValue || flag.IsBool():
		case i+1 == len(args) || strings.HasPrefix(args[i+1], "--"):
			faults = append(faults, fmt.Errorf("--%s wants a value", name))
		default:
			i++
			a += "=" + args[i]
		}
		tied = append(tied, a)
	}
	return tied, faults
}

// flagsOf returns the flags of the application and of the verb in args.
func flagsOf(app *kong.Application, args []string) map[string]*kong.Flag {
	node := app.Node
	for _, n := range app.Children {
		if len(args) > 0 && n.Name == args[0] {
			node = n
		}
	}
	flags := map[string]*kong.Flag{}
	for _, group := range node.AllFlags(false) {
		for _, f := range group {
			flags[f.Name] = f
			if f.Tag.Negatable != "" {
				flags["no-"+f.Name] = f
			}
		}
	}
	return flags
}

// similar suggests a flag that shares the longest beginning, at least three
// letters.
func similar(name string, known map[string]*kong.Flag) string {
	best, length := "", 2
	for _, k := range slices.Sorted(maps.Keys(known)) {
		n := 0
		for n < min(len(k), len(name)) && k[n] == name[n] {
			n++
		}
		if n > length {
			best, length = k, n
		}
	}
	if best == "" {
		return "; see --help"
	}
	return fmt.Sprintf("; did you mean --%s?", best)
}
