package tools

import "fmt"

// older tells whether version, as a tool prints it, is before major.minor. One
// that cannot be read is taken for new.
func older(version string, major, minor int) bool {
	var a, b int
	if n, _ := fmt.Sscanf(version, "%d.%d", &a, &b); n < 2 {
		return false
	}
	return a < major || a == major && b < minor
}
