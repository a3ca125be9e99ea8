package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tare/analysis/servermetrics"
)

func TestServerMetricsAreFetched(t *testing.T) {
	pages := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.NotFound(w, r)
			return
		}
		pages++
		_, _ = w.Write([]byte("page " + strings.Repeat("i", pages)))
	}))
	defer server.Close()
	dir, w := t.TempDir(), witnessFlags{ServerMetrics: server.URL + "/metrics"}
	if err := w.begin(t.Context(), dir, job{}); err != nil {
		t.Fatal(err)
	}
	if err := w.end(t.Context(), dir, job{}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{servermetrics.BeforeFileName: "page i", servermetrics.AfterFileName: "page ii"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	w.ServerMetrics = server.URL + "/wrong"
	if err := w.begin(t.Context(), dir, job{}); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a wrong path: got error %v", err)
	}
	server.Close()
	if err := w.end(t.Context(), dir, job{}); err == nil || !strings.Contains(err.Error(), "--server-metrics") {
		t.Errorf("nobody answers: got error %v", err)
	}
}

func TestWitnessesThatAreNone(t *testing.T) {
	var f faults
	witnessFlags{Baseline: t.TempDir(), ServerMetrics: "localhost:8000"}.check(&f)
	if len(f) != 2 {
		t.Fatalf("faults: %v", f)
	}
	if b := (witnessFlags{}).check(&f); b != nil || len(f) != 2 {
		t.Errorf("nothing asked for: %v, %v", b, f)
	}
}
