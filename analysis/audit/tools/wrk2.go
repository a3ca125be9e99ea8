package tools

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"tare/analysis/audit"
)

var wrk2 = Tool{
	Name: "wrk2", Executable: "wrk2", Arrivals: []Arrival{Constant}, Workers: true,
	Install:  "clone giltene/wrk2, run make, and put its wrk in PATH as wrk2 (wrk itself has no rate)",
	commands: []string{"wrk2"},
	Conventions: Conventions{
		Version: "44a94c17",
		Start:   "at the instant that was due", Scheduled: true,
		End: "end of the body", Trailer: true,
		Pacing: "absolute, equal gaps on each connection; timers of whole milliseconds add up to 2 ms",
		Note: "a connection carries one request at a time, so that their number bounds what is in flight; each thread " +
			"opens one every 5 ms and sends on it at once, so that it starts below its rate, and at few requests a " +
			"connection sends more than were asked for; it reads no tokens and prints no p95",
	},
	recipe: func(p Params) Recipe {
		threads := p.Workers
		if threads == 0 {
			// Its threads open their connections one every 5 ms: half a second at most.
			threads = max(1, p.InFlight/100)
		}
		return Recipe{
			Files: map[string][]byte{"wrk2.lua": wrk2Script(p)},
			Args: []string{
				"wrk2", "--threads", count(threads), "--connections", count(max(threads, p.InFlight)),
				"--duration", count(p.seconds()) + "s", "--rate", number(p.Rate), "--latency",
				"--timeout", "300s", "--script", p.file("wrk2.lua"), p.completions(),
			},
			Stdout: "wrk2.txt", Result: "wrk2.txt",
		}
	},
	read: readWrk2,
}

func wrk2Script(p Params) []byte {
	// A long bracket needs no escapes; the body has no "]==]" since it is JSON
	// of plain words.
	return fmt.Appendf(nil, "wrk.method = \"POST\"\nwrk.headers[\"Content-Type\"] = \"application/json\"\nwrk.body = [==[%s]==]\n", p.request())
}

// What wrk2 prints with --latency. A time has its unit behind it: us, ms, s, m.
var (
	wrkTotal   = regexp.MustCompile(`(?m)^\s*(\d+) requests in ([\d.]+)(us|ms|s|m|h),`)
	wrkRate    = regexp.MustCompile(`(?m)^Requests/sec:\s*([\d.]+)`)
	wrkStatus  = regexp.MustCompile(`(?m)^\s*Non-2xx or 3xx responses:\s*(\d+)`)
	wrkSocket  = regexp.MustCompile(`(?m)^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
	wrkAverage = regexp.MustCompile(`(?m)^\s*Latency\s+([\d.]+)(us|ms|s|m|h)`)
	wrkQuant   = regexp.MustCompile(`(?m)^\s*(50|90|99)\.000%\s+([\d.]+)(us|ms|s|m|h)`)
)

var wrkUnits = map[string]float64{"us": us, "ms": ms, "s": s, "m": 60 * s, "h": 3600 * s}

// readWrk2 reads what wrk2 --latency prints: of the two distributions that
// --u_latency adds, the first, which starts at the instant that was due.
func readWrk2(fsys fs.FS, name string) (audit.Reported, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return audit.Reported{}, fmt.Errorf("read report: %w", err)
	}
	total := wrkTotal.FindSubmatch(data)
	rate := wrkRate.FindSubmatch(data)
	if total == nil || rate == nil {
		return audit.Reported{}, fmt.Errorf("read report %s: want the lines \"N requests in T\" and \"Requests/sec\" "+
			"that wrk2 ends with, got %d bytes without: was it stopped?", name, len(data))
	}
	var r reported
	answered, failed := integer(total[1]), integerOf(wrkStatus, data)
	ok := answered - failed
	failed += integerOf(wrkSocket, data)
	r.OK, r.Failed = &ok, &failed
	seconds := wrkTime(total[2], total[3]) / s
	perSecond, _ := parseNumber(string(rate[1]))
	r.Duration, r.Rate = &seconds, &perSecond
	v, some := wrkLatency(data)
	r.add(audit.E2E, "latency", v, some)
	return r.Reported, nil
}

// wrkLatency is the first distribution in data. One without requests is all
// zeros or nan, and is no latency.
func wrkLatency(data []byte) (v audit.Summary, some bool) {
	if i := bytes.Index(data, []byte("Uncorrected Latency")); i >= 0 {
		data = data[:i]
	}
	if m := wrkAverage.FindSubmatch(data); m != nil {
		mean := wrkTime(m[1], m[2])
		v.Mean, some = &mean, true
	}
	for _, m := range wrkQuant.FindAllSubmatch(data, -1) {
		t := wrkTime(m[2], m[3])
		switch strings.TrimSpace(string(m[1])) {
		case "50":
			v.P50 = &t
		case "90":
			v.P90 = &t
		case "99":
			v.P99 = &t
		}
		some = true
	}
	return v, some
}

func wrkTime(value, unit []byte) float64 {
	v, _ := parseNumber(string(value))
	return v * wrkUnits[string(unit)]
}

// integerOf is the sum of the counts that re finds in data.
func integerOf(re *regexp.Regexp, data []byte) int64 {
	var sum int64
	m := re.FindSubmatch(data)
	for i := 1; i < len(m); i++ {
		sum += integer(m[i])
	}
	return sum
}

func integer(digits []byte) int64 {
	v, _ := parseNumber(string(digits))
	return int64(v)
}
