package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"tare/ipc"
	"tare/ipc/clock"
)

// probeIndex numbers the probe's request, far from those of any schedule.
const probeIndex = 1 << 50

// kept is a sink that remembers the last record.
type kept struct{ rec ipc.Record }

func (k *kept) add(r *ipc.Record) { k.rec = *r }

// Probe sends one request as the load would, but for one output token, and
// returns its record, whose instants are CLOCK_MONOTONIC.
func Probe(ctx context.Context, s ipc.Settings, headers []string, apiKey string) (ipc.Record, error) {
	var k kept
	s.Shape.OutputTokens, s.Shape.ServiceTime = "1", ""
	e, err := newEngine(ctx, ipc.Assign{Workers: 1, Headers: headers, APIKey: apiKey}, s, &k)
	if err != nil {
		return ipc.Record{}, err
	}
	defer e.close()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go e.watch(watching)
	unhook := context.AfterFunc(ctx, e.cancelAll)
	defer unhook()
	e.submit(job{index: probeIndex, scheduled: clock.Now()})
	<-e.pool.whenIdle()
	return k.rec, ctx.Err()
}

// FirstModel asks the server for its models and returns the name of the first.
func FirstModel(ctx context.Context, t ipc.Target, headers []string, apiKey string) (string, error) {
	d, err := newTarget(ctx, t, nil)
	if err != nil {
		return "", err
	}
	u := *d.url
	u.Path = strings.TrimSuffix(path(u.Path, t.Endpoint), paths[t.Endpoint]) + "/models"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	if apiKey != "" {
		req.Header.Set("Authorization", "Bearer "+apiKey)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ":")
		req.Header.Set(name, strings.TrimSpace(value))
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: d.tls, DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	return firstModel(resp)
}

// modelsLimit bounds the list of models that is read, bytes.
const modelsLimit = 1 << 20

func firstModel(resp *http.Response) (string, error) {
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("GET %s: status %s", resp.Request.URL.Path, resp.Status)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, modelsLimit)).Decode(&list); err != nil {
		return "", fmt.Errorf("GET %s: %w", resp.Request.URL.Path, err)
	}
	if len(list.Data) == 0 || list.Data[0].ID == "" {
		return "", errors.New("the server lists no model")
	}
	return list.Data[0].ID, nil
}
