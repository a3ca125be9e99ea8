// Package servermetrics reads what an inference server says about itself: the
// Prometheus text of its /metrics page, fetched before and after a run. The
// difference of two cumulative sums over the difference of two counts is a mean
// over the run.
//
//	server-metrics-before.txt ─┐
//	                           ├─► Between ──► mean queue, prefill, decode, TTFT, E2E
//	server-metrics-after.txt  ─┘
//
// Known are vLLM (and simulators that speak its names), SGLang, Text Generation
// Inference and llama.cpp; what a server does not tell is nil.
package servermetrics
