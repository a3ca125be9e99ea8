package report

import (
	"fmt"
	"strings"

	"tare/analysis"
	"tare/analysis/layout"
	"tare/analysis/servermetrics"
)

// bounded is a figure with its interval.
type bounded struct{ value, lo, hi *float64 }

func (x bounded) cells() (value, bounds string) {
	if x.value == nil {
		return "", ""
	}
	return layout.Number(x.value), interval(x.lo, x.hi)
}

// ntpotPart is one row of the table of parts.
type ntpotPart struct {
	name    string
	request bounded  // mean a request
	token   bounded  // slope a token
	of      *float64 // of NTPOT
	said    *float64 // the server's own mean a request
}

// partsOf lists the parts of which there is a figure.
func partsOf(p *analysis.NTPOTParts) []ntpotPart {
	said := servermetrics.Server{}
	if p.Server != nil {
		said = *p.Server
	}
	whole := ntpotPart{name: "TTFT", request: bounded{p.TTFT, p.TTFTLo, p.TTFTHi}, of: p.Of.TTFT, said: said.TTFT}
	rows := []ntpotPart{
		{name: "queue + fixed", request: bounded{p.QueueFixed, p.QueueFixedLo, p.QueueFixedHi}, of: p.Of.QueueFixed},
		{name: "  queue", request: bounded{p.Queue, p.QueueLo, p.QueueHi}, of: p.Of.Queue, said: said.Queue},
		{name: "  fixed", request: bounded{p.Fixed, p.FixedLo, p.FixedHi}, of: p.Of.Fixed},
		{name: "prefill", request: bounded{value: p.Prefill}, token: bounded{p.PrefillToken, p.PrefillTokenLo, p.PrefillTokenHi}, of: p.Of.Prefill, said: said.Prefill},
		{name: "decode", request: bounded{value: p.Decode}, token: bounded{p.DecodeToken, p.DecodeTokenLo, p.DecodeTokenHi}, of: p.Of.Decode, said: said.Decode},
		{name: "residual", of: p.Of.Residual},
		{name: "NTPOT", of: p.NTPOT},
	}
	if p.QueueFixed == nil {
		rows = append([]ntpotPart{whole}, rows...)
	}
	var kept []ntpotPart
	for _, r := range rows {
		if r.request.value != nil || r.of != nil || r.said != nil {
			kept = append(kept, r)
		}
	}
	return kept
}

// ntpotTable shows what NTPOT is made of.
func ntpotTable(b *strings.Builder, p *analysis.NTPOTParts) {
	if p == nil {
		return
	}
	g := &layout.Grid{}
	head := []string{"NTPOT parts, ms", "a request", "95 %", "a token", "95 %", "of NTPOT", ""}
	if p.Server != nil {
		head = append(head, "server says")
	}
	g.Add(head...)
	for _, r := range partsOf(p) {
		request, requestBounds := r.request.cells()
		token, tokenBounds := r.token.cells()
		of, _ := bounded{value: r.of}.cells()
		cells := []string{r.name, request, requestBounds, token, tokenBounds, of, shareOf(r.of, p.NTPOT)}
		if p.Server != nil {
			said, _ := bounded{value: r.said}.cells()
			cells = append(cells, said)
		}
		g.Add(cells...)
	}
	fmt.Fprintf(b, "\n%s", g)
	var notes []string
	if p.Baseline != nil {
		notes = append(notes, "fixed cost from the idle run "+p.Baseline.Dir)
	}
	if p.Server != nil {
		notes = append(notes, "the server is "+p.Server.Engine)
	}
	if len(notes) > 0 {
		b.WriteString(layout.Paragraph("", strings.Join(notes, "; ")))
	}
}

// shareOf writes a part of a whole; "" where there is none.
func shareOf(part, whole *float64) string {
	if part == nil || whole == nil || *whole <= 0 {
		return ""
	}
	return layout.PositiveZero(fmt.Sprintf("%.0f %%", 100**part / *whole))
}
