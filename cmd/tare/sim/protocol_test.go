package sim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// message is the union of what the endpoints send.
type message struct {
	Type    string
	Choices []struct {
		Text         string
		Delta        struct{ Role, Content string }
		Message      struct{ Role, Content string }
		FinishReason *string `json:"finish_reason"`
	}
	Usage   *usage
	Delta   struct{ Text, StopReason string }
	Message struct{ Usage *usage }
	Content []struct{ Text string }
	Error   *struct {
		Message, Type string
		Code          int
	}
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
}

func decodeMessage(t testing.TB, s string) (m message) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	return m
}

// tokens counts the output events of a stream.
func tokens(t testing.TB, data []string) (n int) {
	t.Helper()
	for _, s := range data {
		if s == "[DONE]" {
			continue
		}
		m := decodeMessage(t, s)
		if m.Delta.Text != "" || len(m.Choices) > 0 && m.Choices[0].Text+m.Choices[0].Delta.Content != "" {
			n++
		}
	}
	return n
}

func TestStreams(t *testing.T) {
	s := startServer(t, Config{})
	for _, c := range []struct {
		path, ask  string
		events     int // in all
		tokens     int
		last, kind string // what the last event but [DONE] holds
		why        string
	}{
		{"/v1/completions", `"prompt":"a b","max_tokens":3`, 5, 3, `"finish_reason":"length"`, "", "tokens, finish, [DONE]"},
		{"/v1/completions", `"prompt":"a b","max_tokens":3,"stream_options":{"include_usage":true}`, 6, 3,
			`"choices":[],"usage":{"prompt_tokens":2,"total_tokens":5,"completion_tokens":3}`, "", "usage has an event of its own"},
		{"/v1/completions", `"prompt":"a"`, 18, 16, `"finish_reason":"length"`, "", "16 tokens if the request does not say"},
		{"/v1/completions", `"prompt":"a","max_tokens":0`, 2, 0, `"finish_reason":"length"`, "", "an empty answer"},
		{"/v1/chat/completions", `"messages":[{"role":"user","content":"a b"}],"max_tokens":3`, 6, 3, `"finish_reason":"length"`, "",
			"a role event comes first"},
		{"/v1/chat/completions", `"messages":[],"max_tokens":5,"max_completion_tokens":2`, 5, 2, `"finish_reason":"length"`, "",
			"the newer name of the limit holds"},
		{"/v1/messages", `"messages":[{"role":"user","content":"a b"}],"max_tokens":3`, 8, 3, `"message_stop"`, "",
			"start, block start, tokens, block stop, delta, stop"},
	} {
		resp := post(t, s.URL()+c.path, `{"model":"any","stream":true,`+c.ask+`}`)
		data := events(t, resp.Body)
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
			t.Errorf("%s %s: %v %v", c.path, c.ask, resp.Status, resp.Header)
		}
		if len(data) != c.events || tokens(t, data) != c.tokens {
			t.Errorf("%s %s: %d events, %d tokens, want %d, %d: %s", c.path, c.ask, len(data), tokens(t, data), c.events, c.tokens, c.why)
			continue
		}
		if c.path != "/v1/messages" {
			if last := len(data) - 1; data[last] != "[DONE]" {
				t.Errorf("%s: the last event is %s", c.path, data[last])
			}
			data = data[:len(data)-1]
		}
		if last := data[len(data)-1]; !strings.Contains(last, c.last) {
			t.Errorf("%s %s: last event %s does not hold %s: %s", c.path, c.ask, last, c.last, c.why)
		}
	}
}

