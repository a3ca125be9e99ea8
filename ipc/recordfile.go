package ipc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// RecordFileName is the record file's name within a run directory.
const RecordFileName = "records.mpk"

// fileBuffer is the size of the record file's buffers in bytes.
const fileBuffer = 1 << 20

// A RecordWriter appends frames to a record file. One goroutine owns it.
type RecordWriter struct {
	file *os.File
	buf  *bufio.Writer
}

// CreateRecords makes a new record file; it is an error if one is there.
func CreateRecords(path string) (*RecordWriter, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create record file: %w", err)
	}
	return &RecordWriter{file: f, buf: bufio.NewWriterSize(f, fileBuffer)}, nil
}

// Append writes one frame into the buffer.
func (w *RecordWriter) Append(f Frame) error {
	if _, err := w.buf.Write(f); err != nil {
		return fmt.Errorf("write record file: %w", err)
	}
	return nil
}

// AppendMessage writes one message of the supervisor's own.
func (w *RecordWriter) AppendMessage(t Type, message any) error {
	f, err := Marshal(t, Supervisor, message)
	if err != nil {
		return err
	}
	return w.Append(f)
}

// Supervisor stands in the place of a worker's number in frames of the
// supervisor's own.
const Supervisor = -1

// Flush hands the buffer to the kernel, which keeps it if this process dies.
func (w *RecordWriter) Flush() error {
	if err := w.buf.Flush(); err != nil {
		return fmt.Errorf("write record file: %w", err)
	}
	return nil
}

// Close flushes and closes the file.
func (w *RecordWriter) Close() error {
	return errors.Join(w.Flush(), w.file.Close())
}

// A RecordReader reads a record file frame by frame, in one pass and in
// bounded memory.
type RecordReader struct {
	Header Header
	file   *os.File
	frames *FrameReader
	dec    *Decoder
}

// OpenRecords opens a record file and reads its header.
func OpenRecords(path string) (*RecordReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open record file: %w", err)
	}
	r := &RecordReader{file: f, frames: NewFrameReader(bufio.NewReaderSize(f, fileBuffer)), dec: NewDecoder()}
	if err := r.readHeader(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return r, nil
}

func (r *RecordReader) readHeader() error {
	t, _, err := r.Next()
	if errors.Is(err, io.EOF) {
		return errors.New("the record file is empty")
	}
	if err != nil {
		return err
	}
	if t != TypeHeader {
		return errors.New("not a record file: it does not begin with a header")
	}
	if err := r.Message(&r.Header); err != nil {
		return err
	}
	if r.Header.Protocol != Protocol {
		return fmt.Errorf("record file of version %d; this program reads version %d", r.Header.Protocol, Protocol)
	}
	return nil
}

// Next moves to the next frame. Its error is io.EOF at a clean end and wraps
// ErrTorn where the file ends inside a frame.
func (r *RecordReader) Next() (Type, int, error) {
	f, err := r.frames.Next()
	if err != nil {
		return 0, 0, err
	}
	return r.dec.Open(f)
}

// SkipTo moves to the frame at a byte offset of the file.
func (r *RecordReader) SkipTo(offset int64) error {
	if _, err := r.file.Seek(offset, io.SeekStart); err != nil {
		return fmt.Errorf("seek in record file: %w", err)
	}
	r.frames = NewFrameReader(bufio.NewReaderSize(r.file, fileBuffer))
	return nil
}

// Message decodes the current frame's message.
func (r *RecordReader) Message(into any) error { return r.dec.Message(into) }

// Record decodes the next record of the current Records frame; io.EOF after
// its last.
func (r *RecordReader) Record(into *Record) error { return r.dec.Record(into) }

// Close closes the file.
func (r *RecordReader) Close() error { return r.file.Close() }
