package sim

import (
	"sync"
	"testing"
	"time"

	"tare/analysis/dist"
)

// Of n streams in service each has an ITL of itl + n·perActive: four gaps of
// 2 ms + n·10 ms. Timers may be late, instants are not early.
func TestITLPerActive(t *testing.T) {
	itl, err := dist.Parse("2ms", dist.Duration)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 4} {
		lines := withTruth(t, Config{ITL: itl, ITLPerActive: 10 * time.Millisecond}, func(s *Server) {
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() {
					resp := post(t, s.URL()+"/v1/completions", `{"prompt":"a","max_tokens":5,"stream":true}`)
					events(t, resp.Body)
				})
			}
			wg.Wait()
		})
		for _, l := range lines {
			// The first and the last of several run alone for a moment.
			got, want := time.Duration(*l.Last-*l.First), 4*(2+10*time.Duration(n))*time.Millisecond
			if least := want / 2; got < least || got > want+50*time.Millisecond {
				t.Errorf("%d streams: %v from the first to the last token, want some %v", n, got, want)
			}
		}
	}
	if _, err := New(Config{ITLPerActive: -1}); err == nil {
		t.Error("a negative time was taken")
	}
}
