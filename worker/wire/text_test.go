package wire

import "testing"

// TestReplacement holds broken UTF-8 against the tables of Unicode 16, section
// 3.9 (3-8 to 3-11): one U+FFFD for each longest start of a character.
func TestReplacement(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA"},
		{"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA"},
		{"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", "\ufffd\ufffd\ufffd\ufffd\ufffdA\ufffd\ufffdB"},
		{"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", "\ufffd\ufffd\ufffd\ufffdA"},
		{"whole: é 😀", "whole: é 😀"},
		{`half a pair: \ud83d, and \ude00`, "half a pair: \ufffd, and \ufffd"},
	} {
		if got := string(appendUnquoted(nil, []byte(tt.raw))); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.raw, got, tt.want)
		}
	}
}
