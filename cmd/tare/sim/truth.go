package sim

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

// entry is a line of the truth log. Instants are CLOCK_MONOTONIC ns; 0 is
// "never" and is left out of the line.
type entry struct {
	request, conn       uint64
	accepted            int64 // the connection
	arrival, read       int64
	body                uint32 // CRC-32C: a request sent again has the same
	stream              bool
	scheduled           int64
	opening             int64
	first, last, end    int64
	tokens, inputTokens int
	cachedTokens        int
	status              int
	fault               FaultKind
	cut                 bool
}

// append writes the entry as JSON. Every value is a number or a name of ours,
// so nothing needs quoting.
func (e *entry) append(b []byte) []byte {
	b = strconv.AppendUint(append(b, `{"request":`...), e.request, 10)
	b = strconv.AppendUint(append(b, `,"conn":`...), e.conn, 10)
	b = strconv.AppendInt(append(b, `,"accepted_ns":`...), e.accepted, 10)
	b = strconv.AppendInt(append(b, `,"arrival_ns":`...), e.arrival, 10)
	b = strconv.AppendInt(append(b, `,"read_ns":`...), e.read, 10)
	b = strconv.AppendUint(append(b, `,"body_crc":`...), uint64(e.body), 10)
	b = strconv.AppendBool(append(b, `,"stream":`...), e.stream)
	b = appendInstant(b, `,"scheduled_first_ns":`, e.scheduled)
	b = appendInstant(b, `,"opening_ns":`, e.opening)
	b = appendInstant(b, `,"first_write_ns":`, e.first)
	b = appendInstant(b, `,"last_write_ns":`, e.last)
	b = appendInstant(b, `,"end_ns":`, e.end)
	b = strconv.AppendInt(append(b, `,"tokens":`...), int64(e.tokens), 10)
	b = strconv.AppendInt(append(b, `,"input_tokens":`...), int64(e.inputTokens), 10)
	b = appendInstant(b, `,"cached_tokens":`, int64(e.cachedTokens))
	b = appendInstant(b, `,"status":`, int64(e.status))
	b = append(append(append(b, `,"fault":"`...), e.fault...), '"')
	b = strconv.AppendBool(append(b, `,"cut":`...), e.cut)
	return append(b, "}\n"...)
}

// appendInstant appends a member, or nothing for 0.
func appendInstant(b []byte, key string, x int64) []byte {
	if x == 0 {
		return b
	}
	return strconv.AppendInt(append(b, key...), x, 10)
}

// truthLog gathers entries in memory; flush writes them out. A nil log
// forgets them.
type truthLog struct {
	file  *os.File
	mu    sync.Mutex
	lines []byte
	spare []byte // of flush, which one goroutine calls at a time
}

// openTruth creates the log; an empty path gives none.
func openTruth(path string) (*truthLog, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create the truth log: %w", err)
	}
	return &truthLog{file: f}, nil
}

// add gathers one entry: some 0.2 µs and no system call, since it stands
// between one request of a connection and the next.
func (t *truthLog) add(e *entry) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.lines = e.append(t.lines)
	t.mu.Unlock()
}

// flush writes what was gathered. The lock is not held meanwhile: a slow disk
// costs memory and not time.
func (t *truthLog) flush() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	lines := t.lines
	t.lines = t.spare[:0]
	t.mu.Unlock()
	t.spare = lines
	if _, err := t.file.Write(lines); err != nil {
		return fmt.Errorf("write the truth log: %w", err)
	}
	return nil
}

// close ends the log; flush comes first.
func (t *truthLog) close() error {
	if t == nil {
		return nil
	}
	if err := t.file.Close(); err != nil {
		return fmt.Errorf("close the truth log: %w", err)
	}
	return nil
}
