package metrics

import (
	"maps"
	"slices"

	"tare/ipc"
)

// Columns are the four views of one latency; the package comment draws them.
type Columns struct {
	Wire      Dist `json:"wire"`
	Observed  Dist `json:"observed"`
	Scheduled Dist `json:"scheduled"`
	Bias      Dist `json:"bias"`
}

// Ratio is a latency per token. Undefined counts the requests that have none
// and are left out.
type Ratio struct {
	Columns
	Undefined int64 `json:"undefined"`
}

// Latency holds the distributions of a run's latencies.
type Latency struct {
	TTFT        Columns  `json:"ttft"`         // to the first output event
	TTFTContent Columns  `json:"ttft_content"` // to the first visible text
	E2E         Columns  `json:"e2e"`          // to the last output event
	TPOT        Ratio    `json:"tpot"`         // (t_last − t₁)/(N − n₁)
	TPOTN1      *Columns `json:"tpot_n1"`      // (t_last − t₁)/(N − 1); nil where n₁ is 1 throughout
	ITL         Columns  `json:"itl"`          // gaps between output events
	ITLToken    *Columns `json:"itl_token"`    // gap/n, n times; nil where every event carries one token
	NTPOT       Ratio    `json:"ntpot"`        // E2E/N
	SendLag     Dist     `json:"send_lag"`     // s − a
	ClientLag   Dist     `json:"client_lag"`   // u − k of each output event
	Connect     Dist     `json:"connect"`      // dial and TLS, of requests that waited for it
}

// MaxEventTokens is the greatest number of tokens that an event may claim and
// still be spread over in ITLToken; MaxInstant the greatest distance of an
// instant from the epoch in ns, 13 days. Within both, no sum or product of the
// package overflows.
const (
	MaxEventTokens = 1 << 11
	MaxInstant     = 1 << 50
)

// columns collects one latency that has a start.
type columns struct{ wire, observed, scheduled, bias Column }

// add books the way from the starts of q to the ends of e.
func (c *columns) add(q Request, e ipc.Event) {
	c.wire.Add(e.Arrival - q.Sent)
	c.observed.Add(e.Handled - q.Sent)
	c.scheduled.Add(e.Arrival - q.Scheduled)
	c.bias.Add(e.Handled - e.Arrival)
}

// addPer books the same way divided by n tokens.
func (c *columns) addPer(q Request, e ipc.Event, n int64) {
	c.wire.Add(quotient(e.Arrival-q.Sent, n))
	c.observed.Add(quotient(e.Handled-q.Sent, n))
	c.scheduled.Add(quotient(e.Arrival-q.Scheduled, n))
	c.bias.Add(quotient(e.Handled-e.Arrival, n))
}

func (c *columns) dists(of func(...*Column) mixture) Columns {
	return Columns{
		Wire:      distOf(of(&c.wire)),
		Observed:  distOf(of(&c.observed)),
		Scheduled: distOf(of(&c.scheduled)),
		Bias:      distOf(of(&c.bias)),
	}
}

// spans collects times between two events, which have no start of their own.
type spans struct{ wire, observed, bias Column }

// add books the span from one event to another, divided by n tokens.
func (s *spans) addPer(from, to ipc.Event, n int64) {
	wire, observed := to.Arrival-from.Arrival, to.Handled-from.Handled
	s.wire.Add(quotient(wire, n))
	s.observed.Add(quotient(observed, n))
	s.bias.Add(quotient(observed-wire, n))
}

// columnsOf takes each column of several spans together; scheduled is wire.
func columnsOf(of func(...*Column) mixture, all ...*spans) Columns {
	var wire, observed, bias []*Column
	for _, s := range all {
		wire = append(wire, &s.wire)
		observed = append(observed, &s.observed)
		bias = append(bias, &s.bias)
	}
	d := Columns{Wire: distOf(of(wire...)), Observed: distOf(of(observed...)), Bias: distOf(of(bias...))}
	d.Scheduled = d.Wire
	return d
}

// A LatencyCollector takes requests that succeeded and gives their latencies.
// The zero value is empty.
type LatencyCollector struct {
	ttft, text, e2e, ntpot     columns
	single, several, severalN1 spans // TPOT by n₁ = 1 or not; of the latter also over N − 1
	noTPOT, noNTPOT            int64
	gaps                       map[int64]*spans // ITL by the tokens of the gap's event
	sendLag, dial              Column
	lags                       map[int]*Column // client lag by worker

	rows   thinned[Row] // for what needs the order of time
	sample thinned[gap]
}

// Add books one request that a worker sent.
func (c *LatencyCollector) Add(worker int, q Request) {
	c.rows.add(hashOf(q.Index, 0), NewRow(q))
	c.sendLag.Add(q.Sent - q.Scheduled)
	if q.Connect != ipc.Unknown {
		c.dial.Add(q.Connect)
	}
	if e, ok := q.First(); ok {
		c.ttft.add(q, e)
	}
	if e, ok := q.FirstText(); ok {
		c.text.add(q, e)
	}
	c.addTotal(q)
	c.addDecoding(q)
	c.addEvents(q, c.lagOf(worker))
}

// addTotal books E2E and NTPOT.
func (c *LatencyCollector) addTotal(q Request) {
	e, ok := q.Last()
	if ok {
		c.e2e.add(q, e)
	}
	if ok && q.Tokens > 0 {
		c.ntpot.addPer(q, e, q.Tokens)
	} else {
		c.noNTPOT++
	}
}

// addDecoding books TPOT.
func (c *LatencyCollector) addDecoding(q Request) {
	first, last, tokens, ok := q.decoding()
	switch {
	case !ok:
		c.noTPOT++
	case first.Tokens == 1:
		c.single.addPer(first, last, tokens)
	default:
		c.several.addPer(first, last, tokens)
		if q.Tokens > 1 {
			c.severalN1.addPer(first, last, q.Tokens-1)
		}
	}
}

