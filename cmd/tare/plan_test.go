package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// An event of the simulator is some 180 bytes with its framing; a request is
// its head and some five bytes a token.
func TestWireSizes(t *testing.T) {
	for _, endpoint := range []string{"", "completions", "chat", "messages"} {
		short, err := wireSizes(t.Context(), endpoint, 32)
		if err != nil {
			t.Fatal(err)
		}
		if short.Event < 80 || short.Event > 300 || short.Answer < 100 || short.Answer > 1500 {
			t.Errorf("%q: %+v", endpoint, short)
		}
		long, err := wireSizes(t.Context(), endpoint, 1032)
		if err != nil {
			t.Fatal(err)
		}
		if more := long.Request - short.Request; more < 3000 || more > 8000 {
			t.Errorf("%q: 1,000 more tokens are %v bytes", endpoint, more)
		}
	}
}

// A calibration has many streams with events well apart, and is steady long
// before its warm-up ends.
func TestCalibrationArgs(t *testing.T) {
	for _, events := range []float64{1, 10, 200} {
		for _, length := range []time.Duration{400 * time.Millisecond, 8 * time.Second} {
			for _, rate := range []float64{100, 1000, 20000} {
				c := calibration{events: events, input: 32}
				args := strings.Join(c.args("dir", rate, length), " ")
				gap, err := time.ParseDuration(between(args, "--sim-itl=uniform(", ","))
				if err != nil {
					t.Fatal(args, err)
				}
				gap *= 2
				e2e := gap * time.Duration(events+1)
				if gap < leastGap || e2e > length/4 && gap > leastGap {
					t.Errorf("%v events at %v/s for %v: gaps of %v, %v in flight", events, rate, length, gap, e2e)
				}
				if streams := rate * e2e.Seconds(); streams > 1.01*mostStreams && gap > leastGap {
					t.Errorf("%v events at %v/s: %v streams", events, rate, streams)
				}
				if want := fmt.Sprintf("--rate=%.1f", rate); !strings.Contains(args, want) {
					t.Errorf("%s lacks %s", args, want)
				}
			}
		}
	}
}

func between(s, before, after string) string {
	_, s, _ = strings.Cut(s, before)
	s, _, _ = strings.Cut(s, after)
	return s
}
