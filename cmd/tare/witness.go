package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"tare/analysis"
	"tare/analysis/servermetrics"
)

// witnessFlags name what else tells where NTPOT comes from.
type witnessFlags struct {
	Baseline      string `help:"Directory of an idle run of the same server: it tells fixed cost from queue." placeholder:"DIR" group:"output"`
	ServerMetrics string `help:"Page of the server's own metrics, like http://127.0.0.1:8000/metrics: its queue, prefill and decode times are shown beside." placeholder:"URL" group:"output"`
}

// check reads the baseline, nil for none.
func (w witnessFlags) check(f *faults) *analysis.Baseline {
	if u, err := url.Parse(w.ServerMetrics); w.ServerMetrics != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil) {
		f.add("--server-metrics %q: write it as http://HOST:PORT/metrics, without a user name", w.ServerMetrics)
	}
	if w.Baseline == "" {
		return nil
	}
	b, err := analysis.NewBaseline(w.Baseline)
	f.check(err != nil, "--baseline: %v", err)
	return b
}

// begin lays the baseline and the first page of metrics into the run directory.
func (w witnessFlags) begin(ctx context.Context, dir string, j job) error {
	err := w.fetch(ctx, filepath.Join(dir, servermetrics.BeforeFileName), j.settings.Target.Insecure)
	if err != nil || j.baseline == nil {
		return err
	}
	return j.baseline.Write(dir)
}

// end lays the second page beside the first.
func (w witnessFlags) end(ctx context.Context, dir string, j job) error {
	return w.fetch(ctx, filepath.Join(dir, servermetrics.AfterFileName), j.settings.Target.Insecure)
}

// Bounds of a page of metrics.
const (
	pageTimeout = 10 * time.Second
	pageLimit   = 64 << 20 // bytes
)

// fetch writes the page to a file, if there is a page.
func (w witnessFlags) fetch(ctx context.Context, path string, insecure bool) error {
	if w.ServerMetrics == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	page, err := get(ctx, w.ServerMetrics, insecure)
	if err != nil {
		return fmt.Errorf("--server-metrics: %w", err)
	}
	return os.WriteFile(path, page, 0o644)
}

func get(ctx context.Context, address string, insecure bool) (page []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	t := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: insecure}} //nolint:gosec // --insecure asks for it
	defer t.CloseIdleConnections()
	resp, err := (&http.Client{Transport: t}).Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", address, resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, pageLimit))
}
