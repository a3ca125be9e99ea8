package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// resolvers reads the file of --config, whose names are those of the flags.
// Flags win over it.
func resolvers(app *kong.Application, args []string) ([]kong.Resolver, error) {
	path := configPath(args)
	if path == "" {
		return nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(b, &values); err != nil {
		return nil, fmt.Errorf("--config %s: %w", path, err)
	}
	var f faults
	known := flagsOf(app, args)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f.check(known[name] == nil, "--config %s: there is no flag %q%s", path, name, similar(name, known))
	}
	if len(f) > 0 {
		return nil, errors.Join(f...)
	}
	return []kong.Resolver{kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
		switch v := values[f.Name].(type) {
		case nil, []any, bool:
			return v, nil
		default:
			return fmt.Sprint(v), nil
		}
	})}, nil
}

func configPath(args []string) string {
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--config="); ok {
			return v
		}
		if a == "--config" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}
