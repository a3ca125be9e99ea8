package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The schedule is a matter of the seed and the law alone: as many workers as
// one likes, and either sharding, are handed the same arrivals at the same
// instants.
func TestSameSeedSameSchedule(t *testing.T) {
	const requests = 300
	for _, law := range []string{"poisson", "constant", "gamma --burstiness 0.5"} {
		t.Run(law, func(t *testing.T) {
			t.Parallel()
			var first map[int64]int64
			for _, sharding := range []string{
				"--workers 1", "--workers 2", "--workers 7",
				"--workers 1 --sharding goroutine", "--workers 2 --sharding goroutine", "--workers 7 --sharding goroutine",
			} {
				got := schedule(t, fmt.Sprintf("--seed 11 --rate 1500 --requests %d --output-tokens 1 --arrival %s %s", requests, law, sharding))
				if len(got) != requests {
					t.Fatalf("%s: %d requests on file, want %d", sharding, len(got), requests)
				}
				if first == nil {
					first = got
				}
				if diff := cmp.Diff(first, got); diff != "" {
					t.Errorf("%s: index to ns after the first arrival (-one worker +this)\n%s", sharding, diff)
				}
			}
		})
	}
}

// Another seed is another schedule; this test shows that the one above can
// fail.
func TestOtherSeedOtherSchedule(t *testing.T) {
	t.Parallel()
	a := schedule(t, "--seed 1 --rate 1500 --requests 20 --output-tokens 1")
	b := schedule(t, "--seed 2 --rate 1500 --requests 20 --output-tokens 1")
	if cmp.Equal(a, b) {
		t.Error("seeds 1 and 2 give the same instants")
	}
}

// schedule runs tare and returns the scheduled instant of each request, ns
// after the first, by its index.
func schedule(t *testing.T, flags string) map[int64]int64 {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	tareOutput(t, append([]string{"run", "--quiet", "--out", dir}, strings.Fields(flags)...)...)
	at := map[int64]int64{}
	earliest := int64(math.MaxInt64)
	lines := bufio.NewScanner(bytes.NewReader(tareOutput(t, "analyze", dir, "--per-request")))
	for lines.Scan() {
		var r struct {
			Index     int64   `json:"index"`
			Scheduled float64 `json:"scheduled_ms"`
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		at[r.Index] = int64(math.Round(r.Scheduled * 1e6))
		earliest = min(earliest, at[r.Index])
	}
	for i := range at {
		at[i] -= earliest
	}
	return at
}

// tareOutput runs the program and returns its stdout.
func tareOutput(t *testing.T, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("tare", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tare %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}
