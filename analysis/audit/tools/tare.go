package tools

import (
	"io/fs"
	"path"

	"tare/analysis/audit"
)

var tare = Tool{
	Name: "tare", Executable: "tare", Arrivals: []Arrival{Poisson, Constant}, Workers: true,
	Install:  "it is this program",
	commands: []string{"tare run"},
	Conventions: Conventions{
		Version:    "this one",
		Start:      "just before the first byte of the request is written; in the scheduled column at the instant that was due",
		FirstToken: "first event with text, by the kernel's stamp of its arrival",
		End:        "last event with text, by the kernel's stamp of its arrival",
		TPOT:       "(last − first)/(N − 1)",
		ITL:        "gap of each event with text",
		Tokens:     "usage, else the number of events, else the length that was asked for",
		Pacing:     "absolute, worker processes with a slice of one schedule each; beyond its slots it drops and counts",
	},
	recipe: func(p Params) Recipe {
		r := Recipe{Result: "tare/summary.json"}
		r.Args = []string{
			"tare", "run", "--url", p.URL, "--model", p.Model, "--rate", number(p.Rate), "--requests", count(p.Requests),
			"--arrival", string(p.Arrival), "--input-tokens", count(p.InputTokens), "--output-tokens", count(p.OutputTokens),
			"--seed", number(float64(p.Seed)), "--out", p.file("tare"), "--quiet",
		}
		if p.Workers > 0 {
			r.Args = append(r.Args, "--workers", count(p.Workers))
		}
		return r
	},
	read: readTare,
}

// readTare reads summary.json, or the run directory that it lies in. What tare
// says of the server is the wire column.
func readTare(fsys fs.FS, name string) (audit.Reported, error) {
	if info, err := fs.Stat(fsys, name); err == nil && info.IsDir() {
		name = path.Join(name, "summary.json")
	}
	o, err := open(fsys, name)
	if err != nil {
		return audit.Reported{}, err
	}
	var r reported
	load := o.object("load")
	r.OK, r.Failed = load.count("ok"), load.count("failed")
	r.Asked, r.Rate = load.number("requested_rate", 1), load.number("delivered_rate", 1)
	for _, m := range audit.Metrics {
		v, some := o.object("latency", string(m), "wire").summary(ms, [5]string{"mean_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms"})
		r.add(m, string(m)+".wire", v, some)
	}
	if err := o.err(name); err != nil {
		return audit.Reported{}, err
	}
	return need(r, name, "load.ok")
}
