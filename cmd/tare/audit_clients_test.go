package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"tare/analysis/audit"
	"tare/analysis/dist"
	"tare/cmd/tare/sim"
)

// A client is a small load generator with one fault, as some that are in use
// have it. It sends through one transport and measures as it likes.
type client struct {
	t         *testing.T
	url       string
	transport http.Transport
	wg        sync.WaitGroup

	mu         sync.Mutex
	ttft, e2e  []float64 // ms
	ok, failed int64
}

// request sends one streamed request and reads it to its end; false if it
// failed. From names the instant from which latencies count.
func (c *client) request(path string) bool {
	begin := time.Now()
	body := fmt.Sprintf(`{"stream":true,"max_tokens":5,"prompt":"p%d","messages":[{"role":"user","content":"p%d"}]}`, rand.Int64(), rand.Int64())
	for attempt := 0; ; attempt++ {
		ok := c.attempt(path, body, begin)
		if ok || attempt == c.retries() {
			return ok
		}
		begin = time.Now() // the clock is set back: nobody will know
	}
}

// retries are those of the client that has them.
func (c *client) retries() int {
	if c.t.Name() == "TestAuditCatches/silent_retries" {
		return 9
	}
	return 0
}

func (c *client) attempt(path, body string, begin time.Time) bool {
	resp, err := c.transport.RoundTrip(must(http.NewRequest(http.MethodPost, c.url+path, bytes.NewBufferString(body))))
	if err != nil {
		c.t.Error(err)
		return false
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, resp.Body)
		return false
	}
	_, err = io.ReadFull(resp.Body, make([]byte, 1)) // whatever event comes first
	first := time.Since(begin)
	if _, more := io.Copy(io.Discard, resp.Body); err != nil || more != nil {
		c.t.Error(err, more)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ttft = append(c.ttft, first.Seconds()*1e3)
	c.e2e = append(c.e2e, time.Since(begin).Seconds()*1e3)
	return true
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// send sends one request on a goroutine of its own.
func (c *client) send(path string) {
	c.wg.Go(func() {
		ok := c.request(path)
		c.mu.Lock()
		defer c.mu.Unlock()
		if ok {
			c.ok++
		} else {
			c.failed++
		}
	})
}

const completionsPath, chatPath = "/v1/completions", "/v1/chat/completions"

// open keeps a schedule of absolute instants.
func (c *client) open(path string, n int, gap func() time.Duration) {
	due := time.Now()
	for range n {
		due = due.Add(gap())
		time.Sleep(time.Until(due))
		c.send(path)
	}
}

func exponential(r *rand.Rand, rate float64) func() time.Duration {
	return func() time.Duration { return time.Duration(r.ExpFloat64() / rate * 1e9) }
}

// reported is what the client says of its run.
func (c *client) reported() *audit.Reported {
	mean := func(x []float64) audit.Summary {
		sum := 0.0
		for _, v := range x {
			sum += v
		}
		sum /= float64(len(x))
		return audit.Summary{Mean: &sum}
	}
	return &audit.Reported{OK: &c.ok, Failed: &c.failed, Latency: map[audit.Metric]audit.Summary{
		audit.TTFT: mean(c.ttft), audit.E2E: mean(c.e2e),
	}}
}

// Each fault is found by what the server saw, with real requests over real
// connections; the honest client is found to have none of them.
func TestAuditCatches(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of real load")
	}
	const n = 600
	for _, c := range []struct {
		name  string
		want  audit.Kind
		why   string
		law   audit.Law
		rate  float64
		cfg   sim.Config
		drive func(c *client)
	}{
		{"honest", "", "absolute instants, kept connections", audit.Poisson, 200, sim.Config{},
			func(c *client) { c.open(completionsPath, n, exponential(rand.New(rand.NewPCG(1, 1)), 200)) }},
		{"coordinated omission", audit.Omission, "eight slots and 40 ms of service let 200/s of 300 out, and the rest waits unseen", audit.Constant, 300,
			sim.Config{TTFT: must(dist.Parse("40ms", dist.Duration))},
			func(c *client) {
				slots := make(chan struct{}, 8)
				due := time.Now()
				for range n {
					due = due.Add(time.Second / 300)
					time.Sleep(time.Until(due))
					slots <- struct{}{}
					c.wg.Go(func() { c.request(completionsPath); <-slots })
				}
			}},
		{"drifting schedule", audit.Drift, "it sleeps the whole gap after work of 2 ms, so that gaps of 5 ms are 7 and more", audit.Constant, 200, sim.Config{},
			func(c *client) {
				for range n {
					c.send(completionsPath)
					time.Sleep(2 * time.Millisecond) // what it does besides
					time.Sleep(5 * time.Millisecond)
				}
			}},
		{"shared seed", audit.SharedSeed, "four workers draw the same gaps, one after the other", audit.Poisson, 300, sim.Config{},
			func(c *client) {
				r, k, gap := rand.New(rand.NewPCG(3, 3)), 0, time.Duration(0)
				c.open(completionsPath, 2*n, func() time.Duration {
					if k%4 == 0 {
						gap = exponential(r, 300)()
					}
					k++
					return gap
				})
			}},
		{"closed loop", audit.ClosedLoop, "eight users, each of whom waits for the answer", audit.Poisson, 200,
			sim.Config{TTFT: must(dist.Parse("exp(40ms)", dist.Duration))},
			func(c *client) {
				for range 8 {
					c.wg.Go(func() {
						for range n / 8 {
							c.request(completionsPath)
						}
					})
				}
			}},
		{"connection per request", audit.ConnEach, "no connection is kept", audit.Poisson, 200, sim.Config{},
			func(c *client) {
				c.transport.DisableKeepAlives = true
				c.open(completionsPath, n, exponential(rand.New(rand.NewPCG(1, 1)), 200))
			}},
		{"first event is no token", audit.TTFTOpening, "the role of a chat comes at once, the first token 30 ms later", audit.Poisson, 100,
			sim.Config{TTFT: must(dist.Parse("30ms", dist.Duration)), OpenEarly: true},
			func(c *client) { c.open(chatPath, n/2, exponential(rand.New(rand.NewPCG(1, 1)), 100)) }},
		{"usage chunk in E2E", audit.E2ETrailer, "it measures to the end of the stream, 40 ms after the last token", audit.Poisson, 100,
			sim.Config{TTFT: must(dist.Parse("5ms", dist.Duration)), Tail: must(dist.Parse("40ms", dist.Duration))},
			func(c *client) { c.open(completionsPath, n/2, exponential(rand.New(rand.NewPCG(1, 1)), 100)) }},
		{"silent retries", audit.Retries, "one request in ten fails and is sent again", audit.Poisson, 100,
			sim.Config{Faults: []sim.Fault{must(sim.ParseFault("status-500=0.1"))}},
			func(c *client) { c.open(completionsPath, n/2, exponential(rand.New(rand.NewPCG(1, 1)), 100)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := audit.Input{Asked: audit.Asked{Law: c.law, Rate: c.rate}}
			in.Log, in.Reported = driveClient(t, c.cfg, c.drive)
			result, err := audit.Audit(in)
			if err != nil {
				t.Fatal(err)
			}
			var got []audit.Kind
			for _, f := range result.Findings {
				if f.Severity != audit.Note {
					got = append(got, f.Kind)
				}
			}
			faults := []audit.Kind{audit.Omission, audit.ClosedLoop, audit.Drift, audit.SharedSeed, audit.ConnEach, audit.TTFTOpening, audit.E2ETrailer, audit.Retries}
			for _, kind := range faults {
				if kind == audit.ClosedLoop && c.want == audit.Omission || kind == audit.Omission && c.want == audit.ClosedLoop {
					continue // at its limit all the time, the one is the other
				}
				if (kind == c.want) != slices.Contains(got, kind) {
					t.Errorf("found %q; want of the faults only %q: %s", got, c.want, c.why)
					break
				}
			}
		})
	}
}

// driveClient lets a client loose on a simulator.
func driveClient(t *testing.T, cfg sim.Config, drive func(*client)) ([]audit.Request, *audit.Reported) {
	cfg.TruthPath = filepath.Join(t.TempDir(), "truth.jsonl")
	s := must(sim.New(cfg))
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error)
	go func() { served <- s.Serve(ctx) }()
	c := &client{t: t, url: s.URL()}
	c.transport.MaxIdleConnsPerHost = 100
	drive(c)
	c.wg.Wait()
	c.transport.CloseIdleConnections()
	cancel()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	f := must(os.Open(cfg.TruthPath))
	defer f.Close()
	return must(audit.ReadLog(f)), c.reported()
}
