package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot"
)

// labelled are the ticks that bear a number.
func labelled(ticks []plot.Tick) (labels []string) {
	for _, t := range ticks {
		if t.Label != "" {
			labels = append(labels, t.Label)
		}
	}
	return labels
}

func TestLogTicks(t *testing.T) {
	tests := []struct {
		name     string
		min, max float64
		want     []string
		ticks    int
	}{
		{"within a decade", 120, 600, []string{"200", "500"}, 5}, // 200 to 600
		{"two decades", 0.05, 5, []string{"0.05", "0.1", "0.2", "0.5", "1", "2", "5"}, 19},
		{"many decades", 0.9, 20000, []string{"1", "10", "100", "1000", "10000"}, 39},
	}
	for _, tt := range tests {
		ticks := logTicks{}.Ticks(tt.min, tt.max)
		if d := cmp.Diff(tt.want, labelled(ticks)); d != "" || len(ticks) != tt.ticks {
			t.Errorf("%s: %d ticks, want %d; labels %s", tt.name, len(ticks), tt.ticks, d)
		}
	}
}

// A chart whose cells have no results is not drawn; the others have all their
// words.
func TestDrawChart(t *testing.T) {
	r := canned(t)
	for _, c := range r.source.Charts {
		svg, err := drawChart(c, r.Groups)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"<svg", "</svg>", c.XHead} {
			if !strings.Contains(string(svg), want) {
				t.Errorf("%s: no %q", c.Title, want)
			}
		}
		if c.X == "" && strings.Count(string(svg), ">ttft ") != 2 {
			t.Errorf("%s: not a row for each of two cells", c.Title)
		}
		if svg, err := drawChart(c, nil); svg != "" || err != nil {
			t.Errorf("%s: something of nothing, %v", c.Title, err)
		}
	}
}
