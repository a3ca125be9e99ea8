package wire

import (
	"encoding/binary"
	"math/bits"
)

// scan walks over JSON text without building anything. It is strict: whatever
// is not valid JSON by RFC 8259, or is valid but beyond what its caller
// expects, sets bad, and the caller turns to the decoder. It refuses nothing by
// itself, so that only the decoder's word fails a request.
type scan struct {
	b   []byte
	i   int
	bad bool
}

// maxDepth bounds the nesting that the scan follows; the decoder takes deeper.
const maxDepth = 32

// space passes over white space and returns the byte behind it, 0 at the end.
func (s *scan) space() byte {
	for s.i < len(s.b) {
		c := s.b[s.i]
		if c > ' ' || !isSpace(c) {
			return c
		}
		s.i++
	}
	return 0
}

// open enters an object or array, by its bracket, and tells whether it has an
// element. Close brackets are two behind open ones in ASCII.
func (s *scan) open(bracket byte) bool {
	if s.space() != bracket {
		return s.fail()
	}
	s.i++
	if s.space() == bracket+2 {
		s.i++
		return false
	}
	return true
}

// next leaves an element and tells whether another follows.
func (s *scan) next(bracket byte) bool {
	if s.bad {
		return false
	}
	switch s.space() {
	case ',':
		s.i++
		return true
	case bracket + 2:
		s.i++
		return false
	}
	return s.fail()
}

// fail makes the whole text bad.
func (s *scan) fail() bool {
	s.bad = true
	return false
}

// end tells whether the whole text was read and understood.
func (s *scan) end() bool {
	return !s.bad && s.space() == 0 && s.i == len(s.b)
}

// key reads a member's name and the colon. A name with escapes is for the
// decoder.
func (s *scan) key() []byte {
	if s.space() != '"' {
		s.bad = true
		return nil
	}
	start := s.i + 1
	if s.string() || s.bad {
		s.bad = true
		return nil
	}
	name := s.b[start : s.i-1]
	if s.space() != ':' {
		s.bad = true
		return nil
	}
	s.i++
	return name
}

// str reads a string and returns what stands between its quotes, undecoded;
// null reads as nil. Any other value is bad.
func (s *scan) str() []byte {
	if s.bad {
		return nil
	}
	if s.space() != '"' {
		s.null()
		return nil
	}
	start := s.i + 1
	if s.string(); s.bad {
		return nil
	}
	return s.b[start : s.i-1]
}

// count reads a whole number without sign, or null as -1.
func (s *scan) count() int {
	if s.bad {
		return -1
	}
	if s.space() == 'n' {
		s.null()
		return -1
	}
	start, n := s.i, 0
	for s.i < len(s.b) && isDigit(s.b[s.i]) {
		n = n*10 + int(s.b[s.i]-'0')
		s.i++
	}
	if d := s.i - start; d == 0 || d > maxDigits || d > 1 && s.b[start] == '0' {
		s.bad = true
	}
	return n
}

// maxDigits keeps counts far from the end of int64 and of exact float64.
const maxDigits = 15

// null reads null; anything else is bad.
func (s *scan) null() { s.word("null") }

// isNull passes over null, if it is next.
func (s *scan) isNull() bool {
	if s.bad || s.space() != 'n' {
		return false
	}
	s.null()
	return true
}

// word reads the given literal.
func (s *scan) word(w string) {
	s.space()
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		s.bad = true
		return
	}
	s.i += len(w)
}

// skip passes over any value.
func (s *scan) skip() { s.skipAt(maxDepth) }

// skipAt is skip with at most depth levels of nesting.
func (s *scan) skipAt(depth int) {
	if s.bad || depth == 0 {
		s.bad = true
		return
	}
	switch c := s.space(); c {
	case '"':
		s.string()
	case '{':
		for more := s.open('{'); more; more = s.next('{') {
			s.key()
			s.skipAt(depth - 1)
		}
	case '[':
		for more := s.open('['); more; more = s.next('[') {
			s.skipAt(depth - 1)
		}
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.null()
	default:
		s.number()
	}
}

// number passes over a number: -? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?
func (s *scan) number() {
	s.accept('-', '-')
	if !s.accept('0', '0') {
		s.digits()
	}
	if s.accept('.', '.') {
		s.digits()
	}
	if s.accept('e', 'E') {
		s.accept('+', '-')
		s.digits()
	}
}

// accept passes over one byte if it is either of two.
func (s *scan) accept(a, b byte) bool {
	if s.i < len(s.b) && (s.b[s.i] == a || s.b[s.i] == b) {
		s.i++
		return true
	}
	return false
}

// digits passes over one digit or more.
func (s *scan) digits() {
	start := s.i
	for s.i < len(s.b) && isDigit(s.b[s.i]) {
		s.i++
	}
	if s.i == start {
		s.bad = true
	}
}

// string passes over a string, the cursor on its quote, and tells whether it
// has escapes. Control characters are bad; invalid UTF-8 is not, as an event
// stream is decoded with replacement before JSON sees it.
func (s *scan) string() (escaped bool) {
	s.i++
	for {
		s.i = special(s.b, s.i)
		if s.i == len(s.b) {
			s.bad = true
			return
		}
		switch s.b[s.i] {
		case '"':
			s.i++
			return
		case '\\':
			escaped = true
			n := escapeLen(s.b[s.i:])
			if n == 0 {
				s.bad = true
				return
			}
			s.i += n
		default:
			s.bad = true
			return
		}
	}
}

// special returns the position of the first quote, backslash or control
// character from i on, eight bytes at a time (Mycroft's test for a zero byte:
// the lowest marked byte is exact, false marks can only stand above it).
func special(b []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, slash := x^('"'*ones), x^('\\'*ones)
		m := (x-' '*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash
		if m &= highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' || c == '"' || c == '\\' {
			return i
		}
	}
	return i
}

// escapeLen returns the length of the escape that b starts with, 0 if it is
// none.
func escapeLen(b []byte) int {
	if len(b) < 2 || b[0] != '\\' {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, c := range b[2:6] {
			if hexDigit(c) < 0 {
				return 0
			}
		}
		return 6
	}
	return 0
}
