package sim

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// startServer runs a simulator for the length of the test, and then asks
// whether it left goroutines behind.
func startServer(t testing.TB, cfg Config) *Server {
	t.Helper()
	before := runtime.NumGoroutine()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error)
	go func() { served <- s.Serve(ctx) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		waitFor(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
	})
	return s
}

// waitFor polls until ok, for at most five seconds.
func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func post(t testing.TB, url, body string) *http.Response {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// events returns the data of a stream's events, read to the end of the body.
func events(t testing.TB, body io.Reader) []string {
	t.Helper()
	var data []string
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		if s, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			data = append(data, s)
		}
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return data
}
