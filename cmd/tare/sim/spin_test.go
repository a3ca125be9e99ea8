package sim

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// Spinning moves no instant: nothing goes out early, and several streams are
// served beside one another.
func TestSpin(t *testing.T) {
	cfg := Config{TTFT: law(t, "20ms"), ITL: law(t, "exp(5ms)"), Spin: 500 * time.Microsecond}
	lines := withTruth(t, cfg, func(s *Server) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { events(t, post(t, s.URL()+"/v1/completions", fmt.Sprintf(streamed, 10)).Body) })
		}
		wg.Wait()
	})
	for _, l := range lines {
		if l.Scheduled-l.Arrival != int64(20*time.Millisecond) {
			t.Errorf("request %d was due after %v", l.Request, time.Duration(l.Scheduled-l.Arrival))
		}
		if late := *l.First - l.Scheduled; late < 0 || late > slack {
			t.Errorf("request %d answered %v after its instant", l.Request, time.Duration(late))
		}
		if l.Tokens != 10 || l.Cut {
			t.Errorf("request %d: %+v", l.Request, l)
		}
	}
}
