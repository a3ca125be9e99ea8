package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// cli is the command line. Verbs take what they share by embedding.
type cli struct {
	Run     runCmd     `cmd:"" help:"Drive a server at an exact rate and report what it did, what an ordinary client would have said, and whether the measurement is valid."`
	Analyze analyzeCmd `cmd:"" help:"Make the report again from the records of a run."`
	Sim     simCmd     `cmd:"" help:"Run the simulator: an OpenAI-compatible server with known service laws and a truth log."`

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
		kong.Vars{"version": version()},
	)
	if err != nil {
		return fmt.Errorf("command line: %w", err)
	}
	if faults := unknownFlags(parser.Model, args); len(faults) > 0 {
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

// unknownFlags finds every flag that the verb does not have, where the parser
// would stop at the first.
func unknownFlags(app *kong.Application, args []string) []error {
	known := flagNames(app, args)
	var faults []error
	for _, a := range args {
		if a == "--" {
			break
		}
		name, isFlag := strings.CutPrefix(a, "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && !slices.Contains(known, name) {
			faults = append(faults, fmt.Errorf("there is no flag --%s%s", name, similar(name, known)))
		}
	}
	return faults
}

// flagNames lists the flags of the application and of the verb in args.
func flagNames(app *kong.Application, args []string) []string {
	var names []string
	node := app.Node
	for _, n := range app.Children {
		if len(args) > 0 && n.Name == args[0] {
			node = n
		}
	}
	for _, group := range node.AllFlags(false) {
		for _, f := range group {
			names = append(names, f.Name)
			if f.Tag.Negatable != "" {
				names = append(names, "no-"+f.Name)
			}
		}
	}
	return names
}

// similar suggests a flag that shares the longest beginning, at least three
// letters.
func similar(name string, known []string) string {
	best, length := "", 2
	for _, k := range known {
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
