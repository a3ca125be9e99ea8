package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"tare/analysis/dist"
	"tare/cmd/tare/sim"
)

// simCmd is tare sim.
type simCmd struct {
	Listen string `help:"Address to listen on." default:"127.0.0.1:0" placeholder:"ADDR"`
	Model  string `help:"Model name to list." default:"${sim_model}"`
	simFlags
}

// Help is shown below the flags.
func (simCmd) Help() string {
	return `The simulator prints its URL on stdout and runs until it is interrupted.

Example: a server of exactly 80 requests a second, with a log of the truth
  tare sim --listen 127.0.0.1:8000 --ttft 100ms --slots 8 --truth truth.jsonl`
}

func (c *simCmd) run(ctx context.Context, env env) error {
	var f faults
	cfg := c.config(&f, "")
	if len(f) > 0 {
		return errors.Join(f...)
	}
	cfg.Listen, cfg.Model = c.Listen, c.Model
	s, err := sim.New(cfg)
	if err != nil {
		return fmt.Errorf("simulator: %w", err)
	}
	fmt.Fprintln(env.stdout, s.URL())
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return s.Serve(ctx)
}

// config checks and converts; prefix goes before the flags' names in faults.
func (s simFlags) config(f *faults, prefix string) sim.Config {
	law := func(flag, text string) dist.Dist {
		d, err := dist.Parse(cmp.Or(text, "0s"), dist.Duration)
		f.check(err != nil, "--%s%s: %v", prefix, flag, err)
		return d
	}
	cfg := sim.Config{
		TTFT: law("ttft", s.TTFT), ITL: law("itl", s.ITL), Prefill: law("prefill", s.Prefill), Tail: law("tail", s.Tail),
		Slots: int(read(f, prefix+"slots", s.Slots, parseCount)), TruthPath: s.Truth, Seed: read(f, prefix+"seed", s.Seed, parseSeed),
	}
	cfg.PrefixCache, cfg.OpenEarly = s.PrefixCache, s.OpenEarly
	cfg.MaxTokens = int(read(f, prefix+"max-tokens", s.MaxTokens, parseCount))
	cfg.Spin = read(f, prefix+"spin", s.Spin, parseDuration)
	cfg.ITLPerActive = read(f, prefix+"itl-per-active", s.ITLPerActive, parseDuration)
	for _, text := range s.Fault {
		fault, err := sim.ParseFault(text)
		f.check(err != nil, "--%sfault: %v", prefix, err)
		cfg.Faults = append(cfg.Faults, fault)
	}
	return cfg
}

// given are the flags with a value that were given one, and it.
func (s simFlags) given() map[string]string {
	all := map[string]string{
		"ttft": s.TTFT, "itl": s.ITL, "prefill": s.Prefill, "tail": s.Tail, "seed": s.Seed.text,
		"slots": s.Slots.text, "itl-per-active": s.ITLPerActive.text, "spin": s.Spin.text,
		"max-tokens": s.MaxTokens.text, "truth": s.Truth,
	}
	maps.DeleteFunc(all, func(_, text string) bool { return text == "" })
	return all
}

// args are the flags again, for a simulator in a process of its own.
func (s simFlags) args() []string {
	var a []string
	given := s.given()
	for _, flag := range slices.Sorted(maps.Keys(given)) {
		a = append(a, "--"+flag, given[flag])
	}
	if s.OpenEarly {
		a = append(a, "--open-early")
	}
	if s.PrefixCache {
		a = append(a, "--prefix-cache")
	}
	for _, f := range s.Fault {
		a = append(a, "--fault", f)
	}
	return a
}
