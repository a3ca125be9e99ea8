package tools

import (
	"io/fs"
	"math"

	"tare/analysis/audit"
)

var vegeta = Tool{
	Name: "vegeta", Executable: "vegeta", Arrivals: []Arrival{Constant},
	Install:  "go install github.com/tsenart/vegeta/v12@latest",
	commands: []string{"vegeta attack"},
	Conventions: Conventions{
		Version: "12.13.0",
		Start:   "when a worker sends: the time after the instant that was due is left out",
		End:     "end of the body", Trailer: true,
		Pacing: "absolute, equal gaps of whole nanoseconds; one pacer hands ticks to a growing pool of goroutines",
		Note:   "it reads no tokens",
	},
	recipe: func(p Params) Recipe {
		target := encode(map[string]any{
			"method": "POST", "url": p.completions(), "body": p.request(),
			"header": map[string][]string{"Content-Type": {"application/json"}},
		})
		return Recipe{
			Files: map[string][]byte{"vegeta-target.json": target},
			Args: []string{
				"vegeta", "attack", "-format", "json", "-targets", p.file("vegeta-target.json"),
				"-rate", vegetaRate(p.Rate), "-duration", p.Duration().String(), "-timeout", "5m",
				"-output", p.file("vegeta.bin"),
			},
			Then:   []string{"vegeta", "report", "-type", "json", "-output", p.file("vegeta.json"), p.file("vegeta.bin")},
			Result: "vegeta.json",
		}
	},
	read: readVegeta,
}

// vegetaRate is rate as a whole number of requests for a time.
func vegetaRate(rate float64) string {
	n, per := perSeconds(rate)
	return count(n) + "/" + count(per) + "s"
}

// readVegeta reads what vegeta report -type json prints. Its rate is that of
// its throughput, successes over the time to the last answer; the rate that it
// was asked for is not in it.
func readVegeta(fsys fs.FS, name string) (audit.Reported, error) {
	o, err := open(fsys, name)
	if err != nil {
		return audit.Reported{}, err
	}
	var r reported
	if sent, share := o.count("requests"), o.number("success", 1); sent != nil && share != nil {
		ok := int64(math.Round(*share * float64(*sent)))
		r.OK = &ok
		r.Failed = less(sent, &ok)
	}
	r.Rate = o.number("throughput", 1)
	if attack, wait := o.number("duration", 1e-9), o.number("wait", 1e-9); attack != nil && wait != nil {
		d := *attack + *wait
		r.Duration = &d
	}
	v, some := o.object("latencies").summary(ns, [5]string{"mean", "50th", "90th", "95th", "99th"})
	r.add(audit.E2E, "latencies", v, some && r.OK != nil && *r.OK+deref(r.Failed) > 0)
	if err := o.err(name); err != nil {
		return audit.Reported{}, err
	}
	return need(r, name, "requests and success")
}

func deref(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
