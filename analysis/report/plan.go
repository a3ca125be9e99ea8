package report

import (
	"fmt"
	"io"
	"strings"

	"tare/analysis/capacity"
	"tare/analysis/layout"
)

// Plan writes a plan for people: what is needed first, then what each worker
// and node has to do, what bounds it and what it rests on. Lines have at most
// 100 columns.
func Plan(w io.Writer, p capacity.Plan) error {
	var b strings.Builder
	needPart(&b, p)
	sharePart(&b, p)
	limitPart(&b, p.Limits)
	lawPart(&b, p.Law)
	if len(p.Warnings) > 0 {
		b.WriteString("\nwarnings\n")
	}
	for _, text := range p.Warnings {
		b.WriteString(layout.Item(text))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// needPart answers the question that was asked.
func needPart(b *strings.Builder, p capacity.Plan) {
	load := fmt.Sprintf("%s requests/s of %s output events", layout.Number(&p.Rate), plain(p.Events))
	if p.Asked {
		fmt.Fprintf(b, "PLAN: %s need %s on %s\n", load, several(p.Workers, "worker"), several(p.Nodes, "node"))
		fmt.Fprintf(b, "%sa node carries up to %s requests/s\n", indent, layout.Number(&p.Highest))
	} else {
		fmt.Fprintf(b, "PLAN: a node carries up to %s, with %s\n", load, several(p.Workers, "worker"))
	}
	fmt.Fprintf(b, "%s\n", layout.Paragraph(indent, binding(p.Limits)))
}

// indent is the place of text beside a label.
const indent = "            "

// binding says which limit is met first and what comes next.
func binding(limits []capacity.Limit) string {
	text := fmt.Sprintf("bound by %s", limits[0].Text)
	if len(limits) > 1 {
		text += fmt.Sprintf("; next, at %s requests/s of a node: %s", layout.Number(&limits[1].Rate), limits[1].Text)
	}
	return text
}

func sharePart(b *strings.Builder, p capacity.Plan) {
	w, n := p.Worker, p.Node
	fmt.Fprintf(b, "each worker %s requests/s, %s output events/s\n", layout.Number(&w.Rate), layout.Number(&w.Lambda))
	sends := w.Load - w.Rho
	fmt.Fprintf(b, "%sload %s of its CPU: ρ %s by events, %s by sends\n", indent, layout.Number(&w.Load), layout.Number(&w.Rho), layout.Number(&sends))
	fmt.Fprintf(b, "%swait W_q: mean %s µs; p99 %s µs in order, %s µs last come first served\n",
		indent, layout.Number(&w.Wait), layout.Number(&w.P99), layout.Number(&w.Last))
	if w.Flight != nil {
		fmt.Fprintf(b, "%s%s requests in flight, %s of memory\n", indent, layout.Number(w.Flight), size(*w.Memory))
	}
	fmt.Fprintf(b, "each node   %s, %s requests/s\n", several(n.Workers, "worker"), layout.Number(&n.Rate))
	if n.Flight != nil {
		fmt.Fprintf(b, "%s%s connections, each a file and a port; %s of memory\n", indent, layout.Number(n.Flight), size(*n.Memory))
	} else {
		fmt.Fprintf(b, "%sconnections, files, ports and memory follow from the time in flight: give --e2e\n", indent)
	}
	fmt.Fprintf(b, "%snetwork %s/s in, %s/s out; records %s/s to disk\n", indent, size(n.In), size(n.Out), size(n.Records))
	fmt.Fprintf(b, "%s(%s B a request, %s B an output event, %s B the rest of an answer, 66 B a segment)\n",
		indent, plain(p.Wire.Request), plain(p.Wire.Event), plain(p.Wire.Answer))
}

func limitPart(b *strings.Builder, limits []capacity.Limit) {
	b.WriteString("\nlimits of a node, requests/s\n")
	for _, l := range limits {
		fmt.Fprintf(b, "%12s  %s\n", layout.Number(&l.Rate), l.Text)
	}
}

func lawPart(b *strings.Builder, l capacity.Law) {
	fmt.Fprintf(b, "\nlaw         E[S] %s µs, SCV %.2f; set-up %.1f µs; %.1f µs a request beside its events\n",
		layout.Number(&l.ServiceMean), l.SCV(), l.Setup(), l.Send)
	fmt.Fprintf(b, "%smeasured with %s events/s and %s µs of CPU a request of %s events at a worker\n",
		indent, layout.Number(&l.Lambda), layout.Number(&l.CPU), plain(l.Events))
	fmt.Fprintf(b, "%sthere the model predicts a mean wait of %s µs, and %s µs were measured\n",
		indent, layout.Number(l.WaitPredicted), layout.Number(&l.WaitMeasured))
	b.WriteString(layout.Paragraph(indent, fmt.Sprintf("%d events that arrived busy, %s on %s (%s), in %s",
		l.Busy, l.Measured.UTC().Format("2006-01-02 15:04 UTC"), l.Host, l.CPUModel, l.Source)))
}

// plain writes a count that may have a fraction.
func plain(x float64) string { return fmt.Sprintf("%.4g", x) }

// several counts things.
func several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// size writes bytes in powers of 1000.
func size(x float64) string {
	for _, unit := range []struct {
		bytes float64
		name  string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if x >= unit.bytes {
			return fmt.Sprintf("%.3g %s", x/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%.0f B", x)
}
