package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"tare/cmd/tare/sim"
)

// startForSDK runs a simulator and returns OpenAI's own client for it.
func startForSDK(t *testing.T) openai.Client {
	t.Helper()
	s, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return openai.NewClient(option.WithBaseURL(s.URL()+"/v1"), option.WithAPIKey("none"), option.WithMaxRetries(0))
}

// OpenAI's Go client reads a streamed chat: every token, the finish reason and
// the usage, and no complaint at the end.
func TestSDKChatStream(t *testing.T) {
	client := startForSDK(t)
	stream := client.Chat.Completions.NewStreaming(t.Context(), openai.ChatCompletionNewParams{
		Model: "sim", MaxTokens: openai.Int(7),
		Messages:      []openai.ChatCompletionMessageParamUnion{openai.UserMessage("three words here")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	})
	defer stream.Close()
	var whole openai.ChatCompletionAccumulator
	tokens := 0
	for stream.Next() {
		chunk := stream.Current()
		if !whole.AddChunk(chunk) {
			t.Errorf("the accumulator refuses %s", chunk.RawJSON())
		}
		if len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
			tokens++
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if tokens != 7 || whole.Usage.CompletionTokens != 7 || whole.Usage.PromptTokens != 3 {
		t.Errorf("%d tokens, usage %d out and %d in; want 7, 7 and 3", tokens, whole.Usage.CompletionTokens, whole.Usage.PromptTokens)
	}
	if got := whole.Choices[0].FinishReason; got != "length" {
		t.Errorf("finish reason %q, want length", got)
	}
}

// The same for completions, streamed and whole, and the list of models.
func TestSDKCompletionsAndModels(t *testing.T) {
	client := startForSDK(t)
	params := openai.CompletionNewParams{
		Model: "sim", MaxTokens: openai.Int(5), Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String("a b")},
	}
	stream := client.Completions.NewStreaming(t.Context(), params)
	defer stream.Close()
	tokens := 0
	for stream.Next() {
		for _, c := range stream.Current().Choices {
			if c.Text != "" {
				tokens++
			}
		}
	}
	if err := stream.Err(); err != nil || tokens != 5 {
		t.Errorf("%d tokens, %v; want 5", tokens, err)
	}
	whole, err := client.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Usage.CompletionTokens != 5 || strings.TrimSpace(whole.Choices[0].Text) == "" {
		t.Errorf("whole answer: %s", whole.RawJSON())
	}
	models, err := client.Models.List(t.Context())
	if err != nil || len(models.Data) != 1 || models.Data[0].ID != "sim" {
		t.Errorf("models: %v, %v", models, err)
	}
}
