package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The decoder is encoding/json: kept by the Go project, strict on what RFC 8259
// forbids, and lenient on invalid UTF-8, as an event stream is decoded with
// replacement. Objects go into maps of raw messages, since decoding into
// structs would match names without regard to case; in a map the last of equal
// names holds, as in the JSON readers of Python and JavaScript.

// decodeTop reads the data of an event. JSON that is no object says nothing.
func decodeTop(data []byte) (map[string]json.RawMessage, error) {
	m, ok := decodeObject(data)
	if ok {
		return m, nil
	}
	var any json.RawMessage
	if err := json.Unmarshal(data, &any); err != nil {
		return nil, fmt.Errorf("decode event %s: %w", excerpt(data), err)
	}
	return nil, nil
}

// decodeObject reads an object; not ok for anything else, null included.
func decodeObject(raw json.RawMessage) (m map[string]json.RawMessage, ok bool) {
	if len(raw) == 0 || json.Unmarshal(raw, &m) != nil {
		return nil, false
	}
	return m, m != nil
}

// isNull tells whether a member is null or not there, which mean the same.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// decodeString returns what stands between the quotes, undecoded; nil for
// anything but a string.
func decodeString(raw json.RawMessage) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// decodeCount reads a whole number that is not negative, -1 for anything else.
// Some servers write 5 as 5.0.
func decodeCount(raw json.RawMessage) int {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 || f != math.Trunc(f) || f > 1<<53 {
		return -1
	}
	return int(f)
}

// hasOutput tells whether a part of a tool call has any text.
func hasOutput(raw json.RawMessage) bool {
	return !isNull(raw) && string(raw) != `""`
}

// isError tells whether the value of a member called error says that something
// failed. Some servers send it, empty, with every good event.
func isError(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", `""`, "false", "0":
		return false
	}
	return true
}

// errorText finds kind and message in the value of an error.
func errorText(raw json.RawMessage) (sub, message string) {
	m, ok := decodeObject(raw)
	if !ok {
		return "", clip(plain(raw), maxMessage)
	}
	sub = plain(m["type"])
	if sub == "" {
		sub = plain(m["code"])
	}
	for _, name := range []string{"message", "error", "msg", "detail"} {
		if isError(m[name]) {
			return clip(sub, maxSub), clip(plain(m[name]), maxMessage)
		}
	}
	return clip(sub, maxSub), clip(string(raw), maxMessage)
}

// plain decodes a string; anything else stays as it is written, null as "".
func plain(raw json.RawMessage) string {
	if isNull(raw) {
		return ""
	}
	if s := decodeString(raw); s != nil {
		return string(appendUnquoted(nil, s))
	}
	return string(raw)
}

// errorBody finds kind and message in the body of a failed answer.
func errorBody(body []byte) (sub, message string) {
	body = bytes.TrimSpace(body)
	m, ok := decodeObject(body)
	switch {
	case !ok:
		return "", clip(strings.ToValidUTF8(string(body), "\uFFFD"), maxMessage)
	case isError(m["error"]):
		sub, message = errorText(m["error"])
		if sub == "" {
			sub = clip(plain(m["error_type"]), maxSub)
		}
		return sub, message
	}
	return errorText(body)
}

// Bounds in bytes of what goes into every record of a failure.
const (
	maxMessage = 1 << 10
	maxSub     = 64
)

// clip cuts s to limit bytes, at a whole character, and marks the cut.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// excerpt quotes the start of data for a message.
func excerpt(data []byte) string {
	return fmt.Sprintf("%.120q", data)
}
