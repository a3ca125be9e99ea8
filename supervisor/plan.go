package supervisor

import (
	"fmt"
	"slices"
)

// Sharding modes.
const (
	ByProcess   = "process"
	ByGoroutine = "goroutine"
)

// Ask is what the user said about CPUs; zero values leave it to the plan.
type Ask struct {
	Workers   int
	Sharding  string
	CPUs      []int // of the workers
	Simulator bool  // the run starts a simulator of its own
}

// Assignment is one child: its CPUs and its number of processors (GOMAXPROCS).
type Assignment struct {
	Worker int
	CPUs   []int
	Procs  int
}

// Plan says which process runs where.
type Plan struct {
	Children []Assignment
	Rest     []int    // for the supervisor and the simulator
	Shared   []string // CPUs with more than one of our processes on them, in words
}

// NewPlan lays workers on the allowed CPUs (sched_getaffinity of the
// supervisor). By default every allowed CPU but the first has a worker, and
// the first is for the supervisor and the simulator. More workers than CPUs
// take turns, which Plan.Shared says.
func NewPlan(allowed []int, a Ask) (Plan, []error) {
	if len(allowed) == 0 {
		return Plan{}, []error{fmt.Errorf("no CPU is allowed to this process")}
	}
	pool := a.CPUs
	var faults []error
	for i, c := range pool {
		switch {
		case !slices.Contains(allowed, c):
			faults = append(faults, fmt.Errorf("CPU %d is not among the allowed ones %v; choose from those", c, allowed))
		case slices.Contains(pool[:i], c):
			faults = append(faults, fmt.Errorf("CPU %d is named twice; to share CPUs give more workers than CPUs", c))
		}
	}
	if a.Workers < 0 {
		faults = append(faults, fmt.Errorf("%d workers are too few; give at least 1", a.Workers))
	}
	if len(faults) > 0 {
		return Plan{}, faults
	}
	if len(pool) == 0 {
		pool = workerCPUs(allowed, a.Workers)
	}
	m := a.Workers
	if m == 0 {
		m = len(pool)
	}
	p := Plan{Rest: rest(allowed, pool), Children: assign(pool, m, a.Sharding)}
	p.Shared = shared(p, pool, m)
	return p, nil
}

// workerCPUs leaves the first CPU to the supervisor where there is a choice.
func workerCPUs(allowed []int, workers int) []int {
	if len(allowed) == 1 || workers >= len(allowed) {
		return allowed
	}
	if workers == 0 {
		return allowed[1:]
	}
	return allowed[len(allowed)-workers:]
}

func assign(pool []int, m int, sharding string) []Assignment {
	if sharding == ByGoroutine {
		return []Assignment{{Worker: 0, CPUs: pool[:min(m, len(pool))], Procs: m}}
	}
	children := make([]Assignment, m)
	for i := range children {
		children[i] = Assignment{Worker: i, CPUs: []int{pool[i%len(pool)]}, Procs: 1}
	}
	return children
}

// rest is what the workers leave; if they leave nothing, all.
func rest(allowed, used []int) []int {
	var left []int
	for _, c := range allowed {
		if !slices.Contains(used, c) {
			left = append(left, c)
		}
	}
	if len(left) == 0 {
		return slices.Clone(allowed)
	}
	return left
}

func shared(p Plan, pool []int, m int) []string {
	var said []string
	if m > len(pool) {
		said = append(said, fmt.Sprintf("%d workers share %d CPUs", m, len(pool)))
	}
	for _, c := range p.Rest {
		if slices.Contains(pool, c) {
			said = append(said, fmt.Sprintf("CPU %d has a worker and the supervisor or simulator", c))
		}
	}
	return said
}
