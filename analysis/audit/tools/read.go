package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"tare/analysis/audit"
)

// object is a JSON object under reading. What is absent or null reads as
// absent; a value of another type than is wanted is a fault, and faults are
// gathered, so that a report is judged once and whole.
type object struct {
	at     string // path of keys to it, for faults
	fields map[string]json.RawMessage
	faults *[]error
}

// open reads the JSON object that file name of fsys holds.
func open(fsys fs.FS, name string) (object, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return object{}, fmt.Errorf("read report: %w", err)
	}
	o, err := parse(data)
	if err != nil {
		return object{}, fmt.Errorf("read report %s: %w", name, err)
	}
	return o, nil
}

func parse(data []byte) (object, error) {
	o := object{faults: new([]error)}
	if err := unmarshal(data, &o.fields); err != nil {
		return object{}, err
	}
	if o.fields == nil {
		return object{}, errors.New("it is null: want a JSON object")
	}
	return o, nil
}

// err joins the faults of o and of all that was read under it.
func (o object) err(name string) error {
	if err := errors.Join(*o.faults...); err != nil {
		return fmt.Errorf("read report %s: %w", name, err)
	}
	return nil
}

func (o object) fault(format string, args ...any) {
	*o.faults = append(*o.faults, fmt.Errorf(format, args...))
}

func (o object) path(key string) string {
	if o.at == "" {
		return key
	}
	return o.at + "." + key
}

// get decodes the value of key into v, and tells whether there was one.
func (o object) get(key, want string, v any) bool {
	raw, ok := o.fields[key]
	if !ok || string(raw) == "null" {
		return false
	}
	if err := json.Unmarshal(raw, v); err != nil {
		o.fault("%s: want %s, got %s", o.path(key), want, short(raw))
		return false
	}
	return true
}

// short is raw cut to what a message can carry.
func short(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return string(raw[:most]) + "…"
	}
	return string(raw)
}

// object is the object at the end of keys; an absent one has no fields.
func (o object) object(keys ...string) object {
	for _, key := range keys {
		next := object{at: o.path(key), faults: o.faults}
		o.get(key, "an object", &next.fields)
		o = next
	}
	return o
}

// first is the first object of the array at key.
func (o object) first(key string) object {
	var items []map[string]json.RawMessage
	first := object{at: o.path(key) + ".0", faults: o.faults}
	if o.get(key, "an array of objects", &items) && len(items) > 0 {
		first.fields = items[0]
	}
	return first
}

func (o object) text(key string) string {
	var s string
	o.get(key, "a string", &s)
	return s
}

// number is the figure at key times unit.
func (o object) number(key string, unit float64) *float64 {
	var v float64
	if !o.get(key, "a number", &v) {
		return nil
	}
	v *= unit
	return &v
}

// count is the whole number at key. Tools write some of theirs as 40.0.
func (o object) count(key string) *int64 {
	var v float64
	if !o.get(key, "a count", &v) {
		return nil
	}
	n, ok := whole(v)
	if !ok {
		o.fault("%s: want a count, got %v", o.path(key), v)
		return nil
	}
	return &n
}

// whole is v as a count: not negative, without a fraction, and exact.
func whole(v float64) (int64, bool) {
	n := int64(v)
	return n, v >= 0 && v < 1<<53 && float64(n) == v
}

// summary reads a latency whose keys are given, times unit to be ms: mean, p50,
// p90, p95, p99, an empty key for what the report never has. ok is false where
// none of them is there.
func (o object) summary(unit float64, keys [5]string) (audit.Summary, bool) {
	var v [5]*float64
	any := false
	for i, key := range keys {
		if key != "" {
			v[i] = o.number(key, unit)
			any = any || v[i] != nil
		}
	}
	return audit.Summary{Mean: v[0], P50: v[1], P90: v[2], P95: v[3], P99: v[4]}, any
}

// reported is one under construction.
type reported struct{ audit.Reported }

// add puts a latency under m, with the tool's own name for it where that is
// another; what a report does not have is left out.
func (r *reported) add(m audit.Metric, name string, s audit.Summary, ok bool) {
	if !ok {
		return
	}
	if r.Latency == nil {
		r.Latency = map[audit.Metric]audit.Summary{}
	}
	r.Latency[m] = s
	if name != string(m) {
		if r.Names == nil {
			r.Names = map[audit.Metric]string{}
		}
		r.Names[m] = name
	}
}

// less is a − b, where both are said and it is not negative.
func less(a, b *int64) *int64 {
	if a == nil || b == nil || *a < *b {
		return nil
	}
	d := *a - *b
	return &d
}

// need makes a report without a count of successes an error: it is not the
// tool's, or not of a version that is known here.
func need(r reported, name, sign string) (audit.Reported, error) {
	if r.OK == nil {
		return audit.Reported{}, fmt.Errorf("read report %s: it has no %s: is it the report of this tool?", name, sign)
	}
	return r.Reported, nil
}

// parseNumber reads a figure of a text report.
func parseNumber(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// Units of reports, to ms.
const (
	ns = 1e-6
	us = 1e-3
	ms = 1
	s  = 1e3
)
