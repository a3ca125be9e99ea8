package wire

import (
	"bytes"
	"strconv"
)

// sse is the state of the event stream between two pieces of the body.
type sse struct {
	bom     int    // bytes of the leading byte order mark seen; bomDone when past it
	skipLF  bool   // the last line ended in CR: a LF now belongs to that line end
	pending []byte // a line that has not ended yet

	lines int    // data lines of the event so far
	ref   []byte // its data, still in the pushed buffer, or
	data  []byte // its data, copied
	name  []byte // its event field
}

const (
	mark    = "\xef\xbb\xbf"
	bomDone = len(mark)
)

// pushSSE reads a piece of an event stream by the WHATWG rules: lines end in
// LF, CR LF or CR, an empty line ends the event. The line end is seen at its
// first byte, so that the event of a CR stream does not wait for the next.
func (r *Reader) pushSSE(b []byte) {
	s := &r.sse
	if s.bom < bomDone {
		b = s.skipMark(b)
	}
	// Positions of the next LF and CR, so that each is sought once per buffer.
	lf, cr := -1, -1
	for i := 0; i < len(b) && !r.settled; {
		if s.skipLF {
			s.skipLF = false
			if b[i] == '\n' {
				i++
				continue
			}
		}
		lf, cr = seek(b, '\n', i, lf), seek(b, '\r', i, cr)
		end := min(lf, cr)
		if end == len(b) {
			r.pend(b[i:])
			break
		}
		s.skipLF = end == cr
		if len(s.pending) == 0 {
			r.line(b[i:end])
		} else {
			r.endPending(b[i:end])
		}
		i = end + 1
	}
	if s.ref != nil {
		s.data = append(s.data[:0], s.ref...)
		s.ref = nil
	}
}

// seek returns the position of the first c in b from i on, len(b) if there is
// none. known is an earlier answer, right as long as it is not before i.
func seek(b []byte, c byte, i, known int) int {
	if known >= i {
		return known
	}
	n := bytes.IndexByte(b[i:], c)
	if n < 0 {
		return len(b)
	}
	return i + n
}

// skipMark drops one byte order mark at the very start of the stream, however
// it is cut.
func (s *sse) skipMark(b []byte) []byte {
	for len(b) > 0 && s.bom < bomDone {
		if b[0] != mark[s.bom] {
			s.pending = append(s.pending, mark[:s.bom]...)
			s.bom = bomDone
			break
		}
		s.bom++
		b = b[1:]
	}
	return b
}

// pend keeps a piece of a line that has not ended yet.
func (r *Reader) pend(piece []byte) {
	if r.fits(len(r.sse.pending) + len(piece)) {
		r.sse.pending = append(r.sse.pending, piece...)
	}
}

// endPending takes the last piece of a line that came in several. The data of
// such a line is copied, as the buffer is used again for the next line.
func (r *Reader) endPending(piece []byte) {
	s := &r.sse
	r.pend(piece)
	r.line(s.pending)
	if s.ref != nil {
		s.data = append(s.data[:0], s.ref...)
		s.ref = nil
	}
	s.pending = s.pending[:0]
}

// fits tells whether n bytes are within the limit, and fails the request if not:
// a line cut short would pass for a shorter answer.
func (r *Reader) fits(n int) bool {
	if n <= r.opt.MaxLine {
		return true
	}
	r.settle(Parse, "line too long", "line or event longer than "+strconv.Itoa(r.opt.MaxLine)+" bytes")
	return false
}

// line takes one line without its end.
func (r *Reader) line(line []byte) {
	if !r.fits(len(line)) {
		return
	}
	if len(line) == 0 {
		r.dispatch()
		return
	}
	if len(line) >= 5 && string(line[:5]) == "data:" {
		r.dataLine(fieldValue(line[5:]))
		return
	}
	name, value := line, []byte(nil)
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		name, value = line[:i], fieldValue(line[i+1:])
	}
	switch string(name) {
	case "": // a comment
	case "data":
		r.dataLine(nil)
	case "event":
		r.sse.name = append(r.sse.name[:0], value...)
	case "error":
		// No field of the standard: builds of llama.cpp put errors here.
		if len(value) > 0 && string(value) != "null" {
			sub, message := errorBody(value)
			r.settle(StreamError, sub, message)
		}
	case "id", "retry":
	default:
		r.foreign = true
	}
}

// fieldValue takes off the one blank that may follow the colon.
func fieldValue(v []byte) []byte {
	if len(v) > 0 && v[0] == ' ' {
		return v[1:]
	}
	return v
}

// dataLine adds a line to the data of the event.
func (r *Reader) dataLine(value []byte) {
	s := &r.sse
	if s.lines++; s.lines == 1 {
		s.data, s.ref = s.data[:0], value
		return
	}
	if s.ref != nil {
		s.data = append(s.data[:0], s.ref...)
		s.ref = nil
	}
	if r.fits(len(s.data) + 1 + len(value)) {
		s.data = append(append(s.data, '\n'), value...)
	}
}

// dispatch ends an event. A block without data is none, unless its name says
// error; data of white space only is a heartbeat.
func (r *Reader) dispatch() {
	s := &r.sse
	data := s.data
	if s.ref != nil {
		data = s.ref
	}
	if s.lines > 0 || len(s.name) > 0 {
		r.event(s.name, trimSpace(data))
	}
	s.lines, s.ref, s.data, s.name = 0, nil, s.data[:0], s.name[:0]
}

// flushSSE takes the event that the end of the body cut short: it counts if
// its data is whole, and tells whether nothing was lost.
func (r *Reader) flushSSE() bool {
	s := &r.sse
	if r.settled || !r.opt.Stream || r.failedStatus() {
		return true
	}
	if len(s.pending) > 0 {
		r.endPending(nil)
	}
	if r.settled || s.lines == 0 && len(s.name) == 0 {
		return true
	}
	data := trimSpace(s.data)
	if string(s.name) != "error" && !isDone(data) && len(data) > 0 && r.parse(s.name, data) != nil {
		return false
	}
	r.dispatch()
	return true
}

// trimSpace takes off the white space of JSON.
func trimSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func isDone(data []byte) bool { return string(data) == "[DONE]" }
