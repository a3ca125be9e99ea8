package servermetrics

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Samples are the values of a page by the name of the sample, summed over label
// sets: over engines, models and ranks. Colons in names are underscores.
type Samples map[string]float64

// maxLine is the longest line that is read, in bytes.
const maxLine = 1 << 20

// Parse reads Prometheus text (version 0.0.4; of OpenMetrics, what is the same).
// Values that are no finite numbers are passed over. The error names the line
// that cannot be read.
func Parse(r io.Reader) (Samples, error) {
	s := Samples{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := sample(line)
		if !ok {
			return nil, fmt.Errorf("line %d is no sample of a metric: %.60q", n, line)
		}
		if !math.IsNaN(value) && !math.IsInf(value, 0) {
			s[strings.ReplaceAll(name, ":", "_")] += value
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	return s, nil
}

// sample reads name{label="value",…} value [timestamp].
func sample(line string) (name string, value float64, ok bool) {
	end := strings.IndexAny(line, "{ \t")
	if end <= 0 {
		return "", 0, false
	}
	name, rest := line[:end], line[end:]
	if rest[0] == '{' {
		if rest, ok = afterLabels(rest); !ok {
			return "", 0, false
		}
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return "", 0, false
	}
	value, err := strconv.ParseFloat(fields[0], 64)
	return name, value, err == nil
}

// afterLabels returns what follows the closing brace, which a quoted value may
// hold as well.
func afterLabels(s string) (rest string, ok bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '}' && !quoted:
			return s[i+1:], true
		}
	}
	return "", false
}
