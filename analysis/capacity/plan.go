package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// Ask is the load to plan for.
type Ask struct {
	Rate    float64       // requests/s; 0: what one node can carry
	Events  float64       // output events of a request, above 0
	MaxWait time.Duration // greatest mean wait; 0: no limit but those of the verdict
	E2E     time.Duration // mean time of a request in flight; 0: not known
}

// Node is a machine that drives load. Figures that are 0 are not known.
type Node struct {
	Name   string
	CPUs   int    // for workers, at least 1
	Memory int64  // bytes
	Files  uint64 // open files of a process
	Ports  int    // for connections to one address
}

// Plan says what a load takes. A figure is nil where it needs the time in
// flight and that is not known.
type Plan struct {
	Rate    float64  `json:"rate"`               // requests/s, of all nodes
	Events  float64  `json:"events_per_request"` //
	MaxWait *float64 `json:"max_wait_us"`        // asked for; nil: no limit
	E2E     *float64 `json:"e2e_ms"`             // asked for
	Asked   bool     `json:"rate_asked"`         // or the highest of one node

	Workers  int      `json:"workers"`      // of all nodes, on each as many
	Nodes    int      `json:"nodes"`        //
	Highest  float64  `json:"highest_rate"` // requests/s that one node can carry
	Worker   Worker   `json:"worker"`       // each
	Node     Share    `json:"node"`         // each
	Limits   []Limit  `json:"limits"`       // of a node, the one that binds first
	Law      Law      `json:"law"`
	Wire     Wire     `json:"wire"`
	Warnings []string `json:"warnings"`
}

// Worker is what each worker has to do and how it fares.
type Worker struct {
	Rate   float64  `json:"rate"`                 // requests/s
	Lambda float64  `json:"lambda"`               // output events/s
	Rho    float64  `json:"rho"`                  // λE[S], which the verdict judges
	Load   float64  `json:"load"`                 // ρ and the sends
	Wait   float64  `json:"wq_mean_us"`           // mean wait
	P99    float64  `json:"wq_p99_us"`            // of the wait, served in order of arrival
	Last   float64  `json:"wq_p99_last_first_us"` // with the last come first served
	Flight *float64 `json:"in_flight"`            // requests, each a connection and a file
	Memory *float64 `json:"memory_bytes"`         //
}

// Share is what each node has to carry.
type Share struct {
	Workers int      `json:"workers"`
	Rate    float64  `json:"rate"`                      // requests/s
	Flight  *float64 `json:"in_flight"`                 // requests: connections, files and ports
	Memory  *float64 `json:"memory_bytes"`              // of the workers, without the kernel's buffers
	In      float64  `json:"network_in_bytes_per_s"`    //
	Out     float64  `json:"network_out_bytes_per_s"`   //
	Records float64  `json:"records_bytes_per_s"`       // to disk
	Batch   *float64 `json:"wq_if_all_at_once_mean_us"` // mean wait if all streams of a worker had their event at once
}

// New plans. It is an error if the ask is impossible or no rate, however low,
// stays within the limits.
func New(l Law, a Ask, n Node, w Wire) (Plan, error) {
	if !(a.Events > 0) || !(a.Rate >= 0) || math.IsInf(a.Rate+a.Events, 0) {
		return Plan{}, fmt.Errorf("plan for %v requests/s of %v events: events must be above 0 and the rate not below", a.Rate, a.Events)
	}
	p := Plan{
		Rate: a.Rate, Events: a.Events, Asked: a.Rate > 0, Law: l, Wire: w, Nodes: 1, Workers: n.CPUs,
		Limits: l.limits(a, n), Warnings: []string{},
	}
	p.Highest = p.Limits[0].Rate
	if !(p.Highest > 0) {
		return p, fmt.Errorf("no rate is low enough: %s", p.Limits[0].Text)
	}
	if p.Asked {
		p.Nodes = ceil(a.Rate / p.Highest)
		p.Workers = p.Nodes * ceil(a.Rate/float64(p.Nodes)/workerRate(p.Limits, n))
	} else {
		p.Rate = p.Highest
	}
	if a.MaxWait > 0 {
		p.MaxWait = new(float64(a.MaxWait) / nsPerMicro)
	}
	if a.E2E > 0 {
		p.E2E = new(a.E2E.Seconds() * 1e3)
	}
	if err := p.share(a); err != nil {
		return p, err
	}
	p.warn(n)
	return p, nil
}

// ceil is the next whole number, at least 1; a rounding error above one does
// not count.
func ceil(x float64) int { return max(1, int(math.Ceil(x-1e-9))) }

// share works out what a worker and a node have to do.
func (p *Plan) share(a Ask) error {
	l := &p.Law
	rate := p.Rate / float64(p.Workers)
	wait, err := l.wait(rate, p.Events)
	if err != nil {
		return fmt.Errorf("plan for %v requests/s at a worker: %w", rate, err)
	}
	lambda := rate * p.Events
	rho := lambda / usPerSecond * l.ServiceMean
	p.Worker = Worker{
		Rate: rate, Lambda: lambda, Rho: rho, Load: rho + rate/usPerSecond*l.Send, Wait: wait.mean, P99: wait.inOrder, Last: wait.lastFirst,
	}
	k := p.Workers / p.Nodes
	p.Node = Share{Workers: k, Rate: float64(k) * rate, Records: float64(k) * rate * l.RecordBytes * max(1, p.Events/l.Events)}
	p.Node.In, p.Node.Out = p.Wire.traffic(p.Node.Rate, p.Events)
	if a.E2E > 0 {
		flight := rate * a.E2E.Seconds()
		memory := BaseBytes + flight*l.StreamBytes
		p.Worker.Flight, p.Worker.Memory = &flight, &memory
		p.Node.Flight, p.Node.Memory = new(float64(k)*flight), new(float64(k)*memory)
		p.Node.Batch = new(max(0, flight-1) / 2 * l.ServiceMean)
	}
	return nil
}

// Limit is a bound on what a node can carry.
type Limit struct {
	Name string  `json:"name"`
	Rate float64 `json:"rate"` // requests/s of a node at which it is reached
	Text string  `json:"text"` // the bound in words and figures
}

// byRate puts the limit that binds first at the front; of equals, the one that
// was named first.
func byRate(limits []Limit) {
	slices.SortStableFunc(limits, func(a, b Limit) int { return cmp.Compare(a.Rate, b.Rate) })
}
