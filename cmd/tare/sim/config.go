package sim

import (
	"errors"
	"fmt"
	"time"

	"tare/analysis/dist"
)

// Config describes a simulator. The zero value listens on a free loopback
// port and answers without delay.
type Config struct {
	Listen        string        // host:port; empty: 127.0.0.1 and a free port
	Model         string        // name of the model; empty: "sim"
	TTFT          dist.Dist     // from the start of the service to the first token, beside prefill
	ITL           dist.Dist     // between tokens
	ITLPerActive  time.Duration // added to each ITL for every request in service, itself included
	Prefill       dist.Dist     // per input token, before the first token
	Tail          dist.Dist     // from the last token to what ends a stream: finish, usage, [DONE]
	OpenEarly     bool          // the event before the first token (chat: the role) is sent at the start of the service
	PrefixCache   bool          // prefill is paid only for blocks of 16 tokens that no prompt before began with
	Spin          time.Duration // wakes so much before each instant and spins, at most 1 ms: events are on time, for CPU time
	Slots         int           // requests served at once, the others wait; 0: no limit
	TruthPath     string        // file of the truth log, overwritten; empty: none
	Seed          uint64        // of the laws and the faults
	Faults        []Fault       // drawn per request; the shares add up to at most 1
	DefaultTokens int           // tokens of an answer if the request does not say; 0: 16
	MaxTokens     int           // tokens of an answer at most, whatever the request says; 0: no limit
}

// maxSpin bounds how long new requests go unread on a single processor.
const maxSpin = time.Millisecond

// validate returns all that is wrong, one error each.
func (c *Config) validate() error {
	var errs []error
	for _, law := range []struct {
		name string
		dist dist.Dist
	}{{"ttft", c.TTFT}, {"itl", c.ITL}, {"prefill", c.Prefill}, {"tail", c.Tail}} {
		if law.dist != (dist.Dist{}) && law.dist.Unit() != dist.Duration {
			errs = append(errs, fmt.Errorf("%s %v has no unit; write it like 5ms", law.name, law.dist))
		}
	}
	if c.ITLPerActive < 0 {
		errs = append(errs, fmt.Errorf("itl per active request is %v; it must be 0 or more", c.ITLPerActive))
	}
	if c.Spin < 0 || c.Spin > maxSpin {
		errs = append(errs, fmt.Errorf("spin is %v; it must be from 0 to %v", c.Spin, maxSpin))
	}
	if c.Slots < 0 {
		errs = append(errs, fmt.Errorf("slots is %d; it must be 0 (no limit) or more", c.Slots))
	}
	if c.DefaultTokens < 0 || c.DefaultTokens > maxTokens {
		errs = append(errs, fmt.Errorf("default tokens is %d; it must be from 0 to %d", c.DefaultTokens, maxTokens))
	}
	if c.MaxTokens < 0 {
		errs = append(errs, fmt.Errorf("max tokens is %d; it must be 0 (no limit) or more", c.MaxTokens))
	}
	sum := 0.0
	for _, f := range c.Faults {
		errs = append(errs, f.validate())
		sum += f.Share
	}
	if sum > 1+1e-9 { // 50 times 0.02 is a little more than 1
		errs = append(errs, fmt.Errorf("the shares of the faults add up to %v, more than 1", sum))
	}
	return errors.Join(errs...)
}

// setDefaults gives the zero values their meaning.
func (c *Config) setDefaults() {
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	if c.Model == "" {
		c.Model = "sim"
	}
	if c.DefaultTokens == 0 {
		c.DefaultTokens = 16
	}
}
