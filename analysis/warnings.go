package analysis

import (
	"fmt"

	"tare/analysis/metrics"
)

// Shares and counts from which a warning is due.
const (
	sharedReads   = 0.02 // of output events
	fewBusy       = 1000 // events that arrived busy: E[S] is known to 3 % at an SCV of 1
	tokenMismatch = 0.01 // between usage and counted tokens
)

// doubts collects warnings.
type doubts []Warning

func (d *doubts) add(path, format string, args ...any) {
	*d = append(*d, Warning{Path: path, Text: fmt.Sprintf(format, args...)})
}

// warnings names the figures that rest on little or mean less than they seem.
func (s *step) warnings(sum *Summary) []Warning {
	d := doubts{}
	d.thin(&sum.Latency)
	if share := sum.Client.SharedReads; share != nil && *share > sharedReads {
		d.add("client.shared_reads", "%.1f %% of output events shared their read with another: "+
			"their wire figures are upper bounds, their bias a lower one", 100**share)
	}
	for _, w := range sum.Client.Workers {
		if w.Busy != nil && *w.Busy < fewBusy {
			d.add(fmt.Sprintf("client.workers.%d", w.ID),
				"service figures rest on the %d output events that arrived busy", *w.Busy)
		}
	}
	if off := float64(s.usage - s.counted); max(off, -off) > tokenMismatch*float64(s.counted) {
		d.add("latency.itl", "usage counts %d tokens where output events seemed to carry %d: ITL is a figure per event", s.usage, s.counted)
	}
	return d
}

// thin warns of percentiles with too few requests behind them.
func (d *doubts) thin(l *metrics.Latency) {
	for _, x := range []struct {
		key  string
		dist metrics.Dist
	}{
		{"ttft", l.TTFT.Wire}, {"ttft_content", l.TTFTContent.Wire}, {"e2e", l.E2E.Wire}, {"tpot", l.TPOT.Wire},
		{"itl", l.ITL.Wire}, {"ntpot", l.NTPOT.Wire}, {"send_lag", l.SendLag}, {"client_lag", l.ClientLag},
	} {
		reliable, thin := x.dist.Thin()
		switch {
		case x.dist.N == 0 || !thin:
		case reliable == "":
			d.add("latency."+x.key, "%d values: fewer than ten lie beyond the median", x.dist.N)
		default:
			d.add("latency."+x.key, "%d values: fewer than ten lie beyond any percentile above %s", x.dist.N, reliable)
		}
	}
}
