package tools

import (
	"fmt"
	"io/fs"
	"math"

	"tare/analysis/audit"
)

var k6 = Tool{
	Name: "k6", Executable: "k6", Arrivals: []Arrival{Constant},
	Install:  "from its project's packages, under its own licence (AGPL)",
	commands: []string{"k6 run"},
	Conventions: Conventions{
		Version: "1.3",
		Start:   "when the request is sent: waits for a connection, DNS, connect and TLS are apart",
		End:     "end of the body", Trailer: true,
		Pacing: "absolute, equal gaps; with no virtual user free an iteration is dropped and counted in dropped_iterations",
		Note:   "what was dropped is not in its latencies; it reads no tokens",
	},
	recipe: func(p Params) Recipe {
		return Recipe{
			Args:   []string{"k6", "run", "--summary-export", p.file("k6.json"), p.file("k6.js")},
			Env:    []string{"K6_NO_USAGE_REPORT=true"},
			Files:  map[string][]byte{"k6.js": k6Script(p)},
			Result: "k6.json",
		}
	},
	read: readK6,
}

// k6Script sends one request an iteration.
func k6Script(p Params) []byte {
	n, per := perSeconds(p.Rate)
	return fmt.Appendf(nil, `import http from 'k6/http';

export const options = {
  discardResponseBodies: true,
  summaryTrendStats: ['avg', 'med', 'p(90)', 'p(95)', 'p(99)'],
  scenarios: {
    main: {
      executor: 'constant-arrival-rate', rate: %d, timeUnit: '%ds', duration: '%ds',
      preAllocatedVUs: %d, maxVUs: %d,
    },
  },
};

const body = %s;
const params = { headers: { 'Content-Type': 'application/json' } };

export default function () {
  http.post('%s', body, params);
}
`, n, per, p.seconds(), p.InFlight, 2*p.InFlight, encode(string(p.request()))[:len(encode(string(p.request())))-1], p.completions())
}

// perSeconds is rate as a whole number for each so many seconds, which is what
// k6 takes: exact to a thousandth of a request a second.
func perSeconds(rate float64) (n, seconds int) {
	for seconds = 1; seconds < 1000; seconds *= 10 {
		if v := rate * float64(seconds); v == math.Trunc(v) {
			break
		}
	}
	return int(math.Round(rate * float64(seconds))), seconds
}

// readK6 reads what --summary-export writes, or the data that a handleSummary
// saved as JSON: there the figures of a metric lie one level deeper.
func readK6(fsys fs.FS, name string) (audit.Reported, error) {
	o, err := open(fsys, name)
	if err != nil {
		return audit.Reported{}, err
	}
	metric := func(key string) object {
		m := o.object("metrics", key)
		if _, deep := m.fields["values"]; deep {
			return m.object("values")
		}
		return m
	}
	var r reported
	// http_req_failed is a rate of failures: what passes has failed.
	r.Failed = metric("http_req_failed").count("passes")
	sent := metric("http_reqs")
	r.OK, r.Rate = less(sent.count("count"), r.Failed), sent.number("rate", 1)
	if t := o.object("state").number("testRunDurationMs", 1e-3); t != nil {
		r.Duration = t
	}
	v, some := metric("http_req_duration").summary(ms, [5]string{"avg", "med", "p(90)", "p(95)", "p(99)"})
	r.add(audit.E2E, "http_req_duration", v, some)
	if err := o.err(name); err != nil {
		return audit.Reported{}, err
	}
	return need(r, name, "metrics.http_reqs and metrics.http_req_failed")
}
