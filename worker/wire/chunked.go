package wire

import "fmt"

const (
	maxOverhead  = 1 << 20 // bytes of extensions or trailers between data
	maxChunkSize = 1 << 60 // bytes; far from overflow
)

// endPiece follows the last byte of a chunk or of a body with Content-Length.
func (r *Reader) endPiece() {
	if r.phase == inChunk {
		r.phase, r.overhead = inChunkCR, 0
		return
	}
	r.end()
}

// chunkByte reads one byte of the chunked coding outside chunk data (RFC 9112,
// 7.1): sizes in any case and with leading zeros, extensions and trailers of
// any content, CR LF as the only line end of a size line. There are six such
// bytes a chunk, so that a step a byte costs little.
func (r *Reader) chunkByte(c byte) {
	if r.overhead++; r.overhead > maxOverhead {
		r.breakOff("chunk framing", "chunk extensions or trailers longer than 1 MiB")
		return
	}
	switch r.phase {
	case inSize, inSizeMore:
		r.sizeByte(c)
	case inSizeSpace:
		r.afterSize(c)
	case inExtension:
		if c == '\n' {
			r.badChunk(c)
		} else if c == '\r' {
			r.phase = inSizeLF
		}
	case inSizeLF:
		r.expect(c, '\n', inChunk)
		if r.phase == inChunk && r.left == 0 {
			r.phase = inTrailer
		}
	case inChunkCR:
		r.expect(c, '\r', inChunkLF)
	case inChunkLF:
		r.left = 0
		r.expect(c, '\n', inSize)
	default:
		r.trailerByte(c)
	}
}

// sizeByte reads a digit of the size, or what ends it.
func (r *Reader) sizeByte(c byte) {
	d := hexDigit(c)
	switch {
	case d >= 0 && r.left < maxChunkSize>>4:
		r.left = r.left<<4 | int64(d)
		r.phase = inSizeMore
	case d < 0 && r.phase == inSizeMore:
		r.afterSize(c)
	default:
		r.badChunk(c)
	}
}

// afterSize reads what may follow the digits; blanks before an extension are
// legal, if odd.
func (r *Reader) afterSize(c byte) {
	switch c {
	case ' ', '\t':
		r.phase = inSizeSpace
	case ';':
		r.phase = inExtension
	case '\r':
		r.phase = inSizeLF
	default:
		r.badChunk(c)
	}
}

// trailerByte passes over trailer lines up to the empty one.
func (r *Reader) trailerByte(c byte) {
	switch {
	case r.phase == inTrailerLF:
		r.expect(c, '\n', inTrailerLF)
		if r.phase == inTrailerLF {
			r.end()
		}
	case c == '\n' && r.phase == inTrailer:
		r.end()
	case c == '\n':
		r.phase = inTrailer
	case c == '\r' && r.phase == inTrailer:
		r.phase = inTrailerLF
	default:
		r.phase = inTrailerIn
	}
}

// expect goes to the next phase if the byte is the wanted one.
func (r *Reader) expect(got, want byte, next phase) {
	if got != want {
		r.badChunk(got)
		return
	}
	r.phase = next
}

func (r *Reader) badChunk(c byte) {
	r.breakOff("chunk framing", fmt.Sprintf("unexpected %q in chunk framing", c))
}

// hexDigit returns the value of a hexadecimal digit, -1 for any other byte.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