// With continuous_usage_stats every event bears the tokens so far.
func TestContinuousUsage(t *testing.T) {
	s := startServer(t, Config{})
	resp := post(t, s.URL()+"/v1/chat/completions", `{"messages":[{"content":"a b c d"}],"max_tokens":12,"stream":true,
		"stream_options":{"include_usage":true,"continuous_usage_stats":true}}`)
	var got []usage
	for _, data := range events(t, resp.Body) {
		if data != "[DONE]" {
			got = append(got, *decodeMessage(t, data).Usage)
		}
	}
	var want []usage
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 12} { // role, tokens, finish, usage
		want = append(want, usage{Prompt: 4, Completion: n, Total: 4 + n})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnary(t *testing.T) {
	s := startServer(t, Config{})
	const three = " token token token"
	for _, c := range []struct {
		path, ask string
		want      usage
		text      func(message) string
	}{
		{"/v1/completions", `"prompt":[11,22,33]`, usage{Prompt: 3, Completion: 3, Total: 6}, func(m message) string { return m.Choices[0].Text }},
		{"/v1/chat/completions", `"messages":[{"role":"user","content":"x"}]`, usage{Prompt: 1, Completion: 3, Total: 4},
			func(m message) string { return m.Choices[0].Message.Content }},
		{"/v1/messages", `"system":"a b","messages":[{"role":"user","content":"x"}]`, usage{Input: 3, Output: 3},
			func(m message) string { return m.Content[0].Text }},
	} {
		resp := post(t, s.URL()+c.path, `{"max_tokens":3,`+c.ask+`}`)
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 || resp.ContentLength != int64(len(b)) {
			t.Fatalf("%s: %v, %v, length %d of %d", c.path, err, resp.Status, resp.ContentLength, len(b))
		}
		m := decodeMessage(t, string(b))
		if c.text(m) != three || *m.Usage != c.want {
			t.Errorf("%s: text %q, usage %+v, want %q, %+v", c.path, c.text(m), *m.Usage, three, c.want)
		}
	}
}

func TestOtherPaths(t *testing.T) {
	s := startServer(t, Config{Model: `a "quoted" name`})
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"GET", "/v1/models", "", 200, `"id":"a \"quoted\" name"`},
		{"GET", "/v1/models?limit=1", "", 200, `"object":"list"`},
		{"GET", "/health", "", 200, ""},
		{"GET", "/v1/completions", "", 405, `the method must be POST`},
		{"POST", "/v1/models", "{}", 405, `the method must be GET`},
		{"HEAD", "/health", "", 405, ""},
		{"GET", "/", "", 404, `"code":404`},
		{"POST", "/prefix/v1/completions", "{}", 404, `there is no /prefix/v1/completions here`},
		{"POST", "/v1/completions", "{", 400, `unexpected end of JSON input`},
		{"POST", "/v1/completions", "{}", 400, `prompt is missing`},
		{"POST", "/v1/completions", `{"prompt":["a","b"]}`, 400, `2 prompts; only one a request is served`},
		{"POST", "/v1/completions", `{"prompt":true}`, 400, `true is no text`},
		{"POST", "/v1/completions", `{"prompt":"a","max_tokens":-1}`, 400, `max_tokens is -1`},
		{"POST", "/v1/completions", `{"prompt":"a","n":2}`, 400, `n is 2; only one choice`},
		{"POST", "/v1/chat/completions", `{"prompt":"a"}`, 400, `messages is missing`},
		{"POST", "/v1/messages", `[]`, 400, `"type":"invalid_request_error"`},
	} {
		req, err := http.NewRequest(c.method, s.URL()+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		text := strings.ReplaceAll(string(b), `\"`, `"`)
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(b)+text, c.says) {
			t.Errorf("%s %s %s: %d %s %v, want %d and %s", c.method, c.path, c.body, resp.StatusCode, b, err, c.status, c.says)
		}
		if len(b) > 0 && !json.Valid(b) {
			t.Errorf("%s %s: %s is no JSON", c.method, c.path, b)
		}
	}
	if n := s.Stats().Accepted; n != 1 {
		t.Errorf("%d connections, want 1: every answer keeps it alive", n)
	}
}

func TestPromptTokens(t *testing.T) {
	for _, c := range []struct {
		endpoint endpoint
		body     string
		want     int
		why      string
	}{
		{completions, `{"prompt":""}`, 0, "no word"},
		{completions, `{"prompt":"  one\n two\tthree "}`, 3, "any white space separates"},
		{completions, `{"prompt":"one\u2003two"}`, 2, "an em space too"},
		{completions, `{"prompt":[5,6,7]}`, 3, "token ids"},
		{completions, `{"prompt":["a b"]}`, 2, "a batch of one"},
		{completions, `{"prompt":[[5,6]]}`, 2, "a batch of one, in ids"},
		{chat, `{"messages":[{"role":"system","content":"a b"},{"role":"user","content":"c"}]}`, 3, "all messages"},
		{chat, `{"messages":[{"content":[{"type":"text","text":"a b"},{"type":"image_url","image_url":{}}]}]}`, 2, "text parts"},
		{chat, `{"messages":[{"role":"assistant","content":null}]}`, 0, "no content"},
		{messages, `{"system":[{"type":"text","text":"a"}],"messages":[{"content":"b"}]}`, 2, "the system prompt in parts"},
	} {
		p, err := c.endpoint.parse([]byte(c.body), 16)
		if err != nil || p.input != c.want {
			t.Errorf("%s: %d tokens, %v, want %d: %s", c.body, p.input, err, c.want, c.why)
		}
	}
}

// Connections are kept, and closed when the client wants that.
func TestConnections(t *testing.T) {
	s := startServer(t, Config{})
	for i := range 3 {
		resp := post(t, s.URL()+"/v1/completions", `{"prompt":"a","max_tokens":2,"stream":true}`)
		if n := len(events(t, resp.Body)); n != 4 {
			t.Fatalf("request %d: %d events, want 4", i, n)
		}
	}
	if n := s.Stats().Accepted; n != 1 {
		t.Errorf("%d connections for 3 requests, want 1", n)
	}
	req, _ := http.NewRequest("POST", s.URL()+"/v1/completions", strings.NewReader(`{"prompt":"a","max_tokens":2,"stream":true}`))
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(events(t, resp.Body)); n != 4 || !resp.Close {
		t.Errorf("%d events, close %v, want 4 and a close", n, resp.Close)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	waitFor(t, "connections to end", func() bool { return s.Stats().Connections == 0 })
	if st := s.Stats(); st.Requests != 4 || st.Tokens != 8 || st.Cut != 0 || st.Active != 0 {
		t.Errorf("%+v, want 4 requests of 2 tokens each", st)
	}
}

// Large bodies come in many pieces, by length or in chunks.
func TestLargeBodies(t *testing.T) {
	s := startServer(t, Config{})
	const n = 200_000
	body := fmt.Sprintf(`{"prompt":"%s","max_tokens":1}`, strings.Repeat("word ", n))
	for _, chunked := range []bool{false, true} {
		req, _ := http.NewRequest("POST", s.URL()+"/v1/completions", strings.NewReader(body))
		if chunked {
			req.ContentLength = -1
		}
		req.Header.Set("Expect", "100-continue")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if m := decodeMessage(t, string(b)); m.Usage == nil || m.Usage.Prompt != n {
			t.Errorf("chunked %v: %s, want %d prompt tokens", chunked, b, n)
		}
	}
}
