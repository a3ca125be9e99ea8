package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"tare/ipc"
	"tare/supervisor"
	"tare/worker"
)

// probeLimit bounds the meeting with the server before the load.
const probeLimit = 60 * time.Second

// meet finds the model's name and sends one request ahead of the load, so
// that a wrong address, path or key is told in a sentence and not by ten
// thousand failures.
func (c *driveFlags) meet(ctx context.Context, interrupts <-chan os.Signal, j *job) error {
	if c.SkipProbe {
		j.settings.Target.Model = cmp.Or(j.settings.Target.Model, "default")
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	ctx, interrupt := context.WithCancelCause(ctx)
	defer cancelOn(interrupts, func() { interrupt(supervisor.ErrInterrupted) })()
	err := probe(ctx, j)
	if cause := context.Cause(ctx); errors.Is(cause, supervisor.ErrInterrupted) {
		return cause
	}
	return err
}

func probe(ctx context.Context, j *job) error {
	target := &j.settings.Target
	if target.Model == "" {
		model, err := worker.FirstModel(ctx, *target, j.headers, j.apiKey)
		if err != nil {
			return fmt.Errorf("cannot learn the model's name from %s: %w; is the server up, are --url and OPENAI_API_KEY right? else give --model NAME", target.URL, err)
		}
		target.Model = model
	}
	rec, err := worker.Probe(ctx, j.settings, j.headers, j.apiKey)
	if err != nil {
		return fmt.Errorf("probe %s: %w", target.URL, err)
	}
	return refusal(rec, *target)
}

// cancelOn cancels at a signal until the returned function is called.
func cancelOn(interrupts <-chan os.Signal, cancel func()) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-interrupts:
			cancel()
		case <-done:
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// refusal says what is wrong with a probe's answer and how to mend it.
func refusal(r ipc.Record, t ipc.Target) error {
	if !r.Class.Failed() {
		return nil
	}
	said := r.Message
	if said == "" {
		said = string(r.Body)
	}
	advice := map[int64]string{
		401: "the server wants a key: set OPENAI_API_KEY", 403: "the key is not allowed to do this",
		404: fmt.Sprintf("wrong path or model: check --url, --endpoint %s and --model %s", t.Endpoint, t.Model),
		405: "wrong path: check --url and --endpoint",
	}[r.Status]
	switch {
	case advice != "":
	case r.Class == ipc.Connection:
		advice = "is a server listening there? check --url"
	case r.Class == ipc.Timeout:
		advice = "the server did not answer in time: check it, or give --timeout"
	default:
		advice = "look at the server's log"
	}
	status := ""
	if r.Status > 0 {
		status = fmt.Sprintf(" (status %d)", r.Status)
	}
	return fmt.Errorf("the probe request to %s failed: %s%s: %s; %s; --skip-probe leaves the probe out", t.URL, r.Class, status, said, advice)
}
