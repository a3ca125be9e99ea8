package capacity

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// constant is a law of 10 µs an event, always, without set-up or sends: M/D/1
// with mean wait 10ρ/(2(1−ρ)) µs.
func constant() Law {
	return Law{
		Host: "host", Events: 10, Lambda: 70_000, CPUShare: 0.5, EventsPerRead: 1, Rows: 36,
		ServiceMean: 10, ServiceSecond: 100, IdleMean: 10, IdleSecond: 100, CPU: 100,
		WaitMeasured: 5, WaitPredicted: new(5.0), WaitFactor: 1, StreamBytes: 50_000, RecordBytes: 200,
	}
}

// machine has two CPUs for workers, and no other limit.
func machine() Node { return Node{Name: "host", CPUs: 2} }

func TestPlan(t *testing.T) {
	// ρ = 0.5 gives a mean wait of 5 µs: 50,000 events/s, 5,000 requests/s of a
	// worker. 24,000 requests/s are 4.8 workers: three nodes of two.
	p, err := New(constant(), Ask{Rate: 24_000, Events: 10, MaxWait: 5 * time.Microsecond, E2E: 100 * time.Millisecond}, machine(),
		Wire{Request: 400, Event: 200, Answer: 500})
	if err != nil {
		t.Fatal(err)
	}
	if p.Workers != 6 || p.Nodes != 3 || !p.Asked || p.Limits[0].Name != "max_wait" {
		t.Errorf("%d workers on %d nodes, bound by %s; want 6, 3 and max_wait", p.Workers, p.Nodes, p.Limits[0].Name)
	}
	if math.Abs(p.Highest-10_000) > 0.01 {
		t.Errorf("a node carries %v requests/s, want 10,000", p.Highest)
	}
	// A worker has 4,000 requests/s: ρ = 0.4, W = 4/(2·0.6).
	want := Worker{Rate: 4000, Lambda: 40_000, Rho: 0.4, Load: 0.4, Wait: 4 / 1.2, P99: p.Worker.P99, Last: p.Worker.Last,
		Flight: new(400.0), Memory: new(400*50_000.0 + BaseBytes)}
	if diff := cmp.Diff(want, p.Worker, near); diff != "" {
		t.Errorf("worker: %s", diff)
	}
	if w := p.Worker; w.P99 < 5*w.Wait || w.Last < w.P99 || w.Last > 15*w.Wait {
		t.Errorf("p99 %v in order and %v µs with the last first, of a wait of %v in the mean", w.P99, w.Last, w.Wait)
	}
	// In: 500 + 10·200 + 13·66 bytes a request; out: 400 + 13·66. Of 400 events
	// at once one waits for 199.5 others in the mean.
	node := Share{Workers: 2, Rate: 8000, Flight: new(800.0), Memory: new(2 * *p.Worker.Memory),
		In: 8000 * 3358, Out: 8000 * 1258, Records: 8000 * 200, Batch: new(1995.0)}
	if diff := cmp.Diff(node, p.Node, near); diff != "" {
		t.Errorf("node: %s", diff)
	}
}

// fast halves the law: its waits are no limit.
func fast(l *Law) { l.ServiceMean, l.ServiceSecond, l.IdleMean, l.IdleSecond = 5, 25, 5, 25 }

