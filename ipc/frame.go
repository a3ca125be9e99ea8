package ipc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// MaxFrame is the greatest length of a frame's body in bytes.
const MaxFrame = 16 << 20

// headLen is the length of a frame's length field.
const headLen = 4

var (
	// ErrTorn says that the stream ended inside a frame.
	ErrTorn = errors.New("the last frame is torn")
	// ErrTooLong says that a frame claims more than MaxFrame bytes.
	ErrTooLong = errors.New("frame longer than the limit")
)

// A FrameReader cuts a stream into frames.
type FrameReader struct {
	r   io.Reader
	buf []byte
}

// NewFrameReader reads frames from r.
func NewFrameReader(r io.Reader) *FrameReader { return &FrameReader{r: r} }

// Next returns the next frame, length field included. It is valid until the
// next call. The error is io.EOF at a clean end, between two frames, and wraps
// ErrTorn where the stream ends inside one.
func (f *FrameReader) Next() (Frame, error) {
	f.buf = slices.Grow(f.buf[:0], headLen)[:headLen]
	if _, err := io.ReadFull(f.r, f.buf); err != nil {
		return nil, torn(err, false)
	}
	n := binary.BigEndian.Uint32(f.buf)
	if n > MaxFrame {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, n, MaxFrame)
	}
	f.buf = slices.Grow(f.buf, int(n))[:headLen+int(n)]
	if _, err := io.ReadFull(f.r, f.buf[headLen:]); err != nil {
		return nil, torn(err, true)
	}
	return Frame(f.buf), nil
}

// torn names the end of a stream: inside a frame both kinds of EOF are one.
func torn(err error, inside bool) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || inside && errors.Is(err, io.EOF) {
		return ErrTorn
	}
	return err
}

// A Frame is one frame's bytes, length field included, as it goes over a
// socket or into a file.
type Frame []byte

// body is the frame without its length field.
func (f Frame) body() []byte { return f[headLen:] }
