package wire

import (
	"unicode/utf16"
	"unicode/utf8"
)

// appendUnquoted appends the text that raw, valid JSON between its quotes,
// stands for. Halves of surrogate pairs become U+FFFD.
func appendUnquoted(dst, raw []byte) []byte {
	for len(raw) > 0 {
		i := special(raw, 0)
		dst = appendValid(dst, raw[:i])
		if i == len(raw) {
			break
		}
		raw = raw[i:]
		n := max(escapeLen(raw), 1)
		if n == 6 {
			var c rune
			c, n = unescapeRune(raw)
			dst = utf8.AppendRune(dst, c)
		} else {
			dst = append(dst, unescape(raw[n-1]))
		}
		raw = raw[n:]
	}
	return dst
}

// unescape returns the character that a backslash and c stand for; a quote, a
// slash and a backslash stand for themselves.
func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// unescapeRune reads \uXXXX, or two of them that make a pair.
func unescapeRune(b []byte) (c rune, n int) {
	c = hex4(b[2:6])
	if !utf16.IsSurrogate(c) {
		return c, 6
	}
	if escapeLen(b[6:]) == 6 {
		if pair := utf16.DecodeRune(c, hex4(b[8:12])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// hex4 reads four hexadecimal digits.
func hex4(b []byte) (c rune) {
	for _, d := range b {
		c = c<<4 | rune(hexDigit(d))
	}
	return c
}

// appendValid appends b with invalid UTF-8 replaced as the WHATWG decoder does:
// one U+FFFD for each longest start of a character (Unicode 16, 3.9), where
// Go's own conversions put one for each byte.
func appendValid(dst, b []byte) []byte {
	if utf8.Valid(b) {
		return append(dst, b...)
	}
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		if c == utf8.RuneError && n == 1 {
			n = brokenLen(b)
		}
		dst = utf8.AppendRune(dst, c)
		b = b[n:]
	}
	return dst
}

// brokenLen returns how many bytes of invalid b belong to one character.
func brokenLen(b []byte) int {
	more, lo, hi := 0, byte(0x80), byte(0xbf)
	switch c := b[0]; {
	case 0xc2 <= c && c <= 0xdf:
		more = 1
	case 0xe0 <= c && c <= 0xef:
		more = 2
	case 0xf0 <= c && c <= 0xf4:
		more = 3
	}
	switch b[0] {
	case 0xe0:
		lo = 0xa0
	case 0xed:
		hi = 0x9f
	case 0xf0:
		lo = 0x90
	case 0xf4:
		hi = 0x8f
	}
	n := 1
	for n <= more && n < len(b) && lo <= b[n] && b[n] <= hi {
		n++
		lo, hi = 0x80, 0xbf
	}
	return n
}

// trimPartial takes off the first bytes of a character that was cut.
func trimPartial(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}
