package ntpot

// Parts are what the mean NTPOT of a run is made of, by kernel stamps. Times are
// in milliseconds, lo and hi bound them with 95 % confidence. A figure is nil
// where it is undefined.
type Parts struct {
	N       int64    `json:"n"`        // requests: streamed, with output
	NTPOT   *float64 `json:"ntpot_ms"` // the whole, the mean over requests
	Input   *float64 `json:"input_tokens_mean"`
	Output  *float64 `json:"output_tokens_mean"`
	Inverse *float64 `json:"output_tokens_inverse_mean"` // E[1/N]

	// Means a request.
	TTFT         *float64 `json:"ttft_ms"`
	TTFTLo       *float64 `json:"ttft_lo_ms"`
	TTFTHi       *float64 `json:"ttft_hi_ms"`
	QueueFixed   *float64 `json:"queue_fixed_ms"` // c
	QueueFixedLo *float64 `json:"queue_fixed_lo_ms"`
	QueueFixedHi *float64 `json:"queue_fixed_hi_ms"`
	Prefill      *float64 `json:"prefill_ms"` // p·E[I]
	Decode       *float64 `json:"decode_ms"`  // d·E[N−n₁]

	// Slopes, a token.
	PrefillToken   *float64 `json:"prefill_ms_per_token"` // p
	PrefillTokenLo *float64 `json:"prefill_lo_ms_per_token"`
	PrefillTokenHi *float64 `json:"prefill_hi_ms_per_token"`
	DecodeToken    *float64 `json:"decode_ms_per_token"` // d
	DecodeTokenLo  *float64 `json:"decode_lo_ms_per_token"`
	DecodeTokenHi  *float64 `json:"decode_hi_ms_per_token"`

	// Against a baseline; means a request.
	Queue   *float64 `json:"queue_ms"` // c less that of the idle run
	QueueLo *float64 `json:"queue_lo_ms"`
	QueueHi *float64 `json:"queue_hi_ms"`
	Fixed   *float64 `json:"fixed_ms"` // c of the idle run
	FixedLo *float64 `json:"fixed_lo_ms"`
	FixedHi *float64 `json:"fixed_hi_ms"`

	Of Shares `json:"of_ntpot"`
}

// Shares are the parts of the mean NTPOT, in milliseconds an output token:
// QueueFixed + Prefill + Decode + Residual is the whole, with TTFT in the place
// of the first two where they are undefined. Queue + Fixed is QueueFixed.
type Shares struct {
	TTFT       *float64 `json:"ttft_ms"` // E[TTFT/N]
	QueueFixed *float64 `json:"queue_fixed_ms"`
	Queue      *float64 `json:"queue_ms"`
	Fixed      *float64 `json:"fixed_ms"`
	Prefill    *float64 `json:"prefill_ms"`
	Decode     *float64 `json:"decode_ms"`
	Residual   *float64 `json:"residual_ms"`
}

// A Doubt is about one figure of Parts, by its key.
type Doubt struct{ Key, Text string }
