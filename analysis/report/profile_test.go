package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"unicode/utf8"

	"tare/analysis"
	"tare/analysis/layout"
	"tare/analysis/metrics"
	"tare/analysis/profile"
)

// wide is a profile whose figures take as much room as figures do.
func wide() profile.Result {
	big := 12345.678
	d := metrics.Dist{Mean: &big, P50: &big, P99: &big}
	var s analysis.Summary
	s.Latency.TTFT = metrics.Columns{Wire: d, Bias: d}
	s.Latency.E2E = metrics.Columns{Wire: d}
	s.Latency.TPOT.Wire, s.Latency.NTPOT.Wire = d, d
	s.SLO.Goodput = &big
	s.Verdict.Status = "suspect"
	step := profile.Step{
		Number: 29, Purpose: profile.ForThroughput, Asked: &big, Delivered: &big, Seconds: 240.0, Saturated: true, Summary: s,
		Judgement: profile.Judgement{
			Status: profile.Saturated, Reasons: []string{strings.Repeat("in flight grows ", 12)}, InFlight: &big,
			Growth: &profile.Estimate{Value: -big, Lo: -big, Hi: big}, Success: &profile.Estimate{Value: 1},
		},
	}
	loop := profile.Step{Number: 30, Concurrency: new(int64(10000)), Interrupted: true}
	return profile.Result{
		Capacity: profile.Capacity{
			Rate: &big, Lo: &big, Hi: &big, Level: 0.99, LimitedBy: profile.ByServer, Agree: new(true),
			Search: profile.Bracket{Lo: &big, Hi: &big}, Throughput: &profile.Estimate{Value: big, Lo: big, Hi: big},
			Notes: []string{strings.Repeat("a note that is long ", 10)},
		},
		Knee:       profile.Knee{Rate: &big, Lo: &big, Hi: &big, Method: "Kneedle, S=1, on the mean of wire E2E over the load, up to the first saturated step"},
		SLO:        &profile.SLOCapacity{Lo: &big, Hi: &big, Attainment: 0.99, Notes: []string{"a note"}},
		Hysteresis: &profile.Hysteresis{Recovers: new(false), Steps: []profile.Recovery{{Load: big, Why: "stable on the way up, saturated on the way down"}}},
		Ended:      "the interval is as narrow as asked for",
		Steps:      []profile.Step{step, loop},
	}
}

// Whatever the figures, a line fits a terminal of 100 columns, and figures that
// do not exist are dashes.
func TestProfileFitsATerminal(t *testing.T) {
	for name, r := range map[string]profile.Result{"wide": wide(), "empty": {Capacity: profile.Capacity{LimitedBy: profile.ByNone}}} {
		var b bytes.Buffer
		if err := Profile(&b, r); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > layout.LineLen {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
		for _, word := range []string{"NaN", "Inf", "nil", "%!"} {
			if strings.Contains(b.String(), word) {
				t.Errorf("%s: there is a %s in\n%s", name, word, b.String())
			}
		}
	}
}

// The curves have a line for each step, all of one length, and nothing where a
// figure does not exist.
func TestProfileCSV(t *testing.T) {
	var b bytes.Buffer
	if err := ProfileCSV(&b, wide()); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll() // refuses lines of unequal length
	if err != nil || len(lines) != 3 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if lines[1][3] != "12345.678" || lines[2][3] != "" || lines[2][4] != "10000" {
		t.Errorf("asked and concurrency: %q, %q", lines[1][3:5], lines[2][3:5])
	}
}
