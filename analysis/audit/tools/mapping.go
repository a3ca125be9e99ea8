package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tare/analysis/audit"
)

// Mapping says where the JSON report of a tool that is not known here has its
// figures. The zero value finds nothing. It is written as
//
//	KEY=PATH[@UNIT],…
//
// KEY is ok, failed, asked, rate, duration, version, or METRIC.STATISTIC such
// as ttft.mean: the metrics of audit.Metrics, and mean, p50, p90, p95, p99.
// PATH leads to a value: names and array indices with dots between, a name with
// a dot, comma, @ or quote of its own in double quotes, in which \ takes the
// meaning from what follows. UNIT is that of a time in the report, s, ms or us;
// without it latencies are in ms and the duration is in s.
//
//	ttft.mean=results.0.ttft.avg@s,e2e.p99=latency."p99.0",failed=errors.total
type Mapping struct{ entries []entry }

// entry is one KEY=PATH[@UNIT].
type entry struct {
	key   string
	path  []string
	scale float64 // to the unit that audit.Reported has it in
}

// statistics are those of audit.Summary.
var statistics = []string{"mean", "p50", "p90", "p95", "p99"}

// plainKeys are the keys that are no latency. Of them only duration has a unit.
var plainKeys = []string{"ok", "failed", "asked", "rate", "duration", "version"}

var toMS = map[string]float64{"s": s, "ms": ms, "us": us}

// ParseMapping reads a mapping as it is written on the command line. The error
// joins all its faults.
func ParseMapping(text string) (Mapping, error) {
	var m Mapping
	var errs []error
	seen := map[string]bool{}
	for _, part := range split(text, ',') {
		e, err := parseEntry(part)
		if err == nil && seen[e.key] {
			err = fmt.Errorf("%s is there twice", e.key)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		seen[e.key] = true
		m.entries = append(m.entries, e)
	}
	if err := errors.Join(errs...); err != nil {
		return Mapping{}, fmt.Errorf("read mapping: %w", err)
	}
	return m, nil
}

func parseEntry(part string) (entry, error) {
	key, where, ok := strings.Cut(strings.TrimSpace(part), "=")
	if !ok {
		return entry{}, fmt.Errorf("%q: want KEY=PATH, as ttft.mean=latency.ttft.avg", part)
	}
	if !slices.Contains(keys(), key) {
		return entry{}, fmt.Errorf("%q: no key of this name; there are %s", key, strings.Join(keys(), ", "))
	}
	e := entry{key: key, scale: 1}
	halves := split(where, '@')
	if len(halves) > 2 {
		return entry{}, fmt.Errorf("%s: %q has more than one unit", key, where)
	}
	if len(halves) == 2 {
		var err error
		if e.scale, err = scale(key, halves[1]); err != nil {
			return entry{}, err
		}
	}
	var err error
	if e.path, err = parsePath(halves[0]); err != nil {
		return entry{}, fmt.Errorf("%s: %w", key, err)
	}
	return e, nil
}

// keys are all that a mapping may name.
func keys() []string {
	all := slices.Clone(plainKeys)
	for _, m := range audit.Metrics {
		for _, s := range statistics {
			all = append(all, string(m)+"."+s)
		}
	}
	return all
}

func isLatency(key string) bool { return strings.Contains(key, ".") }

// scale is what a value of key in unit is multiplied by.
func scale(key, unit string) (float64, error) {
	f, ok := toMS[unit]
	switch {
	case !ok:
		return 0, fmt.Errorf("%s: unit %q: want %s", key, unit, strings.Join(slices.Sorted(maps.Keys(toMS)), ", "))
	case isLatency(key):
		return f, nil
	case key == "duration":
		return f / s, nil
	}
	return 0, fmt.Errorf("%s: it is no time and takes no unit, got @%s", key, unit)
}

// split cuts text at each sep that is not in double quotes.
func split(text string, sep byte) []string {
	var parts []string
	quoted, from := false, 0
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == sep && !quoted:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

// parsePath reads names and indices with dots between.
func parsePath(text string) ([]string, error) {
	var path []string
	for _, name := range split(text, '.') {
		if strings.HasPrefix(name, `"`) {
			unquoted, err := unquote(name)
			if err != nil {
				return nil, fmt.Errorf("path %q: %w", text, err)
			}
			path = append(path, unquoted)
			continue
		}
		if name == "" || strings.Contains(name, `"`) {
			return nil, fmt.Errorf("path %q: want names with dots between, as a.0.b, quotes around a whole name", text)
		}
		path = append(path, name)
	}
	return path, nil
}

func unquote(name string) (string, error) {
	var b strings.Builder
	for i := 1; i < len(name); i++ {
		switch name[i] {
		case '"':
			if i < len(name)-1 {
				return "", fmt.Errorf("%s goes on behind its closing quote", name)
			}
			return b.String(), nil
		case '\\':
			i++
		}
		if i < len(name) {
			b.WriteByte(name[i])
		}
	}
	return "", fmt.Errorf("%s has no closing quote", name)
}
