package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"tare/analysis/audit"
	"tare/analysis/stats"
)

// Truth is what the server knows of the requests that arrived in the steady
// window and that it answered: its own latencies, from the kernel stamp of the
// request's arrival to just before a write.
type Truth struct {
	N     int    `json:"n"`
	TTFT  Server `json:"ttft"`  // first token
	E2E   Server `json:"e2e"`   // last token
	TPOT  Server `json:"tpot"`  // (last − first)/(tokens − 1), of two tokens and more
	NTPOT Server `json:"ntpot"` // E2E/tokens
}

// Server is the distribution of a time at the server, in ms; percentiles are
// of nearest rank. Nil of nothing.
type Server struct {
	Mean *float64 `json:"mean_ms"`
	P50  *float64 `json:"p50_ms"`
	P99  *float64 `json:"p99_ms"`
}

// answered is the status of an answer that is one.
const answered = 200

// ReadTruth reads a truth log, of the requests that arrived from one instant
// to another in seconds after the epoch of the run whose account is given.
//
// Log and records are not joined request by request, which an answer's id
// would allow but a record does not keep. The difference of means is the mean
// difference without it; that of medians is not the median of differences, and
// near it where the server's own times hardly vary.
func ReadTruth(log io.Reader, run Account, from, to float64) (Truth, error) {
	var ttft, e2e, tpot, ntpot []float64
	begin, end := run.epoch+int64(from*1e9), run.epoch+int64(to*1e9)
	for d := json.NewDecoder(log); ; {
		var s audit.Request
		if err := d.Decode(&s); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return Truth{}, fmt.Errorf("read truth log: %w", err)
		}
		if s.Status != answered || s.Tokens == 0 || s.Arrival < begin || s.Arrival > end {
			continue
		}
		whole := float64(s.Last-s.Arrival) / 1e6
		ttft = append(ttft, float64(s.First-s.Arrival)/1e6)
		e2e = append(e2e, whole)
		ntpot = append(ntpot, whole/float64(s.Tokens))
		if s.Tokens > 1 {
			tpot = append(tpot, float64(s.Last-s.First)/1e6/float64(s.Tokens-1))
		}
	}
	return Truth{N: len(ttft), TTFT: server(ttft), E2E: server(e2e), TPOT: server(tpot), NTPOT: server(ntpot)}, nil
}

func server(ms []float64) Server {
	mean, ok := stats.Mean(ms)
	if !ok {
		return Server{}
	}
	slices.Sort(ms)
	p50, _ := stats.Percentile(ms, 0.5)
	p99, _ := stats.Percentile(ms, 0.99)
	return Server{Mean: &mean, P50: &p50, P99: &p99}
}
