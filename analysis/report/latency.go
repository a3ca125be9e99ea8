package report

import (
	"fmt"
	"strings"

	"tare/analysis/layout"
	"tare/analysis/metrics"
)

func latencyPart(b *strings.Builder, l metrics.Latency) {
	g := &layout.Grid{}
	g.Add("ms", "wire", "", "", "", "", "observed", "", "scheduled", "", "bias", "")
	g.Add("", "mean", "", "p50", "p99", "", "p50", "p99", "p50", "p99", "p50", "p99")
	row := func(name string, c metrics.Columns) {
		w := c.Wire
		b := w.Bounds
		if b == nil {
			b = &metrics.Bounds{}
		}
		g.Add(name, layout.Number(w.Mean), plusMinus(b.MeanLo, w.Mean, b.MeanHi), layout.Number(w.P50), layout.Number(w.P99), plusMinus(b.P99Lo, w.P99, b.P99Hi),
			layout.Number(c.Observed.P50), layout.Number(c.Observed.P99), layout.Number(c.Scheduled.P50), layout.Number(c.Scheduled.P99),
			layout.Number(c.Bias.P50), layout.Number(c.Bias.P99))
	}
	row("TTFT", l.TTFT)
	if !same(l.TTFTContent, l.TTFT) {
		row("TTFT content", l.TTFTContent)
	}
	row("E2E", l.E2E)
	row("TPOT", l.TPOT.Columns)
	if l.TPOTN1 != nil {
		row("TPOT, N-1", *l.TPOTN1)
	}
	row("ITL", l.ITL)
	if l.ITLToken != nil {
		row("ITL per token", *l.ITLToken)
	}
	row("NTPOT", l.NTPOT.Columns)
	fmt.Fprintf(b, "\n%s", g)
	countPart(b, l)
	lagPart(b, l)
}

// same tells whether content came with the first event, always.
func same(content, first metrics.Columns) bool {
	a, b := content.Wire, first.Wire
	return a.N == b.N && (a.N == 0 || *a.Mean == *b.Mean && *a.Max == *b.Max)
}

// countPart says how many values the figures are of.
func countPart(b *strings.Builder, l metrics.Latency) {
	text := fmt.Sprintf("of %d requests, %d gaps between events", l.E2E.Wire.N, l.ITL.Observed.N)
	if n := l.ITL.Wire.N; n < l.ITL.Observed.N {
		text += fmt.Sprintf(" (wire: the %d between reads of one event)", n)
	}
	text += "; ± 95 %, for correlated values"
	if s := l.ITL.Observed.Bounds; s != nil && s.Sample < l.ITL.Observed.N {
		text += fmt.Sprintf(", from a sample of %d gaps", s.Sample)
	}
	if s := l.E2E.Wire.Bounds; s != nil && s.Sample < l.E2E.Wire.N {
		text += fmt.Sprintf(" and %d requests", s.Sample)
	}
	if l.TPOT.Undefined+l.NTPOT.Undefined > 0 {
		text += fmt.Sprintf("; undefined and left out: TPOT of %d requests, NTPOT of %d", l.TPOT.Undefined, l.NTPOT.Undefined)
	}
	b.WriteString(layout.Paragraph("", text))
}

func lagPart(b *strings.Builder, l metrics.Latency) {
	g := &layout.Grid{}
	g.Add("ms", "mean", "p50", "p90", "p95", "p99", "p99.9", "max", "n")
	row := func(name string, d metrics.Dist) {
		g.Add(name, layout.Number(d.Mean), layout.Number(d.P50), layout.Number(d.P90), layout.Number(d.P95), layout.Number(d.P99), layout.Number(d.P999), layout.Number(d.Max), fmt.Sprint(d.N))
	}
	row("send lag", l.SendLag)
	row("client lag", l.ClientLag)
	row("connect", l.Connect)
	fmt.Fprintf(b, "\n%s", g)
}
