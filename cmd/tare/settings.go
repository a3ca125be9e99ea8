package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"tare/analysis/arrival"
	"tare/analysis/dist"
	"tare/analysis/profile"
	"tare/ipc"
	"tare/supervisor"
)

// choice checks a flag that names one of several things.
func (f *faults) choice(flag, got string, want ...string) {
	f.check(!slices.Contains(want, got), "--%s is %q; choose one of %s", flag, got, strings.Join(want, ", "))
}

// settings checks and converts. headers are as they go on the wire.
func (t targetFlags) settings(f *faults) (target ipc.Target, headers []string) {
	f.choice("endpoint", t.Endpoint, "completions", "chat", "messages")
	t.checkURL(f)
	t.checkFiles(f)
	f.checkExtraBody(t.ExtraBody)
	masked := map[string]string{}
	for _, h := range t.Header {
		name, value, ok := strings.Cut(h, "=")
		if !ok || name == "" || strings.ContainsAny(h, "\r\n") || strings.ContainsAny(name, " :") {
			f.add("--header %q: write it as NAME=VALUE", h)
			continue
		}
		headers = append(headers, name+": "+value)
		masked[name] = mask(name, value)
	}
	return ipc.Target{
		URL: t.URL, Endpoint: t.Endpoint, Model: t.Model, Stream: t.Stream, Headers: masked,
		ExtraBody: t.ExtraBody, IgnoreEOS: t.IgnoreEOS, Insecure: t.Insecure, CA: t.CA, Cert: t.Cert, Key: t.Key,
		Timeout:     read(f, "timeout", t.Timeout, parseDeadline),
		IdleTimeout: read(f, "idle-timeout", t.IdleTimeout, parseDeadline),
	}, headers
}

func parseDeadline(s string) (time.Duration, error) {
	d, err := parseDuration(s)
	if err == nil && d == 0 {
		err = errors.New("0 would end every request at once; give a time above 0")
	}
	return d, err
}

func (t targetFlags) checkURL(f *faults) {
	if t.URL == "" {
		return
	}
	u, err := url.Parse(t.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		f.add("--url %q: write it as http://HOST:PORT or https://HOST, with a path prefix if the server has one", t.URL)
		return
	}
	f.check(u.User != nil, "--url holds a user name; give credentials with --header or --api-key")
	secure := u.Scheme == "https"
	f.check(!secure && (t.Insecure || t.CA != "" || t.Cert != ""), "--insecure, --ca and --cert are for https; the URL is %s", t.URL)
}

func (t targetFlags) checkFiles(f *faults) {
	f.check((t.Cert == "") != (t.Key == ""), "--cert and --key go together; give both")
	for _, file := range []struct{ flag, path string }{{"ca", t.CA}, {"cert", t.Cert}, {"key", t.Key}} {
		if file.path != "" {
			_, err := os.Stat(file.path)
			f.check(err != nil, "--%s: %v", file.flag, err)
		}
	}
}

// ours are the members of a request's body that flags decide.
var ours = map[string]string{
	"max_tokens": "--output-tokens", "prompt": "--input-tokens", "messages": "--input-tokens",
	"stream": "--no-stream", "model": "--model", "n": "one answer a request",
}

func (f *faults) checkExtraBody(text string) {
	if text == "" {
		return
	}
	var extra map[string]any
	if err := json.Unmarshal([]byte(text), &extra); err != nil {
		f.add("--extra-body: not a JSON object: %v", err)
		return
	}
	for name, instead := range ours {
		_, there := extra[name]
		f.check(there, "--extra-body holds %q, which is decided by %s", name, instead)
	}
}

// mask hides values of headers that look secret from manifest and argv.
func mask(name, value string) string {
	low := strings.ToLower(name)
	for _, secret := range []string{"auth", "key", "token", "cookie", "secret"} {
		if strings.Contains(low, secret) {
			return "***"
		}
	}
	return value
}

// Defaults of the load.
const (
	defaultRate     = "1000" // of the simulator
	defaultDuration = 10 * time.Second
	longestWarmup   = 10 * time.Second
)

