package dist

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxLines bounds an empirical law: 16 million values, 128 MiB.
const maxLines = 1 << 24

// empirical is the law of a file's values, shared by all copies of its Dist.
type empirical struct {
	path                  string
	values                []float64
	mean, variance, third float64
}

// loadFile reads a law from a regular file; a pipe or a device could block or
// never end.
func loadFile(path string, u Unit) (Dist, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Dist{}, fmt.Errorf("read values: %w", err)
	}
	if !info.Mode().IsRegular() {
		return Dist{}, fmt.Errorf("read values: %s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return Dist{}, fmt.Errorf("read values: %w", err)
	}
	defer f.Close()
	values, err := readValues(f, u)
	if err != nil {
		return Dist{}, fmt.Errorf("read values of %s: %w", path, err)
	}
	return Dist{kind: KindEmpirical, unit: u, emp: newEmpirical(path, values)}, nil
}

// readValues takes one number a line; # starts a comment, empty lines are
// skipped.
func readValues(r io.Reader, u Unit) ([]float64, error) {
	var values []float64
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		x, err := number(text, u)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if len(values) == maxLines {
			return nil, fmt.Errorf("line %d: more than %d values", n, maxLines)
		}
		values = append(values, x)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("no value in it; write one a line")
	}
	return values, nil
}

// newEmpirical takes the population moments of the values: a draw picks each
// with probability 1/n, so the divisor is n, not n−1.
func newEmpirical(path string, values []float64) *empirical {
	e := &empirical{path: path, values: values}
	n := float64(len(values))
	for _, x := range values {
		e.mean += x / n
		e.third += x * x * x / n
	}
	for _, x := range values {
		e.variance += (x - e.mean) * (x - e.mean) / n
	}
	return e
}
