package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tare/analysis/audit"
)

// Read reads the JSON file name of fsys by the mapping. A path that leads
// nowhere is an error, for it was written for this report; a null at its end is
// a figure that the tool did not have, and stays absent. The error joins all
// faults.
func (m Mapping) Read(fsys fs.FS, name string) (audit.Reported, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return audit.Reported{}, fmt.Errorf("read report: %w", err)
	}
	var doc any
	if err := unmarshal(data, &doc); err != nil {
		return audit.Reported{}, fmt.Errorf("read report %s: %w", name, err)
	}
	var r reported
	var errs []error
	for _, e := range m.entries {
		v, err := find(doc, e.path)
		if err == nil && v != nil {
			err = r.set(e, v)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", e.key, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return audit.Reported{}, fmt.Errorf("read report %s: %w", name, err)
	}
	r.Tool = "other"
	return r.Reported, nil
}

// find follows path from v. Its error says how far it led.
func find(v any, path []string) (any, error) {
	for i, name := range path {
		next, ok := any(nil), false
		switch at := v.(type) {
		case map[string]any:
			next, ok = at[name]
		case []any:
			n, err := strconv.Atoi(name)
			if ok = err == nil && n >= 0 && n < len(at); ok {
				next = at[n]
			}
		}
		if !ok {
			return nil, fmt.Errorf("no %q at %q, which is %s", name, strings.Join(path[:i], "."), describe(v))
		}
		v = next
	}
	return v, nil
}

// describe says what v is and what can be asked of it.
func describe(v any) string {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		return "an object with " + short([]byte(strings.Join(names, ", ")))
	case []any:
		return fmt.Sprintf("an array of %d", len(v))
	case nil:
		return "null"
	}
	return fmt.Sprintf("the value %v", v)
}

// set puts v where e says.
func (r *reported) set(e entry, v any) error {
	if e.key == "version" {
		text, ok := v.(string)
		if !ok {
			return fmt.Errorf("want a string, got %v", v)
		}
		r.Version = text
		return nil
	}
	n, ok := v.(float64)
	if !ok {
		return fmt.Errorf("want a number, got %s", describe(v))
	}
	n *= e.scale
	if metric, statistic, ok := strings.Cut(e.key, "."); ok {
		r.setLatency(audit.Metric(metric), statistic, n)
		return nil
	}
	return r.setPlain(e.key, n)
}

func (r *reported) setPlain(key string, n float64) error {
	switch key {
	case "asked":
		r.Asked = &n
		return nil
	case "rate":
		r.Rate = &n
		return nil
	case "duration":
		r.Duration = &n
		return nil
	}
	c, ok := whole(n)
	if !ok {
		return fmt.Errorf("want a count, got %v", n)
	}
	if key == "ok" {
		r.OK = &c
	} else {
		r.Failed = &c
	}
	return nil
}

func (r *reported) setLatency(m audit.Metric, statistic string, n float64) {
	v := r.Latency[m]
	switch statistic {
	case "mean":
		v.Mean = &n
	case "p50":
		v.P50 = &n
	case "p90":
		v.P90 = &n
	case "p95":
		v.P95 = &n
	case "p99":
		v.P99 = &n
	}
	r.add(m, string(m), v, true)
}
