package worker

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"

	"tare/analysis/dist"
	"tare/ipc"
	"tare/worker/workload"
)

// requests makes the bytes of requests. It is immutable and safe for
// concurrent use.
type requests struct {
	head    []byte // request line and headers up to the value of Content-Length
	open    []byte // body up to the prompt's text
	middle  []byte // body between the prompt's text and the number of tokens
	close   []byte // body after it
	prompts *workload.Prompts
	input   dist.Dist
	output  dist.Dist
	seed    uint64
}

// ask is what one request asks for.
type ask struct {
	input, output int64 // tokens
}

func newRequests(s ipc.Settings, headers []string, apiKey string, t *target) (*requests, error) {
	input, err := dist.Parse(s.Shape.InputTokens, dist.Count)
	if err != nil {
		return nil, fmt.Errorf("input tokens: %w", err)
	}
	output, err := dist.Parse(s.Shape.OutputTokens, dist.Count)
	if err != nil {
		return nil, fmt.Errorf("output tokens: %w", err)
	}
	r := &requests{input: input, output: output, seed: s.Load.Seed, prompts: workload.NewPrompts(s.Load.Seed)}
	r.head = requestHead(t, s.Target.Endpoint, headers, apiKey)
	r.open, r.middle, r.close, err = bodyParts(s.Target)
	return r, err
}

// requestHead ends just before the length of the body. Later headers of the
// user's take the place of ours.
func requestHead(t *target, endpoint string, headers []string, apiKey string) []byte {
	lines := []string{"Host: " + t.url.Host, "User-Agent: tare", "Accept: text/event-stream", "Content-Type: application/json"}
	if apiKey != "" && endpoint == "messages" {
		lines = append(lines, "X-Api-Key: "+apiKey, "Anthropic-Version: 2023-06-01")
	} else if apiKey != "" {
		lines = append(lines, "Authorization: Bearer "+apiKey)
	}
	for _, h := range headers {
		name, _, _ := strings.Cut(h, ":")
		lines = dropHeader(lines, name)
		lines = append(lines, h)
	}
	target := path(t.url.EscapedPath(), endpoint)
	if t.url.RawQuery != "" {
		target += "?" + t.url.RawQuery
	}
	return []byte("POST " + target + " HTTP/1.1\r\n" + strings.Join(lines, "\r\n") + "\r\nContent-Length: ")
}

func dropHeader(lines []string, name string) []string {
	kept := lines[:0]
	for _, l := range lines {
		if n, _, _ := strings.Cut(l, ":"); !strings.EqualFold(n, name) {
			kept = append(kept, l)
		}
	}
	return kept
}

// bodyParts are the constant pieces around the prompt and the number of
// tokens. Members of the extra body take the place of ours; a request then
// asks for what they say.
func bodyParts(t ipc.Target) (open, middle, end []byte, err error) {
	rest := map[string]any{"model": t.Model}
	if t.Stream {
		rest["stream"] = true
		if t.Endpoint != "messages" {
			rest["stream_options"] = map[string]any{"include_usage": true}
		}
	}
	if t.IgnoreEOS {
		rest["ignore_eos"] = true
	}
	extra := map[string]any{}
	if t.ExtraBody != "" {
		if err := json.Unmarshal([]byte(t.ExtraBody), &extra); err != nil {
			return nil, nil, nil, fmt.Errorf("extra body: %w", err)
		}
	}
	maps.Copy(rest, extra)
	tail, err := json.Marshal(rest)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("extra body: %w", err)
	}
	prompt, promptEnd := `{"prompt":"`, `"`
	if t.Endpoint != "completions" {
		prompt, promptEnd = `{"messages":[{"role":"user","content":"`, `"}]`
	}
	return []byte(prompt), []byte(promptEnd + `,"max_tokens":`), append([]byte(","), tail[1:]...), nil
}

// draw says what request number index asks for: a function of seed and index
// alone. r is scratch.
func (q *requests) draw(r *rand.PCG, index int64) ask {
	r.Seed(q.seed^0x6c656e67746873, uint64(index))
	rng := rand.New(r)
	return ask{input: max(q.input.Int(rng), 1), output: q.output.Int(rng)}
}

// appendTo writes request number index to dst; body is scratch and is
// returned, perhaps grown.
func (q *requests) appendTo(dst, body []byte, index int64, a ask) (request, scratch []byte) {
	body = append(body[:0], q.open...)
	body = q.prompts.Append(body, index, a.input)
	body = append(body, q.middle...)
	body = strconv.AppendInt(body, a.output, 10)
	body = append(body, q.close...)
	dst = append(dst[:0], q.head...)
	dst = strconv.AppendInt(dst, int64(len(body)), 10)
	dst = append(dst, "\r\n\r\n"...)
	return append(dst, body...), body
}
