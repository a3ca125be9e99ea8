package audit

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tare/analysis/layout"
)

// Table writes the result on one page for people: the verdict first, then what
// the server saw, then what the tool said of it. Lines have at most 100
// columns.
func (r Result) Table(w io.Writer) error {
	var b strings.Builder
	r.verdictPart(&b)
	r.askedPart(&b)
	r.trafficPart(&b)
	r.causePart(&b)
	r.truthPart(&b)
	r.biasPart(&b)
	r.notePart(&b)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func (r Result) verdictPart(b *strings.Builder) {
	fmt.Fprintf(b, "VERDICT: %s\n", strings.ToUpper(string(r.Verdict.Status)))
	for _, reason := range r.Verdict.Reasons {
		b.WriteString(layout.Item(reason))
	}
}

func (r Result) askedPart(b *strings.Builder) {
	a := r.Asked
	tool := "a load generator"
	if r.Reported != nil && r.Reported.Tool != "" {
		tool = strings.TrimSpace(r.Reported.Tool + " " + r.Reported.Version)
	}
	what := fmt.Sprintf("%s arrivals at %g requests/s", a.Law, a.Rate)
	if a.Law == Closed {
		what = fmt.Sprintf("a closed loop of %d", a.Concurrency)
	}
	if a.Requests > 0 {
		what += fmt.Sprintf(", %d requests", a.Requests)
	}
	if a.Duration > 0 {
		what += fmt.Sprintf(", %g s", a.Duration)
	}
	for _, k := range slices.Sorted(maps.Keys(a.Server)) {
		what += "; server's " + k + " " + a.Server[k]
	}
	fmt.Fprintf(b, "\n%s", layout.Wrap("asked       ", "            ", tool+": "+what))
}

func (r Result) trafficPart(b *strings.Builder) {
	t := r.Traffic
	share := ""
	if t.Share != nil {
		share = fmt.Sprintf(" (%.1f %%)", 100**t.Share)
	}
	fmt.Fprintf(b, "requests/s  %s delivered%s, %s ok, over %.3f s", layout.Number(t.Rate), share, layout.Number(t.OKRate), t.Window.Length)
	if t.Window.Trimmed > 0 {
		fmt.Fprintf(b, "; %d before the load left out", t.Window.Trimmed)
	}
	fmt.Fprintf(b, "\nrequests    %d arrived = %d ok + %d failed%s + %d cut by the client\n", t.Requests, t.OK, t.failures(), t.failed(), t.Cut)
	if len(t.PerSecond) > 0 {
		fmt.Fprintf(b, "each second %d to %d, CV %s, second half %s %%\n",
			slices.Min(t.PerSecond), slices.Max(t.PerSecond), layout.Number(t.RateCV), signed(scaled(t.Drift, 100)))
	}
	fmt.Fprintf(b, "arrivals    CV %s, ACF %s, IDC %s / %s / %s (10 / 50 / 200 ms), KS %s\n",
		layout.Number(t.Law.CV), layout.Number(t.Law.ACF1), layout.Number(t.Law.IDC10ms), layout.Number(t.Law.IDC50ms), layout.Number(t.Law.IDC200ms), layout.Number(t.Law.KSD))
	if t.Lag != nil {
		fmt.Fprintf(b, "lateness    p50 %s ms, p99 %s ms against the constant schedule\n", layout.Number(t.Lag.P50), layout.Number(t.Lag.P99))
	}
	fmt.Fprintf(b, "in flight   mean %s, at most %d, variance over mean %s\n", layout.Number(t.InFlight.Mean), t.InFlight.Max, layout.Number(t.InFlight.Dispersion))
	c := t.Connections
	fmt.Fprintf(b, "connections %d, %s requests on each, %d opened while another one was idle\n", c.Opened, layout.Number(c.Requests), c.OpenedIdle)
}

// failed lists the failures in brackets.
func (t Traffic) failed() string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(t.Failed)) {
		parts = append(parts, fmt.Sprintf("%d %s", t.Failed[k], k))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func (r Result) causePart(b *strings.Builder) {
	c := r.Client
	exit := layout.Undefined
	if c.Exit != nil {
		exit = fmt.Sprint(*c.Exit)
	}
	if c.TimedOut {
		exit = "none, it was ended"
	}
	fmt.Fprintf(b, "client      %s s of CPU in %s s on %d CPUs, busiest thread %s %%, exit status %s\n",
		layout.Number(c.CPU), layout.Number(c.Wall), c.CPUs, layout.Number(scaled(c.Busiest, 100)), exit)
	if l := r.Light; l != nil {
		fmt.Fprintf(b, "light run   %s requests/s delivered (%s %%), busiest thread %s %%\n",
			layout.Number(l.Rate), layout.Number(scaled(l.Share, 100)), layout.Number(scaled(l.Client.Busiest, 100)))
	}
	if r.Short.Cause != CauseNone {
		b.WriteString(layout.Wrap("shortfall   ", "            ", string(r.Short.Cause)+": "+r.Short.Text))
	}
}

func (r Result) truthPart(b *strings.Builder) {
	g := &layout.Grid{}
	g.Add("server, ms", "mean", "p50", "p90", "p95", "p99", "n")
	for _, m := range Metrics {
		d := r.Truth[m]
		g.Add(label(m), layout.Number(d.Mean), layout.Number(d.P50), layout.Number(d.P90), layout.Number(d.P95), layout.Number(d.P99), fmt.Sprint(d.N))
	}
	fmt.Fprintf(b, "\n%spercentiles of ITL are of the mean gap of each request\n", g)
}

func (r Result) biasPart(b *strings.Builder) {
	if len(r.Bias) == 0 {
		return
	}
	g := &layout.Grid{}
	g.Add("tool, ms", "mean", "p50", "p99", "bias mean", "p50", "p99", "factor", "explained", "own", "convention")
	for _, m := range Metrics {
		x, ok := r.Bias[m]
		if !ok {
			continue
		}
		explained, own := layout.Undefined, layout.Undefined
		if e, ok := x.key(x.Explained); ok && x.Status != FitNone {
			explained = signed(&e)
		}
		if o, ok := x.key(x.Own); ok && x.Status != FitNone {
			own = signed(&o)
		}
		g.Add(label(m), layout.Number(x.Reported.Mean), layout.Number(x.Reported.P50), layout.Number(x.Reported.P99),
			signed(x.Bias.Mean), signed(x.Bias.P50), signed(x.Bias.P99), x.factor(), explained, own, x.fit())
	}
	fmt.Fprintf(b, "\n%s", g)
	b.WriteString(layout.Wrap("", "", "bias = explained by the tool's convention + the client's own; these and the factor are of the median where it gives one, else of the mean; ?: other conventions give the same here"))
	for _, m := range Metrics {
		if x, ok := r.Bias[m]; ok {
			b.WriteString(layout.Item(label(m) + x.named() + ": " + x.explanation()))
		}
	}
}

// named is the tool's own name where it is another.
func (b *Bias) named() string {
	if strings.EqualFold(b.Name, string(b.metric)) {
		return ""
	}
	return " (" + b.Name + ")"
}

// factor is reported over truth, of the figure that the convention is told by.
func (b *Bias) factor() string {
	said, _ := b.key(b.Reported)
	truth, ok := b.key(b.Truth)
	if !ok || truth <= 0 {
		return layout.Undefined
	}
	return layout.Number(new(said / truth))
}

// fit is the convention as a cell.
func (b *Bias) fit() string {
	switch b.Status {
	case FitNone:
		return "none fits"
	case FitUnsure:
		return b.Convention + "?"
	}
	return b.Convention
}

// explanation is the convention in words.
func (b *Bias) explanation() string {
	like := ""
	if len(b.Like) > 0 {
		like = "; cannot be told apart here from " + strings.Join(b.Like, ", ")
	}
	if b.Status == FitNone {
		return "no known convention lies near"
	}
	return b.Text + like
}

func (r Result) notePart(b *strings.Builder) {
	first := true
	for _, f := range r.Findings {
		if slices.Contains(r.Verdict.Reasons, f.Text) {
			continue
		}
		if first {
			b.WriteString("\nalso found\n")
			first = false
		}
		b.WriteString(layout.Item(string(f.Severity) + ": " + f.Text))
	}
}

func label(m Metric) string { return strings.ToUpper(string(m)) }