func TestHighestRate(t *testing.T) {
	tests := []struct {
		why    string
		change func(*Law, *Ask, *Node)
		rate   float64
		binds  string
	}{
		{"two workers at 0.81 of 50 µs", func(l *Law, _ *Ask, _ *Node) { fast(l) }, 2 * 16_200, "load"},
		{"sends are load", func(l *Law, _ *Ask, _ *Node) { fast(l); l.Send = 4 }, 2 * 15_000, "load"},
		{"a mean wait of 5 µs is ρ = 0.5", func(_ *Law, a *Ask, _ *Node) { a.MaxWait = 5 * time.Microsecond }, 2 * 5000, "max_wait"},
		{"a mean wait of 1 ms is beyond the load", func(l *Law, a *Ask, _ *Node) { fast(l); a.MaxWait = time.Millisecond }, 2 * 16_200, "load"},
		{"1,000 files but for 64, for two workers", func(_ *Law, a *Ask, n *Node) { a.E2E, n.Files = time.Second, 1064 }, 2 * 1000, "files"},
		{"500 ports for half a second each", func(_ *Law, a *Ask, n *Node) { a.E2E, n.Ports = time.Second/2, 500 }, 1000, "ports"},
		{"80 % of 20 GB, 16 GB but for two workers", func(l *Law, a *Ask, n *Node) {
			a.E2E, n.Memory, l.StreamBytes = time.Second, 20e9, (16e9-2*BaseBytes)/3000
		}, 3000, "memory"},
		{"no limit without a time in flight", func(l *Law, _ *Ask, n *Node) { fast(l); n.Files, n.Ports, n.Memory = 100, 10, 1e6 }, 2 * 16_200, "load"},
	}
	for _, tt := range tests {
		l, a, n := constant(), Ask{Events: 10}, machine()
		tt.change(&l, &a, &n)
		p, err := New(l, a, n, Wire{})
		if err != nil {
			t.Fatal(tt.why, err)
		}
		if math.Abs(p.Rate/tt.rate-1) > 1e-6 || p.Limits[0].Name != tt.binds || p.Workers != 2 || p.Nodes != 1 || p.Asked {
			t.Errorf("%s: %v requests/s bound by %s, %d workers on %d nodes; want %v and %s",
				tt.why, p.Rate, p.Limits[0].Name, p.Workers, p.Nodes, tt.rate, tt.binds)
		}
	}
}

