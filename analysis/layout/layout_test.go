package layout

import (
	"strings"
	"testing"
)

func TestGrid(t *testing.T) {
	var g Grid
	g.Add("ms", "p50", "")
	g.Add("TTFT", "7", "±½")
	const want = "ms    p50\nTTFT    7  ±½\n"
	if got := g.String(); got != want {
		t.Errorf("got %q, want %q: columns by characters, no blanks at the end", got, want)
	}
}

func TestNumber(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		want string
		why  string
	}{
		{1234.5, "1234", "no decimals from 1,000 on"},
		{123.45, "123.5", "four digits"},
		{12.345, "12.35", ""},
		{1.2345, "1.234", "three decimals at most"},
		{-0.0001, "0.000", "nothing has no sign"},
	} {
		if got := Number(&tt.x); got != tt.want {
			t.Errorf("%v: got %s, want %s: %s", tt.x, got, tt.want, tt.why)
		}
	}
	if Number(nil) != Undefined || Percent(nil) != Undefined {
		t.Error("what is undefined has no figure")
	}
}

func TestItem(t *testing.T) {
	word := strings.Repeat("x", 60)
	if got, want := Item(word+"  "+word), "  - "+word+"\n    "+word+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