// addEvents books ITL and client lag. A gap is a wire figure only where both
// its events were alone in their reads: otherwise the kernel's stamp is that of
// a later segment.
func (c *LatencyCollector) addEvents(q Request, lag *Column) {
	for i := range q.Output {
		e := &q.Output[i]
		lag.Add(e.Read - e.Arrival)
		if i == 0 || q.Unary {
			continue
		}
		before, s := &q.Output[i-1], c.gapsOf(e.Tokens)
		observed := e.Handled - before.Handled
		s.observed.Add(observed)
		single := e.Alone && before.Alone
		if single {
			wire := e.Arrival - before.Arrival
			s.wire.Add(wire)
			s.bias.Add(observed - wire)
		}
		if h := hashOf(q.Index, int64(i)); c.sample.takes(h) {
			c.sample.add(h, gap{at: e.Arrival, single: single, four: span(stampsOf(*before), stampsOf(*e), 1)})
		}
	}
}

// lagOf returns the client lag of a worker.
func (c *LatencyCollector) lagOf(worker int) *Column {
	if c.lags == nil {
		c.lags = make(map[int]*Column)
	}
	if c.lags[worker] == nil {
		c.lags[worker] = new(Column)
	}
	return c.lags[worker]
}

// ClientLag is u − k of the output events of one worker. Nothing may be added
// after it.
func (c *LatencyCollector) ClientLag(worker int) Dist { return distOf(whole(c.lagOf(worker))) }

// gapsOf returns the gaps of events of n tokens. Events of no token and of
// more than MaxEventTokens, which only a broken usage count claims, share the
// key 0: they have gaps, but none to spread over tokens.
func (c *LatencyCollector) gapsOf(n int64) *spans {
	if n < 1 || n > MaxEventTokens {
		n = 0
	}
	if c.gaps == nil {
		c.gaps = make(map[int64]*spans)
	}
	s := c.gaps[n]
	if s == nil {
		s = new(spans)
		c.gaps[n] = s
	}
	return s
}

// Latency returns the distributions, those of TTFT, E2E, TPOT, ITL and NTPOT
// without their Bounds. Nothing may be added after it.
func (c *LatencyCollector) Latency() Latency {
	l := Latency{
		TTFT:        c.ttft.dists(whole),
		TTFTContent: c.text.dists(whole),
		E2E:         c.e2e.dists(whole),
		TPOT:        Ratio{Columns: columnsOf(quotients, &c.single, &c.several), Undefined: c.noTPOT},
		NTPOT:       Ratio{Columns: c.ntpot.dists(quotients), Undefined: c.noNTPOT},
		ITL:         columnsOf(whole, c.allGaps()...),
		SendLag:     distOf(whole(&c.sendLag)),
		ClientLag:   distOf(whole(c.allLags()...)),
		Connect:     distOf(whole(&c.dial)),
	}
	if c.several.wire.Len() > 0 {
		l.TPOTN1 = new(columnsOf(quotients, &c.single, &c.severalN1))
	}
	if l.ITL.Observed.N > c.gapsOf(1).observed.Len() {
		l.ITLToken = new(c.perToken())
	}
	return l
}

func (c *LatencyCollector) allLags() []*Column {
	var all []*Column
	for _, id := range slices.Sorted(maps.Keys(c.lags)) {
		all = append(all, c.lags[id])
	}
	return all
}

// allGaps returns the gaps in the order of tokens, so that sums are always
// taken in one order.
func (c *LatencyCollector) allGaps() []*spans {
	var all []*spans
	for _, n := range slices.Sorted(maps.Keys(c.gaps)) {
		all = append(all, c.gaps[n])
	}
	return all
}

// perToken spreads each gap evenly over the tokens of the event that ends it.
func (c *LatencyCollector) perToken() Columns {
	spread := func(column func(*spans) *Column) Dist {
		m := mixture{}
		for _, n := range slices.Sorted(maps.Keys(c.gaps)) {
			if k := column(c.gaps[n]); n > 0 && k.Len() > 0 {
				m.parts = append(m.parts, part{column: k, tokens: n})
			}
		}
		return distOf(m)
	}
	d := Columns{
		Wire:     spread(func(s *spans) *Column { return &s.wire }),
		Observed: spread(func(s *spans) *Column { return &s.observed }),
		Bias:     spread(func(s *spans) *Column { return &s.bias }),
	}
	d.Scheduled = d.Wire
	return d
}

// Bound gives the main latencies their Bounds. It returns what there are too
// few requests for, by the key of the latency.
func (c *LatencyCollector) Bound(l *Latency) map[string]Shortage {
	short := map[string]Shortage{}
	rows, gaps := c.Rows(), c.sortedGaps()
	note := func(key string, s *Shortage) {
		if s != nil {
			short[key] = *s
		}
	}
	of := func(columns *Columns, same bool, latency func(*Row) (four, bool)) *Shortage {
		return columns.bound(len(rows), same, func(i, column int) (float64, bool) {
			v, ok := latency(&rows[i])
			return v[column], ok
		})
	}
	note("ttft", of(&l.TTFT, false, (*Row).ttft))
	note("e2e", of(&l.E2E, false, (*Row).e2e))
	note("tpot", of(&l.TPOT.Columns, true, (*Row).tpot))
	note("ntpot", of(&l.NTPOT.Columns, false, (*Row).ntpot))
	note("itl", l.ITL.bound(len(gaps), true, func(i, column int) (float64, bool) { return gaps[i].item.column(column) }))
	return short
}
