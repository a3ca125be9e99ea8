package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tare/analysis/layout"
	"tare/analysis/metrics"
	"tare/analysis/profile"
)

// Profile writes a profile for people: what was found first, then the steps.
// Lines have at most 100 columns.
func Profile(w io.Writer, r profile.Result) error {
	var b strings.Builder
	capacityPart(&b, r.Capacity)
	kneePart(&b, r)
	fmt.Fprintf(&b, "ended       %s\n", r.Ended)
	stepPart(&b, r.Steps)
	stepLatencyPart(&b, r.Steps)
	reasonPart(&b, r.Steps)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// capacityPart writes the capacity and the two estimators behind it.
func capacityPart(b *strings.Builder, c profile.Capacity) {
	fmt.Fprintf(b, "CAPACITY: %s requests/s", layout.Number(c.Rate))
	if c.Lo != nil || c.Hi != nil {
		fmt.Fprintf(b, ", interval %s to %s (level %.0f %%)", layout.Number(c.Lo), layout.Number(c.Hi), 100*c.Level)
	}
	fmt.Fprintf(b, ", limited by: %s\n", c.LimitedBy)
	for _, n := range c.Notes {
		b.WriteString(layout.Item(n))
	}
	fmt.Fprintf(b, "\nsearch      highest stable load %s, lowest saturated %s\n", layout.Number(c.Search.Lo), layout.Number(c.Search.Hi))
	if x := c.Throughput; x != nil {
		fmt.Fprintf(b, "throughput  %s when saturated (%s to %s)\n", layout.Number(&x.Value), layout.Number(&x.Lo), layout.Number(&x.Hi))
	}
	if c.Agree != nil {
		fmt.Fprintf(b, "agree       %t\n", *c.Agree)
	}
}

// kneePart writes the knee, the SLO capacity and the way down.
func kneePart(b *strings.Builder, r profile.Result) {
	k := r.Knee
	fmt.Fprintf(b, "knee        %s", layout.Number(k.Rate))
	switch {
	case k.Rate != nil:
		fmt.Fprintf(b, " (%s to %s)\n            %s\n", layout.Number(k.Lo), layout.Number(k.Hi), k.Method)
	default:
		fmt.Fprintf(b, ": %s\n", k.Note)
	}
	if s := r.SLO; s != nil {
		fmt.Fprintf(b, "SLO         met by %.4g %% of requests up to %s, missed from %s\n", 100*s.Attainment, layout.Number(s.Lo), layout.Number(s.Hi))
		for _, n := range s.Notes {
			b.WriteString(layout.Item(n))
		}
	}
	if h := r.Hysteresis; h != nil {
		said := "it could not be told if the server recovers"
		if h.Recovers != nil {
			said = map[bool]string{true: "the server recovers", false: "the server does not recover"}[*h.Recovers]
		}
		fmt.Fprintf(b, "way down    %s\n", said)
		for _, x := range h.Steps {
			b.WriteString(layout.Item(fmt.Sprintf("at %s: %s", layout.Number(&x.Load), x.Why)))
		}
	}
}

// stepPart writes the flow of each step.
func stepPart(b *strings.Builder, steps []profile.Step) {
	g := &layout.Grid{}
	g.Add("step", "for", "asked", "delivered", "in flight", "growth/s", "ok %", "goodput", "s", "status", "verdict")
	for i := range steps {
		s := &steps[i]
		growth, share := layout.Undefined, layout.Undefined
		if s.Growth != nil {
			growth = layout.Number(&s.Growth.Value)
		}
		if s.Success != nil {
			share = fmt.Sprintf("%.1f", 100*s.Success.Value)
		}
		status := string(s.Status)
		if s.Interrupted {
			status = "cut short"
		}
		g.Add(strconv.Itoa(s.Number), string(s.Purpose), askedOf(s), layout.Number(s.Delivered), layout.Number(s.InFlight), growth, share,
			layout.Number(s.Summary.SLO.Goodput), fmt.Sprintf("%.1f", s.Seconds), status, string(s.Summary.Verdict.Status))
	}
	fmt.Fprintf(b, "\n%s", g)
}

// askedOf is the load of a step: a rate, or how many are in flight.
func askedOf(s *profile.Step) string {
	if s.Concurrency != nil {
		return fmt.Sprintf("C=%d", *s.Concurrency)
	}
	return layout.Number(s.Asked)
}

// stepLatencyPart writes the latencies of each step.
func stepLatencyPart(b *strings.Builder, steps []profile.Step) {
	g := &layout.Grid{}
	g.Add("ms, wire", "TTFT", "", "TPOT", "", "NTPOT", "", "E2E", "", "bias of TTFT", "")
	g.Add("step", "p50", "p99", "p50", "p99", "p50", "p99", "p50", "p99", "p50", "p99")
	for i := range steps {
		l := &steps[i].Summary.Latency
		g.Add(strconv.Itoa(steps[i].Number), layout.Number(l.TTFT.Wire.P50), layout.Number(l.TTFT.Wire.P99), layout.Number(l.TPOT.Wire.P50), layout.Number(l.TPOT.Wire.P99),
			layout.Number(l.NTPOT.Wire.P50), layout.Number(l.NTPOT.Wire.P99), layout.Number(l.E2E.Wire.P50), layout.Number(l.E2E.Wire.P99),
			layout.Number(l.TTFT.Bias.P50), layout.Number(l.TTFT.Bias.P99))
	}
	fmt.Fprintf(b, "\n%s", g)
}

// reasonPart writes why each step has its status.
func reasonPart(b *strings.Builder, steps []profile.Step) {
	b.WriteString("\nwhy\n")
	for i := range steps {
		if s := &steps[i]; len(s.Reasons) > 0 {
			b.WriteString(layout.Item(fmt.Sprintf("step %d, %s: %s", s.Number, s.Status, strings.Join(s.Reasons, "; "))))
		}
	}
}

// ProfileCSV writes the curves of a profile, a line for each step: rates in
// requests/s, times in ms. Undefined figures are empty.
func ProfileCSV(w io.Writer, r profile.Result) error {
	out := csv.NewWriter(w)
	head := []string{"step", "purpose", "status", "asked", "concurrency", "delivered", "in_flight", "goodput"}
	latencies := []string{"ttft", "tpot", "ntpot", "e2e", "ttft_bias"}
	for _, name := range latencies {
		head = append(head, name+"_mean_ms", name+"_p50_ms", name+"_p99_ms")
	}
	lines := [][]string{head}
	for i := range r.Steps {
		s := &r.Steps[i]
		l := &s.Summary.Latency
		line := []string{strconv.Itoa(s.Number), string(s.Purpose), string(s.Status), cell(s.Asked), streams(s.Concurrency), cell(s.Delivered), cell(s.InFlight), cell(s.Summary.SLO.Goodput)}
		for _, d := range []metrics.Dist{l.TTFT.Wire, l.TPOT.Wire, l.NTPOT.Wire, l.E2E.Wire, l.TTFT.Bias} {
			line = append(line, cell(d.Mean), cell(d.P50), cell(d.P99))
		}
		lines = append(lines, line)
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

func cell(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

func streams(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
