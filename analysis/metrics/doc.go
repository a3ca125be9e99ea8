// Package metrics turns records into the figures of a run: latencies in their
// columns, token counts, rates and the sums of a worker's queue.
//
// # Columns
//
// A request has two starts, a (scheduled) and s (sent), and its events have two
// ends, k (kernel stamp) and v (handled):
//
//	a────────s──────────────k₁───v₁──────────k₂──v₂ … kₗ──v_l
//	         ├── wire ──────┤                               s to k: the server
//	         ├── observed ───────┤                          s to v: an ordinary client
//	├── scheduled ──────────┤                               a to k: no coordinated omission
//	                        ├bias┤                          observed − wire
//
// Where a metric has no start, as TPOT and ITL have none, scheduled and wire
// are the same by definition.
//
// # Memory
//
// Figures are exact: every value is kept until the percentiles are taken. A
// [Column] keeps it in four bytes where it fits, so that a million requests of
// ten events take some 300 MB, the collector's own room apart.
//
// Intervals need the order of time, for which another 100 bytes a request would
// be too much: they come from the requests, and from the gaps between events,
// of a sample of at most 2¹⁸ each, the same in every reading of the file.
package metrics
