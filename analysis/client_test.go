package analysis

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tare/ipc"
)

// Both events of every even request, worker 0's, come in one read: 2 events a
// read there, 1 at worker 1, 4/3 together.
func TestEventsPerRead(t *testing.T) {
	s := mustSummarize(t, steady(t, settingsOf(openLoop()), func(r *ipc.Record) *ipc.Record {
		if r.Index%2 == 0 {
			first, second := &r.Output[0], &r.Output[1]
			first.Arrival, first.Read, first.Alone = second.Arrival, second.Read, false
			second.Alone = false
		}
		return r
	}))
	c := s.Client
	if !near(c.Workers[0].EventsPerRead, 2) || !near(c.Workers[1].EventsPerRead, 1) || !near(c.Total.EventsPerRead, 4.0/3) {
		t.Errorf("got %v, %v, together %v, want 2, 1, 4/3", *c.Workers[0].EventsPerRead, *c.Workers[1].EventsPerRead, *c.Total.EventsPerRead)
	}
	if !near(c.Workers[0].SharedReads, 1) || !near(c.Workers[1].SharedReads, 0) || !near(c.SharedReads, 0.5) {
		t.Errorf("shared: got %v, want half", *c.SharedReads)
	}
	said := false
	for _, w := range s.Warnings {
		said = said || w.Path == "client.shared_reads" && strings.Contains(w.Text, "50.0 %") && strings.Contains(w.Text, "upper bounds")
	}
	if !said {
		t.Errorf("warnings: %+v", s.Warnings)
	}
}

// Worker 0's events are read 5 µs after their stamps, worker 1's 105 µs.
func TestClientLagOfEachWorker(t *testing.T) {
	s := mustSummarize(t, steady(t, settingsOf(openLoop()), func(r *ipc.Record) *ipc.Record {
		for i := range r.Output {
			if r.Index%2 == 1 {
				r.Output[i].Read += 100e3
				r.Output[i].Handled += 100e3
			}
		}
		return r
	}))
	c := s.Client
	for _, tt := range []struct {
		what      string
		got       Handling
		p50, p999 float64
	}{
		{"worker 0", c.Workers[0].Handling, 5, 5},
		{"worker 1", c.Workers[1].Handling, 105, 105},
		{"both: the median of nearest rank is the lower", c.Total, 5, 105},
	} {
		if !near(tt.got.LagP50, tt.p50) || !near(tt.got.LagP999, tt.p999) {
			t.Errorf("%s: got %v and %v µs", tt.what, *tt.got.LagP50, *tt.got.LagP999)
		}
	}
}

// Without queue rows, as under goroutine sharding, the rate of events is all
// that is known of the queue.
func TestClientWithoutQueueRows(t *testing.T) {
	s := mustSummarize(t, steady(t, settingsOf(openLoop()), asItIs))
	total := s.Client.Total
	if !near(total.Lambda, *s.Client.Workers[0].Lambda+*s.Client.Workers[1].Lambda) {
		t.Errorf("λ: got %v", total.Lambda)
	}
	if total.Measured != nil || total.MGM != nil || total.Rho != nil {
		t.Errorf("a queue that nobody measured: %+v", total.Queue)
	}
}

func TestEmulationIsLabelled(t *testing.T) {
	settings := settingsOf(openLoop())
	settings.Shape.ServiceTime, settings.Shape.ServiceMode = "exp(1ms)", "held"
	s := mustSummarize(t, steady(t, settings, asItIs))
	if diff := cmp.Diff(&Emulation{ServiceTime: "exp(1ms)", Mode: "held"}, s.Client.Emulation); diff != "" {
		t.Error(diff)
	}
	if s := mustSummarize(t, steady(t, settingsOf(openLoop()), asItIs)); s.Client.Emulation != nil {
		t.Errorf("nothing was emulated: %+v", s.Client.Emulation)
	}
}
