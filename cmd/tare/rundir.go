package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tare/analysis"
	"tare/analysis/report"
	"tare/ipc"
)

// runsDir holds the runs whose directory was not named.
const runsDir = "runs"

// summaryFileName is the summary's name within a run directory.
const summaryFileName = "summary.json"

// out adds a fault if --out names a directory that holds something.
func (f *faults) out(dir string) {
	entries, err := os.ReadDir(dir)
	f.check(dir != "" && err == nil && len(entries) > 0,
		"--out %s is not empty; name a new directory, results are never overwritten", dir)
}

// newRunDir makes the run directory: out, or else one that no run has had,
// named after the time and the run's name.
func newRunDir(out, name string, now time.Time) (string, error) {
	if out != "" {
		if err := os.MkdirAll(out, 0o755); err != nil {
			return "", fmt.Errorf("--out: %w", err)
		}
		return out, nil
	}
	if err := os.MkdirAll(runsDir, 0o755); err != nil {
		return "", fmt.Errorf("run directory: %w; name another with --out", err)
	}
	first := filepath.Join(runsDir, now.UTC().Format("2006-01-02T150405Z")+"-"+name)
	dir, err := first, os.Mkdir(first, 0o755)
	for n := 2; errors.Is(err, fs.ErrExist); n++ { // several runs in one second
		dir = fmt.Sprintf("%s-%d", first, n)
		err = os.Mkdir(dir, 0o755)
	}
	if err != nil {
		return "", fmt.Errorf("run directory: %w; name another with --out", err)
	}
	return dir, nil
}

// removeUnused removes the directory of a run that never began, unless
// something stands in it.
func removeUnused(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		removeEmpty(filepath.Join(dir, e.Name()))
	}
	_ = os.Remove(dir) // fails, as it should, if something is in it
	if parent := filepath.Dir(dir); parent == runsDir {
		_ = os.Remove(parent) // other runs keep it
	}
	return nil
}

// removeEmpty removes a file that nothing was written to. What cannot be
// removed stays.
func removeEmpty(path string) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		_ = os.Remove(path)
	}
}

func writeManifest(dir string, m ipc.Manifest) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("encode manifest: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, ipc.ManifestFileName), append(b, '\n'), 0o644)
}

func readManifest(dir string) (m ipc.Manifest, err error) {
	b, err := os.ReadFile(filepath.Join(dir, ipc.ManifestFileName))
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	return m, err
}

// writeSummary writes what --format json prints.
func writeSummary(dir string, s analysis.Summary) error {
	f, err := os.Create(filepath.Join(dir, summaryFileName))
	if err != nil {
		return fmt.Errorf("write summary: %w", err)
	}
	return errors.Join(report.JSON(f, s), f.Close())
}
