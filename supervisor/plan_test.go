package supervisor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func one(worker, cpu int) Assignment { return Assignment{Worker: worker, CPUs: []int{cpu}, Procs: 1} }

func TestNewPlan(t *testing.T) {
	for _, c := range []struct {
		why     string
		allowed []int
		ask     Ask
		want    Plan
	}{
		{
			why:     "by default the first CPU is left to the supervisor",
			allowed: []int{0, 1, 2, 3},
			want:    Plan{Children: []Assignment{one(0, 1), one(1, 2), one(2, 3)}, Rest: []int{0}},
		},
		{
			why:     "allowed CPUs need not begin at 0 nor be in a row: a container's cpuset",
			allowed: []int{4, 6, 9},
			want:    Plan{Children: []Assignment{one(0, 6), one(1, 9)}, Rest: []int{4}},
		},
		{
			why:     "fewer workers than CPUs: the supervisor has more room",
			allowed: []int{0, 1, 2, 3},
			ask:     Ask{Workers: 2},
			want:    Plan{Children: []Assignment{one(0, 2), one(1, 3)}, Rest: []int{0, 1}},
		},
		{
			why:     "a single CPU is for all, which is said",
			allowed: []int{5},
			want: Plan{
				Children: []Assignment{one(0, 5)}, Rest: []int{5},
				Shared: []string{"CPU 5 has a worker and the supervisor or simulator"},
			},
		},
		{
			why:     "a worker on every CPU: the supervisor is on all of them, too",
			allowed: []int{0, 1},
			ask:     Ask{Workers: 2},
			want: Plan{
				Children: []Assignment{one(0, 0), one(1, 1)}, Rest: []int{0, 1},
				Shared: []string{"CPU 0 has a worker and the supervisor or simulator", "CPU 1 has a worker and the supervisor or simulator"},
			},
		},
		{
			why:     "more workers than CPUs take turns",
			allowed: []int{0, 1},
			ask:     Ask{Workers: 3, CPUs: []int{1}},
			want: Plan{
				Children: []Assignment{one(0, 1), one(1, 1), one(2, 1)}, Rest: []int{0},
				Shared: []string{"3 workers share 1 CPUs"},
			},
		},
		{
			why:     "CPUs by name: as many workers as names, in their order",
			allowed: []int{0, 1, 2, 3},
			ask:     Ask{CPUs: []int{3, 0}},
			want:    Plan{Children: []Assignment{one(0, 3), one(1, 0)}, Rest: []int{1, 2}},
		},
		{
			why:     "fewer workers than CPUs by name: those without a worker stay unused",
			allowed: []int{0, 1, 2, 3},
			ask:     Ask{Workers: 1, CPUs: []int{2, 3}},
			want:    Plan{Children: []Assignment{one(0, 2)}, Rest: []int{0, 1}},
		},
		{
			why:     "goroutine sharding: one child with all the CPUs and as many processors",
			allowed: []int{0, 1, 2, 3},
			ask:     Ask{Sharding: ByGoroutine},
			want:    Plan{Children: []Assignment{{Worker: 0, CPUs: []int{1, 2, 3}, Procs: 3}}, Rest: []int{0}},
		},
		{
			why:     "goroutine sharding over more processors than CPUs",
			allowed: []int{0, 1},
			ask:     Ask{Sharding: ByGoroutine, Workers: 3, CPUs: []int{1}},
			want: Plan{
				Children: []Assignment{{Worker: 0, CPUs: []int{1}, Procs: 3}}, Rest: []int{0},
				Shared: []string{"3 workers share 1 CPUs"},
			},
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, faults := NewPlan(c.allowed, c.ask)
			if len(faults) > 0 {
				t.Fatalf("faults: %v", faults)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNewPlanRefuses(t *testing.T) {
	for _, c := range []struct {
		why     string
		allowed []int
		ask     Ask
		want    []string // a piece of each fault, in order
	}{
		{"every CPU outside the allowed set is named", []int{0, 2}, Ask{CPUs: []int{1, 2, 3}}, []string{"CPU 1 is not", "CPU 3 is not"}},
		{"several faults at once", []int{0}, Ask{CPUs: []int{7}, Workers: -1}, []string{"CPU 7", "-1 workers"}},
		{"a CPU named twice would hide that workers share it", []int{0, 1}, Ask{CPUs: []int{1, 1}}, []string{"CPU 1 is named twice"}},
		{"nothing to run on", nil, Ask{}, []string{"no CPU is allowed"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			_, faults := NewPlan(c.allowed, c.ask)
			if len(faults) != len(c.want) {
				t.Fatalf("%d faults %v, want %d", len(faults), faults, len(c.want))
			}
			for i, want := range c.want {
				if !strings.Contains(faults[i].Error(), want) {
					t.Errorf("fault %q, want one with %q", faults[i], want)
				}
			}
		})
	}
}

// Every child has a CPU of the pool, and no allowed CPU is in the plan twice
// unless the plan says so.
func TestNewPlanSharesOnlyWhenSaid(t *testing.T) {
	allowed := []int{0, 1, 2, 3, 4, 5}
	for workers := range 9 {
		p, faults := NewPlan(allowed, Ask{Workers: workers})
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		used := map[int]int{}
		for _, c := range p.Children {
			for _, cpu := range c.CPUs {
				used[cpu]++
			}
		}
		for _, cpu := range p.Rest {
			used[cpu]++
		}
		shared := false
		for _, n := range used {
			shared = shared || n > 1
		}
		if shared != (len(p.Shared) > 0) {
			t.Errorf("%d workers: CPUs shared is %v, the plan says %q: %+v", workers, shared, p.Shared, p)
		}
	}
}
