package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// at returns what stands in a JSON file at a path like load.errors.timeout or
// workers.0.pid. The last step may be missing: then there is undefined.
func at(ts *testscript.TestScript, file, path string) any {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &v))
	v, ok := lookUp(v, path)
	if !ok {
		return undefined
	}
	return v
}

// undefined stands for a key that is not there.
const undefined = "undefined"

func lookUp(v any, path string) (any, bool) {
	for step := range strings.SplitSeq(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			child, ok := node[step]
			if !ok {
				return nil, false
			}
			v = child
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(node) {
				return nil, false
			}
			v = node[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// json FILE PATH OP VALUE compares what stands at a path. OP is ==, !=, <, >,
// <= or >=; VALUE is JSON, and a string needs no quotes.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 4, "json FILE PATH OP VALUE")
	got, op := at(ts, args[0], args[1]), args[2]
	var want any
	if json.Unmarshal([]byte(args[3]), &want) != nil {
		want = args[3]
	}
	if !compare(ts, got, op, want) {
		ts.Fatalf("%s is %v, want %s %v", args[1], got, op, want)
	}
}

func compare(ts *testscript.TestScript, got any, op string, want any) bool {
	a, isNumber := got.(float64)
	b, wantNumber := want.(float64)
	order := cmp.Compare(a, b)
	switch op {
	case "==":
		return fmt.Sprint(got) == fmt.Sprint(want)
	case "!=":
		return fmt.Sprint(got) != fmt.Sprint(want)
	case "<":
		return isNumber && wantNumber && order < 0
	case ">":
		return isNumber && wantNumber && order > 0
	case "<=":
		return isNumber && wantNumber && order <= 0
	case ">=":
		return isNumber && wantNumber && order >= 0
	}
	ts.Fatalf("%q compares nothing", op)
	return false
}

// has FILE LIST checks that a JSON file has every path of a list, one a line;
// {a,b} stands for either. A value may be null.
func hasKeys(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "has FILE LIST")
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &v))
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		for _, path := range braces(strings.TrimSpace(line)) {
			if _, ok := lookUp(v, path); !ok && path != "" {
				ts.Fatalf("%s has no %s", args[0], path)
			}
		}
	}
}

// braces expands x{a,b}y to xay and xby.
func braces(s string) []string {
	before, rest, ok := strings.Cut(s, "{")
	choices, after, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return []string{s}
	}
	var all []string
	for choice := range strings.SplitSeq(choices, ",") {
		for _, tail := range braces(after) {
			all = append(all, before+choice+tail)
		}
	}
	return all
}

// balanced SUMMARY checks the ledger: planned = ok + failed + dropped + lost,
// sent = ok + failed, and the errors by class sum to failed.
func balanced(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "balanced SUMMARY")
	n := func(key string) float64 {
		x, ok := at(ts, args[0], "load."+key).(float64)
		if !ok {
			ts.Fatalf("load.%s is no number", key)
		}
		return x
	}
	errors, _ := at(ts, args[0], "load.errors").(map[string]any)
	failed := 0.0
	for _, count := range errors {
		failed += count.(float64)
	}
	if n("planned") != n("ok")+n("failed")+n("dropped")+n("lost") || n("sent") != n("ok")+n("failed") || failed != n("failed") {
		ts.Fatalf("the ledger does not add up: %v", at(ts, args[0], "load"))
	}
}
