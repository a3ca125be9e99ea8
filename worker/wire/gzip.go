package wire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"iter"
)

// inflater undoes gzip (RFC 1952) as it comes. It runs as a coroutine, which
// hands out what the input so far makes readable and then nil to ask for more.
// The standard decoder would not do: it holds back up to 32 KiB until the
// compressor's flush mark is read, and so would see an event later than its
// last byte.
type inflater struct {
	in    []byte
	eof   bool  // no input will follow
	err   error // why the decoder ended, io.EOF if as it should
	next  func() ([]byte, bool)
	stop  func()
	yield func([]byte) bool

	hold  uint32 // bits read and not used, the first one lowest
	held  uint   // their number, below 8 between symbols
	out   []byte // the newest output, at least the last windowSize bytes
	told  int    // how much of out was handed out
	first int    // where in out the member begins
	crc   uint32
	size  uint32

	literals, distances huffman
}

const (
	windowSize = 32 << 10
	gzipMagic  = "\x1f\x8b\x08"
)

var (
	errGzip    = errors.New("not a gzip body")
	errStopped = errors.New("decoder stopped")
)

// newInflater makes a decoder that its owner must stop.
func newInflater() *inflater {
	f := &inflater{}
	f.next, f.stop = iter.Pull(f.run)
	return f
}

// run decodes member after member; what follows the last is passed over, as
// gzip itself does.
func (f *inflater) run(yield func([]byte) bool) {
	f.yield = yield
	for members := 0; f.err == nil; members++ {
		if members > 0 && !f.more() {
			f.fail(io.EOF)
		}
		f.header()
		if members > 0 && f.err == errGzip {
			f.err = io.EOF
		}
		f.blocks()
		f.trailer()
	}
	if f.err != errStopped {
		f.tell() // what came before the fault
	}
}

// more tells whether a byte can be had, waiting for it.
func (f *inflater) more() bool {
	if f.err != nil {
		return false
	}
	if len(f.in) == 0 {
		f.tell()
	}
	for len(f.in) == 0 && f.err == nil && !f.eof {
		if !f.yield(nil) {
			f.err = errStopped
		}
	}
	return len(f.in) > 0 && f.err == nil
}

// tell hands out what has not been yet.
func (f *inflater) tell() {
	piece := f.out[f.told:]
	if f.told = len(f.out); len(piece) > 0 {
		f.crc = crc32.Update(f.crc, crc32.IEEETable, piece)
		f.size += uint32(len(piece))
		if !f.yield(piece) {
			f.err = errStopped
		}
	}
}

// fail keeps the first error.
func (f *inflater) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// octet returns the next byte of input, 0 after an error.
func (f *inflater) octet() byte {
	if !f.more() {
		f.fail(io.ErrUnexpectedEOF)
		return 0
	}
	c := f.in[0]
	f.in = f.in[1:]
	return c
}

// header reads a member's header (RFC 1952, 2.3).
func (f *inflater) header() {
	var h [10]byte
	for i := range h {
		h[i] = f.octet()
		if i < len(gzipMagic) && h[i] != gzipMagic[i] {
			f.fail(errGzip)
		}
	}
	const headCRC, extra, name, comment = 2, 4, 8, 16
	sum := crc32.ChecksumIEEE(h[:])
	read := func() byte {
		c := f.octet()
		sum = crc32.Update(sum, crc32.IEEETable, []byte{c})
		return c
	}
	flags := h[3]
	if flags&extra != 0 {
		for n := int(read()) | int(read())<<8; n > 0 && f.err == nil; n-- {
			read()
		}
	}
	for _, flag := range []byte{name, comment} {
		for flags&flag != 0 && read() != 0 && f.err == nil {
		}
	}
	if flags&headCRC != 0 {
		if want := uint16(sum); uint16(f.octet())|uint16(f.octet())<<8 != want {
			f.fail(errors.New("gzip header checksum"))
		}
	}
	f.first, f.crc, f.size = len(f.out), 0, 0
}

// trailer checks sum and size (RFC 1952, 2.3.1).
func (f *inflater) trailer() {
	f.hold, f.held = 0, 0 // the rest of the last byte
	if f.err == nil {
		f.tell()
	}
	var b [8]byte
	for i := range b {
		b[i] = f.octet()
	}
	if f.err == nil && (binary.LittleEndian.Uint32(b[:]) != f.crc || binary.LittleEndian.Uint32(b[4:]) != f.size) {
		f.fail(errors.New("gzip checksum"))
	}
}

// pushInflate decodes a piece of the body. A body without a byte starts no
// decoder, so that a coding named on it is no fault.
func (r *Reader) pushInflate(b []byte) {
	if r.inflate == nil {
		r.inflate = newInflater()
	}
	r.inflate.in = b
	r.drainInflate()
}

// drainInflate passes on what the decoder gives until it wants more.
func (r *Reader) drainInflate() {
	for f := r.inflate; f != nil && r.inflate == f; {
		out, more := f.next()
		if !more {
			r.endInflate(f.err)
			return
		}
		if out == nil {
			return
		}
		r.payload(out)
	}
}

// endInflate judges how the decoder ended. A broken body under a bad status is
// still that status.
func (r *Reader) endInflate(err error) {
	switch {
	case err == io.EOF || r.failedStatus():
	case err == io.ErrUnexpectedEOF:
		r.settle(Truncated, "gzip", "read gzip body: "+err.Error())
	default:
		r.settle(Parse, "gzip", "read gzip body: "+err.Error())
	}
}

// finishInflate tells the decoder that its input is whole.
func (r *Reader) finishInflate() {
	if r.inflate != nil {
		r.inflate.eof = true
		r.drainInflate()
		r.stopInflate()
	}
}

// stopInflate ends the coroutine.
func (r *Reader) stopInflate() {
	if r.inflate != nil {
		r.inflate.stop()
		r.inflate = nil
	}
}
