// Package ntpot takes the normalised time per output token, NTPOT = E2E/N, apart:
// how much of it is waiting, how much prefill, how much decoding.
//
// # Model
//
// By kernel stamps, of a request of I input and N output tokens, n₁ of them in
// its first event,
//
//	TTFT       = c + I·p + ε        c = T_queue + fixed cost
//	E2E − TTFT = (N − n₁)·d + ε
//
// so that the mean over all requests is the sum of its parts,
//
//	E[NTPOT] = c·E[1/N] + p·E[I/N] + d·E[(N−n₁)/N] + residual.
//
// The slopes p and d come from robust regressions with a constant (stats.Regress):
// outliers and the skew of sums of random times go into the constant. c is the
// mean of TTFT − I·p and no typical value, since a queue is skewed by nature and
// its mean is what NTPOT holds. Intervals allow for correlation between
// neighbours in time.
//
// # What cannot be told
//
// From latencies alone T_queue and the fixed cost are one term. An idle run
// against the same server, the baseline, has no queue and tells them apart:
// T_queue = c − c_idle. The server's own metrics (package servermetrics), shown
// beside, are another witness. Where I does not vary, c and p are one term, too,
// and both are undefined; where N does not vary, d is E2E − TTFT over N − n₁,
// whatever it is made of.
package ntpot
