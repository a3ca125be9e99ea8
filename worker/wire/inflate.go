package wire

import "errors"

var errDeflate = errors.New("corrupt deflate data")

// huffman is a canonical code: how many codes of each length there are, and
// the symbols in the order of their codes.
type huffman struct {
	longest int
	count   [16]int
	symbol  [288]uint16
}

// build makes the code of RFC 1951, 3.2.2 from the length of each symbol. It
// must use up all codes, but for one single code of length 1 and for none.
func (h *huffman) build(lengths []byte) bool {
	h.longest, h.count = 0, [16]int{}
	for _, n := range lengths {
		h.count[n]++
		h.longest = max(h.longest, int(n))
	}
	if h.longest == 0 {
		return true
	}
	h.count[0] = 0
	var offset [17]int
	left := 1
	for n := 1; n < 16; n++ {
		left = left<<1 - h.count[n]
		if left < 0 {
			return false
		}
		offset[n+1] = offset[n] + h.count[n]
	}
	for s, n := range lengths {
		if n > 0 {
			h.symbol[offset[n]] = uint16(s)
			offset[n]++
		}
	}
	return left == 0 || h.longest == 1
}

// decode reads one symbol bit by bit, so that it never takes a byte more than
// the symbol needs; -1 after an error.
func (f *inflater) decode(h *huffman) int {
	code, first, index := 0, 0, 0
	for n := 1; n <= h.longest; n++ {
		code |= f.bits(1)
		if code-first < h.count[n] {
			return int(h.symbol[index+code-first])
		}
		index += h.count[n]
		first = (first + h.count[n]) << 1
		code <<= 1
	}
	f.fail(errDeflate)
	return -1
}

// bits reads an n-bit number, n ≤ 13.
func (f *inflater) bits(n uint) int {
	for f.held < n {
		f.hold |= uint32(f.octet()) << f.held
		f.held += 8
	}
	v := f.hold & (1<<n - 1)
	f.hold >>= n
	f.held -= n
	return int(v)
}

// blocks decodes deflate data up to its last block (RFC 1951, 3.2.3).
func (f *inflater) blocks() {
	for last := 0; last == 0 && f.err == nil; {
		last = f.bits(1)
		switch f.bits(2) {
		case 0:
			f.stored()
		case 1:
			f.fixed()
		case 2:
			f.dynamic()
		default:
			f.fail(errDeflate)
		}
	}
}

// stored copies a block that was not compressed (RFC 1951, 3.2.4).
func (f *inflater) stored() {
	f.hold, f.held = 0, 0
	n := int(f.octet()) | int(f.octet())<<8
	not := int(f.octet()) | int(f.octet())<<8
	if f.err == nil && n != not^0xffff {
		f.fail(errDeflate)
	}
	for ; n > 0 && f.err == nil; n-- {
		if c := f.octet(); f.err == nil {
			f.emit(c)
		}
	}
}

// fixed decodes a block with the codes of RFC 1951, 3.2.6. They are built anew
// each time; such blocks are short.
func (f *inflater) fixed() {
	var lengths [288]byte
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	f.literals.build(lengths[:])
	var five [32]byte
	for i := range five {
		five[i] = 5
	}
	f.distances.build(five[:])
	f.codes()
}

// dynamic reads the codes of a block, themselves coded (RFC 1951, 3.2.7).
func (f *inflater) dynamic() {
	literals, distances, codes := f.bits(5)+257, f.bits(5)+1, f.bits(4)+4
	if literals > 286 || distances > 30 {
		f.fail(errDeflate)
		return
	}
	var lengths [286 + 30]byte
	for _, s := range []byte{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}[:codes] {
		lengths[s] = byte(f.bits(3))
	}
	if !f.literals.build(lengths[:19]) {
		f.fail(errDeflate)
		return
	}
	clear(lengths[:19])
	f.lengths(lengths[:literals+distances])
	if f.err == nil && !(f.literals.build(lengths[:literals]) && f.distances.build(lengths[literals:literals+distances])) {
		f.fail(errDeflate)
	}
	f.codes()
}

// lengths reads code lengths with their repeats.
func (f *inflater) lengths(to []byte) {
	for i := 0; i < len(to) && f.err == nil; {
		s := f.decode(&f.literals)
		n, value := 1, byte(0)
		switch {
		case s < 0:
			return
		case s < 16:
			value = byte(s)
		case s == 16 && i > 0:
			n, value = 3+f.bits(2), to[i-1]
		case s == 17:
			n = 3 + f.bits(3)
		case s == 18:
			n = 11 + f.bits(7)
		default:
			n = len(to) + 1
		}
		if i+n > len(to) {
			f.fail(errDeflate)
			return
		}
		for range n {
			to[i] = value
			i++
		}
	}
}

// Base and extra bits of length symbols 257… and of distance symbols (RFC 1951,
// 3.2.5).
var (
	lengthBase    = [29]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra   = [29]uint{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceBase  = [30]int{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distanceExtra = [30]uint{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// codes reads the symbols of a block up to its end mark, 256.
func (f *inflater) codes() {
	for f.err == nil {
		s := f.decode(&f.literals)
		switch {
		case f.err != nil || s == 256:
			return
		case s < 256:
			f.emit(byte(s))
		case s-257 < len(lengthBase):
			f.match(lengthBase[s-257] + f.bits(lengthExtra[s-257]))
		default:
			f.fail(errDeflate)
		}
	}
}

// match repeats n bytes from the window; they may overlap their own copy.
func (f *inflater) match(n int) {
	s := f.decode(&f.distances)
	if s < 0 || s >= len(distanceBase) {
		f.fail(errDeflate)
		return
	}
	distance := distanceBase[s] + f.bits(distanceExtra[s])
	if f.err == nil && distance > len(f.out)-f.first {
		f.fail(errDeflate)
	}
	for ; n > 0 && f.err == nil; n-- {
		f.emit(f.out[len(f.out)-distance])
	}
}

// emit adds a byte of output; when the buffer is full all but the window goes.
func (f *inflater) emit(c byte) {
	if len(f.out) == 2*windowSize {
		f.tell()
		f.out = append(f.out[:0], f.out[windowSize:]...)
		f.told, f.first = len(f.out), max(0, f.first-windowSize)
	}
	f.out = append(f.out, c)
}
