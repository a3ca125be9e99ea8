package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Request is a line of the simulator's truth log: what the server saw of one
// request and when. Instants are CLOCK_MONOTONIC ns; 0 is "never".
type Request struct {
	Number    uint64 `json:"request"`
	Conn      uint64 `json:"conn"`               // the connection that it came on
	Accepted  int64  `json:"accepted_ns"`        // that connection was accepted
	Arrival   int64  `json:"arrival_ns"`         // kernel stamp of the request's last byte
	Read      int64  `json:"read_ns"`            // the server had read it
	Scheduled int64  `json:"scheduled_first_ns"` // the first token was due
	Opening   int64  `json:"opening_ns"`         // just before the write of an event without output that comes first
	First     int64  `json:"first_write_ns"`     // just before the write of the first token
	Last      int64  `json:"last_write_ns"`      // of the last token
	End       int64  `json:"end_ns"`             // of what ends the answer: finish, usage, [DONE]
	Tokens    int64  `json:"tokens"`
	Input     int64  `json:"input_tokens"`
	Status    int    `json:"status"`
	Fault     string `json:"fault"`
	Cut       bool   `json:"cut"`      // the client left before the end
	BodyCRC   uint32 `json:"body_crc"` // CRC-32C of the request's body
	Stream    *bool  `json:"stream"`   // nil: the log does not say, and it streamed
}

// answered is the status of an answer that is one.
const answered = 200

// harmless are the faults that leave a whole answer behind.
var harmless = map[string]bool{"": true, "slow-header": true, "close": true}

// failed tells if the server gave no whole answer, by its own doing.
func (r *Request) failed() bool {
	return r.Status != answered && !(r.Status == 0 && r.Cut && harmless[r.Fault]) || !harmless[r.Fault]
}

// ok tells if the client got a whole answer.
func (r *Request) ok() bool { return r.Status == answered && !r.Cut && harmless[r.Fault] }

// streamed tells if the answer came as events.
func (r *Request) streamed() bool { return r.Stream == nil || *r.Stream }

// end is the last instant known of the request, later than its arrival so that
// a sweep over time meets them in order.
func (r *Request) end() int64 {
	return max(r.Arrival+1, r.Read, r.Opening, r.First, r.Last, r.End)
}

// longestLine bounds a line of the log, in bytes; a line has some 350.
const longestLine = 1 << 20

// ReadLog reads a truth log, one JSON object a line, in the order of its lines.
// A last line that was torn off, as by a simulator that was killed, is left
// out. Any other line that is no entry is an error that bears its number.
func ReadLog(r io.Reader) ([]Request, error) {
	var log []Request
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<16), longestLine)
	var torn error // of the line before, unless another follows
	for n := 1; lines.Scan(); n++ {
		if torn != nil {
			return nil, torn
		}
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		entry, err := readEntry(line)
		var syntax *json.SyntaxError
		switch {
		case errors.As(err, &syntax) && syntax.Offset >= int64(len(line)):
			torn = fmt.Errorf("read truth log, line %d: %w", n, err)
		case err != nil:
			return nil, fmt.Errorf("read truth log, line %d: %w", n, err)
		default:
			log = append(log, entry)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read truth log: %w", err)
	}
	return log, nil
}

func readEntry(line []byte) (Request, error) {
	var e Request
	if err := json.Unmarshal(line, &e); err != nil {
		return e, err
	}
	if e.Arrival <= 0 {
		return e, errors.New("it has no arrival_ns")
	}
	if e.Tokens < 0 || e.Input < 0 {
		return e, errors.New("it has a negative count of tokens")
	}
	if min(e.Accepted, e.Read, e.Scheduled, e.Opening, e.First, e.Last, e.End) < 0 {
		return e, errors.New("it has a negative instant")
	}
	return e, nil
}
