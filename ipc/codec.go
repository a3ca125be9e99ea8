package ipc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/vmihailenco/msgpack/v5"
)

// Marshal makes a frame of a message other than Records.
func Marshal(t Type, worker int, message any) (Frame, error) {
	b := newBuilder(256)
	if err := b.begin(t, worker); err != nil {
		return nil, err
	}
	if err := b.enc.Encode(message); err != nil {
		return nil, fmt.Errorf("encode %T: %w", message, err)
	}
	return b.end()
}

// A Batch collects records into one frame. It is not safe for concurrent use.
type Batch struct {
	b       *builder
	worker  int
	records int
	scratch []byte
}

// NewBatch returns an empty batch with room for about size bytes.
func NewBatch(worker, size int) *Batch {
	return &Batch{b: newBuilder(size), worker: worker}
}

// Add appends a record. After an error the batch is as it was before.
func (b *Batch) Add(r *Record) error {
	if b.records == 0 {
		if err := b.b.begin(TypeRecords, b.worker); err != nil {
			return err
		}
	}
	mark := b.b.buf.Len()
	var err error
	b.scratch, err = r.encode(b.b.enc, b.scratch)
	if err != nil {
		b.b.buf.Truncate(mark)
		return fmt.Errorf("encode record %d: %w", r.Index, err)
	}
	b.records++
	return nil
}

// Len is the number of bytes collected.
func (b *Batch) Len() int { return b.b.buf.Len() }

// Records is the number of records collected.
func (b *Batch) Records() int { return b.records }

// Frame returns the batch as a frame, valid until Reset.
func (b *Batch) Frame() (Frame, error) { return b.b.end() }

// Reset empties the batch.
func (b *Batch) Reset() {
	b.b.buf.Reset()
	b.records = 0
}

// builder encodes one frame into memory that it keeps.
type builder struct {
	buf bytes.Buffer
	enc *msgpack.Encoder
}

func newBuilder(size int) *builder {
	b := &builder{}
	b.buf.Grow(size)
	b.enc = msgpack.NewEncoder(&b.buf)
	b.enc.UseCompactInts(true)
	b.enc.UseArrayEncodedStructs(true) // tuples: names in every frame would be most of it
	return b
}

func (b *builder) begin(t Type, worker int) error {
	b.buf.Reset()
	b.buf.Write(make([]byte, headLen))
	if err := b.enc.EncodeUint(uint64(t)); err != nil {
		return err
	}
	return b.enc.EncodeInt(int64(worker))
}

func (b *builder) end() (Frame, error) {
	f := Frame(b.buf.Bytes())
	n := len(f) - headLen
	if n > MaxFrame {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, n, MaxFrame)
	}
	binary.BigEndian.PutUint32(f, uint32(n))
	return f, nil
}

// A Decoder reads the messages in frames and keeps its memory between them.
type Decoder struct {
	dec     *msgpack.Decoder
	src     bytes.Reader
	scratch []byte
}

// NewDecoder returns a Decoder.
func NewDecoder() *Decoder {
	d := &Decoder{}
	d.dec = msgpack.NewDecoder(&d.src)
	return d
}

// Open begins a frame and says what it holds and from which worker.
func (d *Decoder) Open(f Frame) (t Type, worker int, err error) {
	d.src.Reset(f.body())
	d.dec.Reset(&d.src)
	raw, err := d.dec.DecodeUint8()
	if err != nil {
		return 0, 0, fmt.Errorf("decode frame type: %w", err)
	}
	worker, err = d.dec.DecodeInt()
	if err != nil {
		return 0, 0, fmt.Errorf("decode frame's worker: %w", err)
	}
	return Type(raw), worker, nil
}

// Message decodes the message of the frame that Open began.
func (d *Decoder) Message(into any) error {
	if err := d.sound(); err != nil {
		return fmt.Errorf("decode %T: %w", into, err)
	}
	if err := d.dec.Decode(into); err != nil {
		return fmt.Errorf("decode %T: %w", into, err)
	}
	return nil
}

// sound walks over the message without decoding it: a length that claims more
// than the frame holds is found before memory is taken for it.
func (d *Decoder) sound() error {
	at := d.src.Size() - int64(d.src.Len())
	if err := d.dec.Skip(); err != nil {
		return err
	}
	_, err := d.src.Seek(at, io.SeekStart)
	return err
}

// Record decodes the next record of a Records frame into r, whose memory is
// used again; io.EOF after the last.
func (d *Decoder) Record(r *Record) error {
	if d.src.Len() == 0 {
		return io.EOF
	}
	if err := r.decode(d); err != nil {
		return fmt.Errorf("decode record: %w", err)
	}
	return nil
}

// bytes reads a bin or str value into b.
func (d *Decoder) bytes(b []byte) ([]byte, error) {
	n, err := d.dec.DecodeBytesLen()
	if err != nil {
		return b, err
	}
	if n = max(n, 0); n > d.src.Len() {
		return b, fmt.Errorf("%d bytes claimed, %d left in the frame", n, d.src.Len())
	}
	b = slices.Grow(b[:0], n)[:n]
	return b, d.dec.ReadFull(b)
}

// text reads a str value into s; the same text again allocates nothing.
func (d *Decoder) text(s *string) (err error) {
	if d.scratch, err = d.bytes(d.scratch); err == nil && string(d.scratch) != *s {
		*s = string(d.scratch)
	}
	return err
}
