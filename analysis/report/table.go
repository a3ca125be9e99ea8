package report

import (
	"fmt"
	"io"
	"strings"

	"tare/analysis"
	"tare/analysis/layout"
	"tare/analysis/metrics"
	"tare/analysis/verdict"
	"tare/ipc"
)

// Table writes a summary for people: the verdict first, then load, latencies,
// client and doubts. Lines have at most 100 columns.
func Table(w io.Writer, s analysis.Summary) error {
	var b strings.Builder
	verdictPart(&b, s.Verdict)
	emulationPart(&b, s.Client.Emulation)
	loadPart(&b, s)
	latencyPart(&b, s.Latency)
	ntpotTable(&b, s.NTPOTParts)
	untilPart(&b, s.Until)
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
		b.WriteString(layout.Item(reason))
	}
	if v.Summary != "" {
		b.WriteString(layout.Paragraph("  ", v.Summary))
	}
}

func emulationPart(b *strings.Builder, e *analysis.Emulation) {
	if e != nil {
		b.WriteString(layout.Paragraph("", fmt.Sprintf(
			"EMULATION of a slow client: %s (%s) is added to each output event. Its figures are not this client's.", e.ServiceTime, e.Mode)))
	}
}

func untilPart(b *strings.Builder, u *analysis.Until) {
	if u != nil {
		fmt.Fprintf(b, "\ngoal %s: %s\n", u.Goal, u.State)
		b.WriteString(layout.Item(u.Reason))
	}
}

func loadPart(b *strings.Builder, s analysis.Summary) {
	l := s.Load
	asked := "closed loop"
	if l.RequestedRate != nil {
		asked = layout.Number(l.RequestedRate) + " asked"
	}
	fmt.Fprintf(b, "\nrequests/s  %s, %s sent, %s ok (steady window %.3f to %.3f s)\n",
		asked, layout.Number(l.AchievedRate), layout.Number(l.DeliveredRate), l.Window.From, l.Window.To)
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
		fmt.Fprintf(b, "SLO         goodput %s requests/s, attained by %s\n", layout.Number(s.SLO.Goodput), layout.Percent(s.SLO.Attained))
	}
}

func tokenPart(b *strings.Builder, t metrics.Tokens) {
	n := t.Source.Usage + t.Source.Events + t.Source.Requested
	fmt.Fprintf(b, "tokens      %d in, %d out, %s out/s", t.Input, t.Output, layout.Number(t.OutputRate))
	if n > 0 {
		share := func(k int64) float64 { return 100 * float64(k) / float64(n) }
		fmt.Fprintf(b, " (counted by usage %.0f %%, events %.0f %%, as asked %.0f %%)",
			share(t.Source.Usage), share(t.Source.Events), share(t.Source.Requested))
	}
	b.WriteByte('\n')
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
			b.WriteString(layout.Item(strings.Join(p, ", ") + ": " + x.Text))
		}
	}
}

func thresholdPart(b *strings.Builder, t verdict.Thresholds) {
	fmt.Fprintf(b, "\nlimits      lag p99: suspect above max(%.0f %% of TTFT p99, %g ms), biased above max(%.0f %%, %g ms)\n",
		100*t.SuspectLagShare, t.SuspectLag, 100*t.BiasedLagShare, t.BiasedLag)
	fmt.Fprintf(b, "            biased: ρ above %g, sent below %.0f %% of planned, anything lost\n", t.Rho, 100*t.SentShare)
	fmt.Fprintf(b, "            suspect: clock steps above %g µs, GC stops above %.0f %%, events without stamp above %.0f %%,\n",
		t.ClockStep, 100*t.GCShare, 100*t.Unstamped)
	fmt.Fprintf(b, "            throttled periods above %d; sends off their law: CV by %.0f %%, ACF by %g, IDC by %g,\n",
		t.Throttled, 100*t.ArrivalCV, t.ArrivalACF1, t.ArrivalIDC)
	fmt.Fprintf(b, "            Kolmogorov distance above %g, lag growing by %g ms\n", t.ArrivalKS, t.ArrivalDrift)
}