// Waits that were twice as long as the model's are planned so: a mean of 10 µs is
// reached at ρ = 0.5, where it predicts 5.
func TestWaitFactor(t *testing.T) {
	l := constant()
	l.WaitFactor = 2
	p, err := New(l, Ask{Events: 10, MaxWait: 10 * time.Microsecond}, machine(), Wire{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(p.Rate/10_000-1) > 1e-6 || math.Abs(p.Worker.Wait-10) > 1e-3 {
		t.Errorf("%v requests/s with a mean wait of %v µs, want 10,000 and 10", p.Rate, p.Worker.Wait)
	}
}

// Services that vary much make long waits before the worker is full.
func TestP99Binds(t *testing.T) {
	l := constant()
	l.ServiceSecond, l.IdleSecond = 1000, 1000
	p, err := New(l, Ask{Events: 10}, machine(), Wire{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Limits[0].Name != "wait_p99" || math.Abs(p.Worker.Last-300) > 1 {
		t.Errorf("bound by %s with a p99 of %v µs, want wait_p99 and 300", p.Limits[0].Name, p.Worker.Last)
	}
}

// Whatever is asked, a plan stays within all its limits, has no more workers
// than it needs, and puts them all on its nodes.
func TestPlansKeepTheirLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		l := constant()
		l.ServiceMean = 1 + 20*r.Float64()
		l.ServiceSecond = l.ServiceMean * l.ServiceMean * (1 + 3*r.Float64())
		l.IdleMean = l.ServiceMean + 30*r.Float64()
		l.IdleSecond = l.IdleMean * l.IdleMean * (1 + 2*r.Float64())
		l.Send = 50 * r.Float64()
		n := Node{Name: "host", CPUs: 1 + r.IntN(8), Files: 20_000, Ports: 28_000, Memory: 8e9}
		a := Ask{Rate: math.Exp(12 * r.Float64()), Events: math.Exp(6 * r.Float64()), E2E: time.Duration(r.Int64N(5e9)), MaxWait: time.Duration(2e3 + r.Int64N(1e5))}
		p, err := New(l, a, n, Wire{})
		if err != nil {
			t.Fatal(err)
		}
		full := p.Workers <= p.Nodes*n.CPUs && p.Node.Workers <= n.CPUs
		within := p.Node.Rate <= p.Highest*(1+1e-6) && p.Worker.Load <= 0.8101 && p.Worker.Last <= 300.1 && p.Worker.Wait <= *p.MaxWait*1.0001
		if !full || !within {
			t.Errorf("%+v on %+v: %d workers on %d nodes of %.4g requests/s, highest %.4g, load %.3g, wait %.4g µs of %.4g, p99 %.4g µs",
				a, n, p.Workers, p.Nodes, p.Node.Rate, p.Highest, p.Worker.Load, p.Worker.Wait, *p.MaxWait, p.Worker.P99)
		}
		if fewer := float64(p.Nodes-1) * p.Highest; fewer >= a.Rate*(1+1e-6) {
			t.Errorf("%+v: %d nodes, of which one less carries %.4g", a, p.Nodes, fewer)
		}
	}
}

func TestImpossibleAsks(t *testing.T) {
	for _, a := range []Ask{{Events: 0}, {Events: -1}, {Events: math.NaN()}, {Events: math.Inf(1)}, {Events: 1, Rate: -1}, {Events: 1, Rate: math.Inf(1)}} {
		if _, err := New(constant(), a, machine(), Wire{}); err == nil {
			t.Errorf("%+v was planned", a)
		}
	}
	small := Node{CPUs: 1, Memory: 1 << 20}
	if _, err := New(constant(), Ask{Events: 1, E2E: time.Second}, small, Wire{}); err == nil || !strings.Contains(err.Error(), "no rate is low enough") {
		t.Errorf("a worker of 18 MB in 1 MB: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	tests := []struct {
		why    string
		change func(*Law, *Ask, *Node)
		want   string // "" for none
	}{
		{"nothing wrong", func(*Law, *Ask, *Node) {}, ""},
		{"overload", func(l *Law, _ *Ask, _ *Node) { l.WaitPredicted = nil }, "overloaded"},
		{"some noise", func(l *Law, _ *Ask, _ *Node) { l.Disturbed = 8 }, "in 8 of 36 rows"},
		{"a model that is too high", func(l *Law, _ *Ask, _ *Node) { l.WaitPredicted = new(6.3) }, "mean wait 6.3 µs, measured 5 µs"},
		{"and one that is too low", func(l *Law, _ *Ask, _ *Node) { l.WaitPredicted, l.WaitFactor = new(2.5), 2 }, "5 µs in the mean where the model has 2.5: those of the plan are multiplied by 2.00"},
		{"little load", func(l *Law, _ *Ask, _ *Node) { l.CPUShare = 0.39 }, "used 39 % of a worker's CPU"},
		{"shared reads", func(l *Law, _ *Ask, _ *Node) { l.EventsPerRead = 1.03 }, "1.03 events shared a read"},
		{"beyond what was measured", func(l *Law, _ *Ask, _ *Node) { l.Lambda = 30_000 }, "measured at 30000 events/s of a worker, the plan has 40000"},
		{"longer answers", func(_ *Law, a *Ask, _ *Node) { a.Rate, a.Events = 1, 16 }, "with 10 events a request, the plan has 16"},
		{"shorter answers", func(_ *Law, a *Ask, _ *Node) { a.Rate, a.Events = 1, 6 }, "the plan has 6"},
		{"another host", func(_ *Law, _ *Ask, n *Node) { n.Name = "other" }, "the law is of host host"},
		{"events in step", func(_ *Law, a *Ask, _ *Node) { a.E2E = time.Second }, "up to 4000 of a worker"},
	}
	for _, tt := range tests {
		l, a, n := constant(), Ask{Rate: 8000, Events: 10}, machine()
		tt.change(&l, &a, &n)
		p, err := New(l, a, n, Wire{})
		if err != nil {
			t.Fatal(tt.why, err)
		}
		found := slices.ContainsFunc(p.Warnings, func(w string) bool { return strings.Contains(w, tt.want) })
		if tt.want == "" && len(p.Warnings) > 0 || !found && tt.want != "" {
			t.Errorf("%s: %q; want one with %q", tt.why, p.Warnings, tt.want)
		}
	}
}
