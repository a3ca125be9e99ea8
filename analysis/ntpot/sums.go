package ntpot

import "tare/analysis/metrics"

// Sums hold the exact means over all requests that the parts are multiplied by.
// The zero value is empty.
type Sums struct {
	n                          int64
	ntpot, ttftShare, ttft     float64 // ΣE2E/N, ΣTTFT/N, ΣTTFT, ns
	input, output, decoded     float64 // ΣI, ΣN, Σ(N−n₁)
	inverse, inputs, decodings float64 // Σ1/N, ΣI/N, Σ(N−n₁)/N
}

// usable tells whether a request has parts: it was streamed and has output
// tokens.
func usable(r *metrics.Row) bool { return r.Begun && r.Tokens > 0 }

// later is N − n₁, at least 0: a count that is less than its first event's
// tokens is broken.
func later(r *metrics.Row) float64 { return float64(max(0, r.Tokens-r.FirstTokens)) }

// ttft and decoding are the two times that are taken apart, in ns.
func ttft(r *metrics.Row) float64     { return float64(r.First.Arrival - r.Sent) }
func decoding(r *metrics.Row) float64 { return float64(r.Last.Arrival - r.First.Arrival) }

// Add books a request.
func (s *Sums) Add(r metrics.Row) {
	if !usable(&r) {
		return
	}
	n := float64(r.Tokens)
	s.n++
	s.ntpot += (ttft(&r) + decoding(&r)) / n
	s.ttftShare += ttft(&r) / n
	s.ttft += ttft(&r)
	s.input += float64(r.Input)
	s.output += n
	s.decoded += later(&r)
	s.inverse += 1 / n
	s.inputs += float64(r.Input) / n
	s.decodings += later(&r) / n
}

// mean is a sum over the number of requests.
func (s *Sums) mean(sum float64) float64 { return sum / float64(s.n) }
