package ipc

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/vmihailenco/msgpack/v5"
)

// Class says how a request failed; the zero value says that it did not.
type Class uint8

// The classes of failure, and Dropped, which was never sent.
const (
	OK          Class = iota
	Connection        // dial, TLS, or the connection ended before a response
	Timeout           // a deadline passed
	HTTPStatus        // a final status outside 2xx
	StreamError       // an error inside a 2xx answer; finish reasons error and abort
	Truncated         // the body's framing or the answer is incomplete
	Parse             // bytes that cannot be read
	Empty             // a complete answer with nothing in it
	NotStream         // a 2xx answer that is no event stream
	Cancelled         // cut off by the end of the run
	Dropped           // no slot at its due time: never sent, no failure
	classes
)

var classNames = [classes]string{
	"ok", "connection", "timeout", "http_status", "stream_error", "truncated",
	"parse", "empty", "not_stream", "cancelled", "dropped",
}

// String returns the name that reports use.
func (c Class) String() string {
	if c < classes {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// Failed tells whether the class is one of failure.
func (c Class) Failed() bool { return c != OK && c != Dropped }

// FailureClasses lists the classes of failure, in the order of reports.
func FailureClasses() []Class {
	var all []Class
	for c := OK + 1; c < Dropped; c++ {
		all = append(all, c)
	}
	return all
}

// Kind says what an output event carried.
type Kind uint8

// The kinds of events. Only the last three are output.
const (
	KindNone Kind = iota // role, finish, usage, [DONE], empty delta
	KindText
	KindReasoning
	KindToolCall
)

// Event is one output event. Instants are ns after the run epoch.
type Event struct {
	Arrival int64 // k: kernel stamp of the read that completed the event; = Read without stamps
	Read    int64 // u: user space had read it
	Handled int64 // v: parsed and recorded
	Tokens  int64 // n: tokens it carried
	Kind    Kind
	Alone   bool // its read completed no other event
}

// Record is all that is known of one arrival. Instants are ns after the run
// epoch; Unknown stands for what was never seen.
type Record struct {
	Index     int64 // number of the arrival in the schedule
	Step      int64
	Class     Class
	Conn      int64 // number of the connection within its worker
	Address   int64 // index into Ready.Addresses
	Scheduled int64 // a; equals Sent in a closed loop
	Sent      int64 // s: just before the first byte was written
	Header    int64 // h: response header readable
	Choice    int64 // k of the first event with choices, output or not
	Done      int64 // d: last byte or error
	Connect   int64 // dial and TLS handshake that this request waited for, ns; Unknown: a warm connection

	Status        int64 // HTTP status; 0: none
	InputTokens   int64 // usage; Unknown: the server gave none
	OutputTokens  int64 // usage; Unknown: the server gave none
	AskedInput    int64 // tokens asked for
	AskedOutput   int64
	Events        int64 // SSE events with data
	ContentEvents int64 // those with output
	FirstContent  int64 // number of the first SSE event with output; Unknown: none
	FirstText     int64 // number of the first SSE event with text; Unknown: none

	FinishReason string
	Sub          string // finer reason within the class
	Message      string // the error in words
	Body         []byte // bounded beginning of a failed answer's body
	Text         string // with --save-text
	Reasoning    string // with --save-text
	Output       []Event
}

// Unknown marks a figure that was never seen.
const Unknown = -1

// recordFields is the length of a record's tuple: the class, ints, strings,
// the body and the packed events.
const recordFields = 1 + 19 + 5 + 2

func (r *Record) ints() [19]*int64 {
	return [19]*int64{
		&r.Index, &r.Step, &r.Conn, &r.Address, &r.Scheduled, &r.Sent, &r.Header,
		&r.Choice, &r.Done, &r.Connect, &r.Status, &r.InputTokens, &r.OutputTokens,
		&r.AskedInput, &r.AskedOutput, &r.Events, &r.ContentEvents, &r.FirstContent, &r.FirstText,
	}
}

func (r *Record) strings() [5]*string {
	return [5]*string{&r.FinishReason, &r.Sub, &r.Message, &r.Text, &r.Reasoning}
}

// encode writes the record's tuple. The events go into one packed field;
// scratch is the memory for it and is returned, perhaps grown.
func (r *Record) encode(e *msgpack.Encoder, scratch []byte) ([]byte, error) {
	err := e.EncodeArrayLen(recordFields)
	if err == nil {
		err = e.EncodeUint(uint64(r.Class))
	}
	for _, v := range r.ints() {
		if err == nil {
			err = e.EncodeInt(*v)
		}
	}
	for _, s := range r.strings() {
		if err == nil {
			err = e.EncodeString(*s)
		}
	}
	scratch = packEvents(scratch[:0], r.Sent, r.Output)
	for _, b := range [][]byte{r.Body, scratch} {
		if err == nil {
			err = e.EncodeBytes(b)
		}
	}
	return scratch, err
}

// decode reads a tuple into r, reusing its slices and, where the text is the
// same again, its strings.
func (r *Record) decode(d *Decoder) error {
	n, err := d.dec.DecodeArrayLen()
	if err != nil {
		return err
	}
	if n != recordFields {
		return fmt.Errorf("record of %d fields, want %d", n, recordFields)
	}
	class, err := d.dec.DecodeUint8()
	if r.Class = Class(class); err == nil && r.Class >= classes {
		return fmt.Errorf("record of unknown class %d", class)
	}
	for _, v := range r.ints() {
		if err == nil {
			*v, err = d.dec.DecodeInt64()
		}
	}
	for _, s := range r.strings() {
		if err == nil {
			err = d.text(s)
		}
	}
	if err == nil {
		r.Body, err = d.bytes(r.Body)
	}
	if err == nil {
		d.scratch, err = d.bytes(d.scratch)
	}
	if err == nil {
		r.Output, err = unpackEvents(r.Output[:0], r.Sent, d.scratch)
	}
	return err
}

// packEvents writes each event as four varints: the arrival after the one
// before it (the first: after base), read − arrival, handled − read, and
// tokens, kind and alone in one.
func packEvents(b []byte, base int64, events []Event) []byte {
	for i := range events {
		e := &events[i]
		b = binary.AppendVarint(b, e.Arrival-base)
		b = binary.AppendVarint(b, e.Read-e.Arrival)
		b = binary.AppendVarint(b, e.Handled-e.Read)
		meta := e.Tokens<<3 | int64(e.Kind&3)<<1
		if e.Alone {
			meta |= 1
		}
		b = binary.AppendVarint(b, meta)
		base = e.Arrival
	}
	return b
}

// errEvents is a packed events field that does not parse.
var errEvents = errors.New("packed events end inside a number")

func unpackEvents(events []Event, base int64, b []byte) ([]Event, error) {
	for len(b) > 0 {
		var v [4]int64
		for i := range v {
			x, n := binary.Varint(b)
			if n <= 0 {
				return events, errEvents
			}
			v[i], b = x, b[n:]
		}
		e := Event{Arrival: base + v[0], Tokens: v[3] >> 3, Kind: Kind(v[3] >> 1 & 3), Alone: v[3]&1 == 1}
		e.Read = e.Arrival + v[1]
		e.Handled = e.Read + v[2]
		events = append(events, e)
		base = e.Arrival
	}
	return events, nil
}
