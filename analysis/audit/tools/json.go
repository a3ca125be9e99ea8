package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// unmarshal decodes a report into v. Python writes NaN and Infinity, which JSON
// does not have, for a figure that is undefined or without a limit (vLLM's
// burstiness of constant arrivals): they are read as null. The error says what
// a user can do about it.
func unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		data = noNaN(data)
		err = json.Unmarshal(data, v)
	}
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case len(data) == 0:
		return errors.New("it is empty: the tool ended before it wrote its report")
	case errors.As(err, &kind):
		return fmt.Errorf("it holds a JSON %s: want an object", kind.Value)
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(data)):
		return fmt.Errorf("it is cut off after %d bytes, the tool ended while it wrote its report: %w", len(data), err)
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON from byte %d on, is it another file of the tool's? %w", syntax.Offset, err)
	}
	return err
}

// pythonNumber is a string, which is kept, or one of Python's numbers that are
// none in JSON.
var pythonNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b`)

// noNaN puts null in the place of Python's NaN and Infinity, outside strings.
func noNaN(data []byte) []byte {
	return pythonNumber.ReplaceAllFunc(data, func(m []byte) []byte {
		if m[0] == '"' {
			return m
		}
		return []byte("null")
	})
}
