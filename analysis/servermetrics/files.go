package servermetrics

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The names of the two pages within a run directory.
const (
	BeforeFileName = "server-metrics-before.txt"
	AfterFileName  = "server-metrics-after.txt"
)

// Read returns what the server of the run in dir did during it: nil without an
// error if its metrics were not asked for.
func Read(dir string) (*Server, error) {
	before, err := readPage(filepath.Join(dir, BeforeFileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	after, err := readPage(filepath.Join(dir, AfterFileName))
	if err != nil {
		return nil, err
	}
	s, err := Between(before, after)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

func readPage(path string) (s Samples, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if s, err = Parse(f); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return s, nil
}
