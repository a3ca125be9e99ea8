package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"sync/atomic"

	"tare/analysis/capacity"
	"tare/cmd/tare/sim"
	"tare/worker/workload"
)

// wireSizes weighs a request and its answer: two requests to a simulator in
// this process, one with manyEvents more output events than the other. Servers
// whose events say more than its do send more.
func wireSizes(ctx context.Context, endpoint string, input float64) (w capacity.Wire, err error) {
	server, err := sim.New(sim.Config{})
	if err != nil {
		return w, fmt.Errorf("weigh requests: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx) }()
	defer func() {
		stop()
		err = errors.Join(err, <-served)
	}()
	const manyEvents = 100
	var sent, one, many int64
	if sent, one, err = weigh(ctx, server.URL(), endpoint, input, 1); err != nil {
		return w, err
	}
	if _, many, err = weigh(ctx, server.URL(), endpoint, input, 1+manyEvents); err != nil {
		return w, err
	}
	event := float64(many-one) / manyEvents
	return capacity.Wire{Request: float64(sent), Event: event, Answer: float64(one) - event}, nil
}

// weigh sends a request such as a worker's and counts bytes both ways.
func weigh(ctx context.Context, url, endpoint string, input float64, events int) (sent, received int64, err error) {
	prompt := string(workload.NewPrompts(1).Append(nil, 0, max(1, int64(math.Round(input)))))
	body := map[string]any{"model": "default", "max_tokens": events, "stream": true}
	path := "/v1/completions"
	switch endpoint {
	case "chat":
		path = "/v1/chat/completions"
	case "messages":
		path = "/v1/messages"
	}
	if endpoint == "chat" || endpoint == "messages" {
		body["messages"] = []any{map[string]any{"role": "user", "content": prompt}}
	} else {
		body["prompt"] = prompt
	}
	if endpoint != "messages" {
		body["stream_options"] = map[string]any{"include_usage": true}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return 0, 0, fmt.Errorf("weigh a request: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+path, bytes.NewReader(text))
	if err != nil {
		return 0, 0, fmt.Errorf("weigh a request: %w", err)
	}
	r.Header = http.Header{"User-Agent": {"tare"}, "Accept": {"text/event-stream"}, "Content-Type": {"application/json"}}
	return count(r)
}

// count does a request and counts the bytes of its connection.
func count(r *http.Request) (sent, received int64, err error) {
	var c counter
	transport := &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return &counted{conn, &c}, err
	}}
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(r)
	if err != nil {
		return 0, 0, fmt.Errorf("weigh a request: %w", err)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return 0, 0, fmt.Errorf("weigh an answer: %w", err)
	}
	return c.sent.Load(), c.received.Load(), nil
}

// counter counts bytes.
type counter struct{ sent, received atomic.Int64 }

// counted is a connection whose bytes are counted.
type counted struct {
	net.Conn
	*counter
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.received.Add(int64(n))
	return n, err
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.sent.Add(int64(n))
	return n, err
}
