package analysis

import (
	"fmt"
	"math"
	"strings"

	"tare/analysis/arrival"
	"tare/analysis/metrics"
	"tare/analysis/ntpot"
	"tare/analysis/stats"
)

// Shares and counts from which a warning is due.
const (
	sharedReads   = 1.02 // output events a read, of any worker
	fewBusy       = 1000 // events that arrived busy: E[S] is known to 3 % at an SCV of 1
	tokenMismatch = 0.01 // between usage and counted tokens
)

// doubts collects warnings.
type doubts []Warning

func (d *doubts) add(path, format string, args ...any) {
	*d = append(*d, Warning{Path: path, Text: fmt.Sprintf(format, args...)})
}

// grounds are the doubts that were found on the way.
type grounds struct {
	short    map[string]metrics.Shortage // of requests behind percentiles
	findings []arrival.Finding
	parts    []ntpot.Doubt
}

// warnings names the figures that rest on little or mean less than they seem.
func (s *step) warnings(sum *Summary, g grounds) []Warning {
	d := doubts{}
	if !s.settings.Target.Stream {
		d.add("latency.ttft", "answers were not streamed: all that is known is when their last byte came, "+
			"so that there is E2E and NTPOT, and neither TTFT nor TPOT nor ITL")
	}
	for _, x := range g.findings {
		if s.isJitter(x) {
			d.add("load.arrival_test."+x.Figure, "%s; the schedule is kept, and send_lag says how late sends were", x.Text)
		}
	}
	d.thin(g.short)
	d.narrow(&sum.Latency)
	for _, x := range g.parts {
		d.add("ntpot_parts."+x.Key, "%s", x.Text)
	}
	d.reads(&sum.Client)
	d.busy(sum.Client.Workers)
	if off := float64(s.usage - s.counted); max(off, -off) > tokenMismatch*float64(s.counted) {
		d.add("latency.itl", "usage counts %d tokens where output events seemed to carry %d: ITL is a figure per event", s.usage, s.counted)
	}
	return d
}

// mainLatencies are the keys of the latencies that have Bounds, and the names
// that reports give them.
var mainLatencies = []struct{ key, name string }{
	{"ttft", "TTFT"}, {"e2e", "E2E"}, {"tpot", "TPOT"}, {"itl", "ITL"}, {"ntpot", "NTPOT"},
}

// thin warns of percentiles with too few requests behind them, all in one.
func (d *doubts) thin(short map[string]metrics.Shortage) {
	var parts []string
	for _, x := range mainLatencies {
		if s, ok := short[x.key]; ok {
			parts = append(parts, fmt.Sprintf("%s %s %.0f of %d", x.name, s.Percentile, math.Floor(s.Effective), s.Needed))
		}
	}
	if len(parts) > 0 {
		d.add("latency.*.wire", "too few requests for these percentiles and all above, in independent ones by batch means of those "+
			"needed to bound it with 99 %% confidence (MLPerf's early stopping): %s", strings.Join(parts, ", "))
	}
}

// narrow warns of intervals of a mean that rest on little.
func (d *doubts) narrow(l *metrics.Latency) {
	wires := []metrics.Dist{l.TTFT.Wire, l.E2E.Wire, l.TPOT.Wire, l.ITL.Wire, l.NTPOT.Wire}
	var parts []string
	for i, x := range mainLatencies {
		if b := wires[i].Bounds; b != nil && b.Effective != nil && *b.Effective < stats.MinEffective {
			parts = append(parts, fmt.Sprintf("%s %.0f", x.name, math.Floor(*b.Effective)))
		}
	}
	if len(parts) > 0 {
		d.add("latency.*.wire.mean_lo_ms", "neighbours in time are alike, so that intervals of means may be too narrow; independent requests of the %d wanted: %s",
			stats.MinEffective, strings.Join(parts, ", "))
	}
}

// reads warns of reads that several events share.
func (d *doubts) reads(c *Client) {
	most := 0.0
	for _, w := range c.Workers {
		if w.EventsPerRead != nil {
			most = max(most, *w.EventsPerRead)
		}
	}
	if most > sharedReads {
		d.add("client.shared_reads", "%.1f %% of output events shared their read with another, %.2f a read at the busiest worker, "+
			"and bear the newest one's stamp: wire figures are upper bounds, bias, client lag and measured waits lower ones, "+
			"and arrival_scv, wq_gg1_us and wq_batch_us are those of reads", 100**c.SharedReads, most)
	}
}

// busy warns of service figures that rest on few events.
func (d *doubts) busy(workers []Worker) {
	var ids, counts []string
	for _, w := range workers {
		if w.Busy != nil && *w.Busy < fewBusy {
			ids = append(ids, fmt.Sprint(w.ID))
			counts = append(counts, fmt.Sprint(*w.Busy))
		}
	}
	if len(ids) > 0 {
		d.add("client.workers."+braced(ids), "service figures rest on the output events that arrived busy, of which there are only %s",
			strings.Join(counts, ", "))
	}
}

// braced writes alternatives as a shell does, and one as it is.
func braced(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return "{" + strings.Join(names, ",") + "}"
}
