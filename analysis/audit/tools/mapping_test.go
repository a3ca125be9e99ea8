package tools

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"tare/analysis/audit"
)

const foreign = `{"tool": {"version": "2.1"}, "runs": [{"first": {"avg": 0.02, "p99.0": 0.025}, "total_us": 65000,
	"none": null, "took": 4000, "sent": {"good": 39, "bad": 1}, "a,b@c\"d": 10}]}`

func TestMapping(t *testing.T) {
	for _, test := range []struct {
		text, why string
		want      audit.Reported
	}{
		{"ttft.mean=runs.0.first.avg@s", "seconds", audit.Reported{Latency: map[audit.Metric]audit.Summary{audit.TTFT: {Mean: of(20.0)}}}},
		{"e2e.p50=runs.0.total_us@us", "microseconds", audit.Reported{Latency: map[audit.Metric]audit.Summary{audit.E2E: {P50: of(65.0)}}}},
		{"e2e.p95=runs.0.took", "milliseconds without a unit", audit.Reported{Latency: map[audit.Metric]audit.Summary{audit.E2E: {P95: of(4000.0)}}}},
		{"duration=runs.0.took@ms", "the duration is in s", audit.Reported{Duration: of(4.0)}},
		{"duration=runs.0.took", "seconds without a unit", audit.Reported{Duration: of(4000.0)}},
		{"ok=runs.0.sent.good, failed=runs.0.sent.bad", "counts, with a space", audit.Reported{OK: of(int64(39)), Failed: of(int64(1))}},
		{"version=tool.version", "text", audit.Reported{Version: "2.1"}},
		{`ttft.p99=runs.0.first."p99.0"@s`, "a name with a dot", audit.Reported{Latency: map[audit.Metric]audit.Summary{audit.TTFT: {P99: of(25.0)}}}},
		{`asked=runs.0."a,b@c\"d"`, "a name with all that separates", audit.Reported{Asked: of(10.0)}},
		{"rate=runs.0.none", "null is absent", audit.Reported{}},
		{"itl.p90=runs.0.took,itl.mean=runs.0.took", "two of one metric", audit.Reported{Latency: map[audit.Metric]audit.Summary{
			audit.ITL: {Mean: of(4000.0), P90: of(4000.0)}}}},
	} {
		m, err := ParseMapping(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		got, err := m.Read(fstest.MapFS{"r": {Data: []byte(foreign)}}, "r")
		test.want.Tool = "other"
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s: -want +got\n%s%v", test.why, diff, err)
		}
	}
}

// All faults of a mapping stand in one error.
func TestMappingFaults(t *testing.T) {
	_, err := ParseMapping(`ttft.mean,ttft.p42=a,ok=a@s,e2e.p50=a@h,rate=a..b,itl.p50=a@s@s,failed="a,tpot.mean=a"b"`)
	for _, want := range []string{
		`"ttft.mean": want KEY=PATH`, `"ttft.p42": no key of this name; there are ok, failed`, "ok: it is no time and takes no unit, got @s",
		`e2e.p50: unit "h": want ms, s, us`, `rate: path "a..b": want names`, "itl.p50: \"a@s@s\" has more than one unit", "failed: path",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error has no %q:\n%v", want, err)
		}
	}
	for text, want := range map[string]string{
		"":              "want KEY=PATH",
		"ok=a,ok=b":     "ok is there twice",
		`ok="a`:         "no closing quote",
		`ok="a"b`:       "goes on behind its closing quote",
		`ok=a"b"`:       "quotes around a whole name",
		`ok=`:           "want names",
		"duration=a@m":  "unit",
		"version=a@ms":  "takes no unit",
		"rate=a@s":      "takes no unit",
		"ttft=a":        "no key",
		"ttft.mean=a@ ": "unit",
	} {
		if _, err := ParseMapping(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// And so do all faults of a report: a path that leads nowhere is one.
func TestMappingOfAnotherReport(t *testing.T) {
	m, err := ParseMapping("ok=runs.0.good,failed=runs.7.bad,rate=runs.0.took.x,version=runs.0.took,asked=tool.version,duration=runs.0,ttft.p50=runs.x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Read(fstest.MapFS{"r.json": {Data: []byte(foreign)}}, "r.json")
	for _, want := range []string{
		`ok: no "good" at "runs.0", which is an object with a,b@c`, `failed: no "7" at "runs", which is an array of 1`,
		`rate: no "x" at "runs.0.took", which is the value 4000`, "version: want a string, got 4000",
		"asked: want a number, got the value 2.1", "duration: want a number, got an object", `ttft.p50: no "x"`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error has no %q:\n%v", want, err)
		}
	}
	m, _ = ParseMapping("ok=n")
	for report, want := range map[string]string{`{"n": 1.5}`: "want a count", `{"n": `: "cut off", ``: "empty"} {
		if _, err := m.Read(fstest.MapFS{"r": {Data: []byte(report)}}, "r"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", report, err, want)
		}
	}
}

// A mapping either has faults or reads without a panic, whatever it and the
// report are.
func FuzzMapping(f *testing.F) {
	f.Add(`ttft.mean=runs.0.first.avg@s,e2e.p99=runs.0.first."p99.0"`, foreign)
	f.Add(`version=tool.version,ok=a."b\"c".0@`, `[1, {"": null}]`)
	f.Add(`ok="\`, `{}`)
	f.Fuzz(func(t *testing.T, text, report string) {
		m, err := ParseMapping(text)
		if err != nil {
			return
		}
		if len(m.entries) == 0 {
			t.Errorf("%q: neither a fault nor an entry", text)
		}
		r, err := m.Read(fstest.MapFS{"r": {Data: []byte(report)}}, "r")
		if err == nil && r.OK != nil && *r.OK < 0 {
			t.Errorf("%q reads %d successes", text, *r.OK)
		}
	})
}
