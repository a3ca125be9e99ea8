package audit

import (
	"fmt"
	"slices"
	"testing"
)

// load is a rate with a number of requests at which every test is done.
type load struct {
	rate float64
	n    int
}

var loads = []load{{10, 300}, {1000, 1500}, {5000, 3000}}

func seeds(most int) int {
	if testing.Short() {
		return min(most, 10)
	}
	return most
}

// A client that sends when it is due and tells the truth is found to do so, be
// the service of the server constant (even seeds) or random.
func TestFaithfulClients(t *testing.T) {
	n := seeds(200)
	for _, law := range []Law{Poisson, Constant} {
		for _, l := range loads {
			t.Run(fmt.Sprintf("%s at %g", law, l.rate), func(t *testing.T) {
				alarms := map[Kind]int{}
				total := 0
				for seed := range n {
					m := newModel(uint64(seed), law, l.rate, l.n)
					m.random = seed%2 == 1
					m.open()
					r := m.audited(t, func(in *Input) {
						if seed < n/10 {
							in.Reported = m.said(0.05, nil)
						}
					})
					for _, f := range r.Findings {
						alarms[f.Kind]++
					}
					if len(r.Findings) > 0 {
						total++
					}
				}
				if 100*total > n {
					t.Errorf("%d alarms in %d runs, want less than 1 %%: %v", total, n, alarms)
				}
			})
		}
	}
}

// Each way to mislead is found, at each rate and with most seeds, and is not
// taken for another.
func TestFaultsAreFound(t *testing.T) {
	tests := []struct {
		name string
		law  Law
		run  func(m *model)
		want Kind
		not  []Kind
	}{
		{"slots for 0.6 of the load", Poisson, func(m *model) {
			m.random = true
			m.slow(5)
			m.capped(m.due(), 3, 100*us)
		}, Omission, []Kind{Drift}},
		{"the same, constant service", Poisson, func(m *model) {
			m.slow(5)
			m.capped(m.due(), 3, 100*us)
		}, Omission, []Kind{Drift}},
		{"the same, constant gaps", Constant, func(m *model) {
			m.slow(5)
			m.capped(m.due(), 3, 100*us)
		}, Omission, []Kind{Drift}},
		{"a closed loop of one", Constant, func(m *model) {
			m.slow(1.3)
			m.closed(1, int64(1e9/m.rate)/20)
		}, ClosedLoop, []Kind{Drift}},
		{"a closed loop of ten", Poisson, func(m *model) {
			m.slow(15)
			m.closed(10, int64(1e9/m.rate)/5)
		}, ClosedLoop, []Kind{Drift}},
		{"a closed loop of ten that makes up the rate", Poisson, func(m *model) {
			m.random = true
			m.slow(10)
			m.closed(10, int64(1e9/m.rate)/50)
		}, ClosedLoop, []Kind{Drift}},
		{"a closed loop of one that is slow to turn", Constant, func(m *model) {
			if m.rate < 1000 { // against 10 ms the server's own jitter of 0.1 ms shows nothing
				m.random = true
			}
			m.slow(1.3)
			m.closed(1, int64(1e9/m.rate)/5)
		}, ClosedLoop, []Kind{Drift}},
		{"relative sleeps", Constant, func(m *model) { m.drifting(int64(0.2 * 1e9 / m.rate)) }, Drift, []Kind{Omission, ClosedLoop}},
		{"relative sleeps of random gaps", Poisson, func(m *model) { m.drifting(int64(0.4 * 1e9 / m.rate)) }, Drift, []Kind{Omission, ClosedLoop}},
		{"ten workers of one seed", Poisson, func(m *model) { m.sharedSeed(10) }, SharedSeed, []Kind{Omission, ClosedLoop, Drift}},
		{"two workers of one seed", Poisson, func(m *model) { m.sharedSeed(2) }, SharedSeed, []Kind{Omission, ClosedLoop, Drift}},
		{"exponential for constant", Constant, func(m *model) { m.law = Poisson; m.open(); m.law = Constant }, WrongLaw, []Kind{Omission, ClosedLoop, Drift}},
		{"constant for exponential", Poisson, func(m *model) { m.law = Constant; m.open(); m.law = Poisson }, WrongLaw, []Kind{Omission, ClosedLoop, Drift}},
		{"bursts after pauses", Poisson, func(m *model) { gap := int64(1e9 / m.rate); m.stalling(20*gap, max(20*gap, 10*mS)) }, CatchUp, []Kind{ClosedLoop, Drift}},
		{"a connection for each request", Poisson, func(m *model) { m.perConn = true; m.open() }, ConnEach, []Kind{Omission, Drift}},
		{"retries with bodies that differ", Poisson, func(m *model) { m.failing = 0.05; m.retrying(10 * mS) }, Retries, []Kind{Omission}},
		{"retries of one body", Poisson, func(m *model) { m.failing, m.bodies = 0.05, 1; m.retrying(10 * mS) }, Retries, []Kind{Omission}},
		{"failures that are not told", Poisson, func(m *model) { m.failing = 0.05; m.open() }, HiddenFailures, []Kind{Retries}},
		{"the same, with few bodies", Poisson, func(m *model) { m.failing, m.bodies = 0.05, 5; m.open() }, HiddenFailures, []Kind{Retries}},
	}
	for _, tt := range tests {
		for _, l := range loads {
			t.Run(fmt.Sprintf("%s at %g", tt.name, l.rate), func(t *testing.T) {
				found, n := 0, seeds(20)
				wrong := map[Kind]int{}
				for seed := range n {
					m := newModel(uint64(seed), tt.law, l.rate, l.n)
					tt.run(m)
					got := kinds(m.audited(t, func(in *Input) {
						if m.bodies > 0 {
							in.Asked.Requests = int64(l.n)
						}
						if m.failing > 0 {
							in.Reported = m.said(0.05, nil)
						}
					}))
					if slices.Contains(got, tt.want) {
						found++
					}
					for _, k := range got {
						wrong[k]++
					}
				}
				if 20*found < 19*n {
					t.Errorf("found %d times in %d: %v", found, n, wrong)
				}
				for _, k := range tt.not {
					if 20*wrong[k] > n {
						t.Errorf("taken for %s %d times in %d", k, wrong[k], n)
					}
				}
			})
		}
	}
}

// slow makes the whole service take so many mean gaps of the load.
func (m *model) slow(inFlight float64) {
	service := int64(inFlight * 1e9 / m.rate)
	m.ttft, m.itl = service/2, service/2/9
}
