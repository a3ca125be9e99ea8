package ipc

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Pair returns the two ends of a new socketpair: one for this process, one to
// hand to a child. Both close on exec, so that no sibling inherits them and
// EOF keeps its meaning.
func Pair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "supervisor"), os.NewFile(uintptr(fds[1]), "worker"), nil
}
