package report

import (
	"fmt"
	"strings"

	"tare/analysis"
	"tare/analysis/layout"
)

// clientPart shows the client as a queue: what each worker had to do, and how
// long events waited, measured and by each model.
func clientPart(b *strings.Builder, c analysis.Client) {
	stamps := layout.Undefined
	if c.Stamps != nil {
		stamps = *c.Stamps
	}
	fmt.Fprintf(b, "\nclient      %s sharding, %s stamps, %s of events shared their read\n", c.Sharding, stamps, layout.Percent(c.SharedReads))
	load, queue := &layout.Grid{}, &layout.Grid{}
	load.Add("worker", "CPUs", "events/s", "a read", "ρ", "lag µs p50", "p99", "p99.9", "CPU s", "µs/request", "µs/event")
	queue.Add("worker", "E[S] µs", "SCV", "set-up", "SCV in", "W µs", "P–K", "Welch", "M[X]", "G/G/1", "E[V]", "ratio", "95 %")
	row := func(id, cpus string, h analysis.Handling, cost ...*float64) {
		cells := []string{id, cpus, layout.Number(h.Lambda), layout.Number(h.EventsPerRead), layout.Number(h.Rho), layout.Number(h.LagP50), layout.Number(h.LagP99), layout.Number(h.LagP999)}
		for _, x := range cost {
			cells = append(cells, layout.Number(x))
		}
		load.Add(cells...)
		queue.Add(id, layout.Number(h.ServiceMean), layout.Number(h.ServiceSCV), layout.Number(h.SetupMean), layout.Number(h.ArrivalSCV), layout.Number(h.Measured), layout.Number(h.PK),
			layout.Number(h.Setup), layout.Number(h.Batch), layout.Number(h.GG1), layout.Number(h.Workload), layout.Number(h.Ratio), ratioInterval(h.RatioLo, h.RatioHi))
	}
	for _, w := range c.Workers {
		row(fmt.Sprint(w.ID), list(w.CPUs), w.Handling, w.CPU, w.CPUPerRequest, w.CPUPerEvent)
	}
	if len(c.Workers) > 1 {
		row("all", "", c.Total)
	}
	fmt.Fprintf(b, "%s\n", load)
	if c.Total.Measured == nil {
		b.WriteString("waits       not measured: there is no single server, or no output event\n")
		return
	}
	b.WriteString(queue.String())
	legend := "W as measured, then by theory: Pollaczek–Khinchine, with set-up (Welch), in batches, for any arrivals; " +
		"E[V] = λ(E[SW] + E[S²]/2); ratio: W over Welch"
	if c.Total.MGM != nil {
		legend += fmt.Sprintf("; one queue for all workers (M/G/m) would wait %s µs", layout.Number(c.Total.MGM))
	}
	b.WriteString(layout.Paragraph("", legend))
}

// ratioInterval writes the bounds of a ratio.
func ratioInterval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return layout.Undefined
	}
	return fmt.Sprintf("%.2f–%.2f", *lo, *hi)
}
