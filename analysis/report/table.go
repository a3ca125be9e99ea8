package report

import (
	"fmt"
	"io"
	"strings"

	"tare/analysis"
	"tare/analysis/metrics"
	"tare/analysis/verdict"
	"tare/ipc"
)

// Table writes a summary for people: the verdict first, then load, latencies,
// client and doubts. Lines have at most 100 columns.
func Table(w io.Writer, s analysis.Summary) error {
	var b strings.Builder
	verdictPart(&b, s.Verdict)
	loadPart(&b, s)
	latencyPart(&b, s.Latency)
	clientPart(&b, s.Client)
	warningPart(&b, s.Warnings)
	thresholdPart(&b, s.Verdict.Thresholds)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func verdictPart(b *strings.Builder, v verdict.Verdict) {
	fmt.Fprintf(b, "VERDICT: %s\n", strings.ToUpper(string(v.Status)))
	for _, reason := range v.Reasons {
		b.WriteString(item(reason))
	}
}

func loadPart(b *strings.Builder, s analysis.Summary) {
	l := s.Load
	asked := "closed loop"
	if l.RequestedRate != nil {
		asked = number(l.RequestedRate) + " asked"
	}
	fmt.Fprintf(b, "\nrequests/s  %s, %s sent, %s ok (steady window %.3f to %.3f s)\n",
		asked, number(l.AchievedRate), number(l.DeliveredRate), l.Window.From, l.Window.To)
	fmt.Fprintf(b, "ledger      %d planned = %d ok + %d failed + %d dropped + %d lost\n",
		l.Planned, l.OK, l.Failed, l.Dropped, l.Lost)
	var classes []string
	for _, c := range ipc.FailureClasses() {
		if n := l.Errors[c.String()]; n > 0 {
			classes = append(classes, fmt.Sprintf("%d %s", n, c))
		}
	}
	if len(classes) > 0 {
		fmt.Fprintf(b, "failures    %s\n", strings.Join(classes, ", "))
	}
	if l.EmptyAnswers > 0 {
		fmt.Fprintf(b, "empty       %d answers without output\n", l.EmptyAnswers)
	}
	tokenPart(b, s.Tokens)
	if s.SLO.Attained != nil || s.SLO.Goodput != nil {
		fmt.Fprintf(b, "SLO         goodput %s requests/s, attained by %s\n", number(s.SLO.Goodput), percent(s.SLO.Attained))
	}
}

func tokenPart(b *strings.Builder, t metrics.Tokens) {
	n := t.Source.Usage + t.Source.Events + t.Source.Requested
	fmt.Fprintf(b, "tokens      %d in, %d out, %s out/s", t.Input, t.Output, number(t.OutputRate))
	if n > 0 {
		share := func(k int64) float64 { return 100 * float64(k) / float64(n) }
		fmt.Fprintf(b, " (counted by usage %.0f %%, events %.0f %%, as asked %.0f %%)",
			share(t.Source.Usage), share(t.Source.Events), share(t.Source.Requested))
	}
	b.WriteByte('\n')
}

func latencyPart(b *strings.Builder, l metrics.Latency) {
	g := &grid{}
	g.add("ms", "wire", "", "", "observed", "", "scheduled", "", "bias", "", "")
	g.add("", "mean", "p50", "p99", "p50", "p99", "p50", "p99", "p50", "p99", "n")
	row := func(name string, c metrics.Columns) {
		g.add(name, number(c.Wire.Mean), number(c.Wire.P50), number(c.Wire.P99),
			number(c.Observed.P50), number(c.Observed.P99), number(c.Scheduled.P50), number(c.Scheduled.P99),
			number(c.Bias.P50), number(c.Bias.P99), fmt.Sprint(c.Wire.N))
	}
	row("TTFT", l.TTFT)
	row("TTFT content", l.TTFTContent)
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
	if l.TPOT.Undefined+l.NTPOT.Undefined > 0 {
		fmt.Fprintf(b, "undefined and left out: TPOT of %d requests, NTPOT of %d\n", l.TPOT.Undefined, l.NTPOT.Undefined)
	}
	lagPart(b, l)
}

func lagPart(b *strings.Builder, l metrics.Latency) {
	g := &grid{}
	g.add("ms", "mean", "p50", "p90", "p95", "p99", "p99.9", "max", "n")
	row := func(name string, d metrics.Dist) {
		g.add(name, number(d.Mean), number(d.P50), number(d.P90), number(d.P95), number(d.P99), number(d.P999), number(d.Max), fmt.Sprint(d.N))
	}
	row("send lag", l.SendLag)
	row("client lag", l.ClientLag)
	row("connect", l.Connect)
	fmt.Fprintf(b, "\n%s", g)
}

func clientPart(b *strings.Builder, c analysis.Client) {
	stamps := undefined
	if c.Stamps != nil {
		stamps = *c.Stamps
	}
	fmt.Fprintf(b, "\nclient      %s sharding, %s stamps, %s of events shared their read\n", c.Sharding, stamps, percent(c.SharedReads))
	cpu := &grid{}
	cpu.add("worker", "CPUs", "events/s", "ρ", "CPU s", "µs/request", "µs/event")
	queue := &grid{}
	queue.add("worker", "E[S] µs", "SCV", "set-up", "busy", "W µs", "P–K", "Welch", "batch", "ratio", "95 %")
	for _, w := range c.Workers {
		id := fmt.Sprint(w.ID)
		cpu.add(id, list(w.CPUs), number(w.Lambda), number(w.Rho), number(w.CPU), number(w.CPUPerRequest), number(w.CPUPerEvent))
		queue.add(id, number(w.ServiceMean), number(w.ServiceSCV), number(w.SetupMean), count(w.Busy),
			number(w.Measured), number(w.PK), number(w.Setup), number(w.Batch), number(w.Ratio), interval(w.RatioLo, w.RatioHi))
	}
	fmt.Fprintf(b, "%s\n%s", cpu, queue)
}

func count(n *int64) string {
	if n == nil {
		return undefined
	}
	return fmt.Sprint(*n)
}

func interval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return undefined
	}
	return fmt.Sprintf("%.2f to %.2f", *lo, *hi)
}

// warningPart prints one line for all figures of one doubt.
func warningPart(b *strings.Builder, warnings []analysis.Warning) {
	if len(warnings) > 0 {
		b.WriteString("\nwarnings\n")
	}
	paths := map[string][]string{}
	for _, x := range warnings {
		paths[x.Text] = append(paths[x.Text], x.Path)
	}
	for _, x := range warnings {
		if p := paths[x.Text]; p[0] == x.Path {
			b.WriteString(item(strings.Join(p, ", ") + ": " + x.Text))
		}
	}
}

func thresholdPart(b *strings.Builder, t verdict.Thresholds) {
	fmt.Fprintf(b, "\nlimits      lag p99: suspect above max(%.0f %% of TTFT p99, %g ms), biased above max(%.0f %%, %g ms)\n",
		100*t.SuspectLagShare, t.SuspectLag, 100*t.BiasedLagShare, t.BiasedLag)
	fmt.Fprintf(b, "            biased: ρ above %g, sent below %.0f %% of planned, anything lost\n", t.Rho, 100*t.SentShare)
	fmt.Fprintf(b, "            suspect: clock steps above %g µs, GC stops above %.0f %%, events without stamp above %.0f %%\n",
		t.ClockStep, 100*t.GCShare, 100*t.Unstamped)
}
