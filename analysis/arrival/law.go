package arrival

import (
	"fmt"
	"slices"
	"strings"
)

// Law names the process that arrivals follow.
type Law uint8

const (
	// Poisson has independent exponential gaps. It is the zero value.
	Poisson Law = iota
	// Constant has equal gaps, exact to the nanosecond below the true instant.
	Constant
	// Gamma has independent gamma gaps of shape Burstiness.
	Gamma
	// Trace takes its instants from a list.
	Trace
)

var lawNames = []string{"poisson", "constant", "gamma", "trace"}

// String returns the name used on the command line.
func (l Law) String() string {
	if int(l) < len(lawNames) {
		return lawNames[l]
	}
	return fmt.Sprintf("law %d", uint8(l))
}

// MarshalText writes the law as String does; an unknown law is an error.
func (l Law) MarshalText() ([]byte, error) {
	if int(l) >= len(lawNames) {
		return nil, fmt.Errorf("arrival law %d is unknown", uint8(l))
	}
	return []byte(l.String()), nil
}

// UnmarshalText reads one of the four names.
func (l *Law) UnmarshalText(text []byte) error {
	i := slices.Index(lawNames, string(text))
	if i < 0 {
		return fmt.Errorf("arrival law %q is unknown; write one of %s", text, strings.Join(lawNames, ", "))
	}
	*l = Law(i)
	return nil
}