// settings checks and converts; simulated tells that no URL was given.
func (l loadFlags) settings(f *faults, simulated bool) ipc.Load {
	out := l.arrivalFlags.settings(f)
	open := !l.Concurrency.set
	if open && !l.Rate.set && simulated {
		l.Rate = later[arrival.Rate]{text: defaultRate, set: true}
	}
	f.check(l.Rate.set && !open, "--rate and --concurrency exclude each other; give one")
	f.check(!l.Rate.set && open, "say how much load: --rate R for an open loop or --concurrency C for a closed one")
	f.check(l.Duration.set && l.Requests.set, "--duration and --requests exclude each other; give one")
	out.Concurrency = read(f, "concurrency", l.Concurrency, parseCount)
	out.Duration, out.Requests = read(f, "duration", l.Duration, parseDeadline), read(f, "requests", l.Requests, parseCount)
	out.Warmup, out.Drain = read(f, "warmup", l.Warmup, parseDuration), read(f, "drain", l.Drain, parseDeadline)
	if rate := read(f, "rate", l.Rate, arrival.ParseRate); open {
		out.Rate = rate.String()
	}
	l.spans(f, &out)
	return out
}

// settings checks and converts; how much load there is stays open.
func (l arrivalFlags) settings(f *faults) ipc.Load {
	f.choice("arrival", l.Arrival, "poisson", "constant", "gamma")
	f.check(l.Burstiness.set && l.Arrival != "gamma", "--burstiness goes with --arrival gamma")
	f.check(!l.Burstiness.set && l.Arrival == "gamma", "--arrival gamma needs --burstiness X")
	return ipc.Load{
		Arrival: l.Arrival, Burstiness: read(f, "burstiness", l.Burstiness, parseBurstiness),
		MaxInFlight: read(f, "max-in-flight", l.MaxInFlight, parseCount), Seed: read(f, "seed", l.Seed, parseSeed),
	}
}

// spans settles duration and warm-up.
func (l loadFlags) spans(f *faults, out *ipc.Load) {
	if !l.Duration.set && !l.Requests.set {
		out.Duration = defaultDuration
	}
	if !l.Warmup.set {
		out.Warmup = min(out.Duration/10, longestWarmup)
	}
	f.check(out.Duration > 0 && out.Warmup >= out.Duration, "--warmup %v leaves nothing of --duration %v", out.Warmup, out.Duration)
}

// mostTokens bounds the mean length of prompts and answers: a prompt of so many
// takes some 50 MB in every stream.
const mostTokens = 10_000_000

func (s shapeFlags) settings(f *faults) ipc.Shape {
	for _, law := range []struct{ flag, text string }{{"input-tokens", s.InputTokens}, {"output-tokens", s.OutputTokens}} {
		d, err := dist.Parse(law.text, dist.Count)
		f.check(err != nil, "--%s: %v", law.flag, err)
		f.check(err == nil && d.Mean() > mostTokens, "--%s %s is above %d on average", law.flag, law.text, mostTokens)
	}
	f.choice("service-mode", s.ServiceMode, "busy", "held")
	if s.ServiceTime == "" {
		return ipc.Shape{InputTokens: s.InputTokens, OutputTokens: s.OutputTokens}
	}
	_, err := dist.Parse(s.ServiceTime, dist.Duration)
	f.check(err != nil, "--service-time: %v", err)
	return ipc.Shape{InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, ServiceTime: s.ServiceTime, ServiceMode: s.ServiceMode}
}

// plan lays the processes on the allowed CPUs.
func (s shardingFlags) plan(f *faults, allowed []int) supervisor.Plan {
	f.choice("sharding", s.Sharding, supervisor.ByProcess, supervisor.ByGoroutine)
	workers := read(f, "workers", s.Workers, parseCount)
	f.check(workers > maxCPU, "--workers %d is more than %d", workers, maxCPU)
	cpus := read(f, "cpus", s.CPUs, parseCPUs)
	p, errs := supervisor.NewPlan(allowed, supervisor.Ask{Workers: int(min(workers, maxCPU)), Sharding: s.Sharding, CPUs: cpus})
	for _, err := range errs {
		f.add("--cpus: %v", err)
	}
	return p
}

func parseSLO(text string) (ipc.SLO, error) {
	var s ipc.SLO
	limits := map[string]*time.Duration{"ttft": &s.TTFT, "tpot": &s.TPOT, "itl": &s.ITL, "ntpot": &s.NTPOT, "e2e": &s.E2E}
	for part := range strings.SplitSeq(text, ",") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(part), "mlperf:"); ok {
			preset, err := profile.Preset(name)
			if err != nil {
				return ipc.SLO{}, err
			}
			s.TTFT, s.TPOT = preset.TTFT, preset.TPOT
			continue
		}
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		limit, known := limits[name]
		d, err := parseDeadline(value)
		if !known || err != nil {
			return ipc.SLO{}, fmt.Errorf("%q is no limit; write it like ttft=200ms,tpot=50ms, of ttft, tpot, itl, ntpot and e2e", part)
		}
		*limit = d
	}
	return s, nil
}
