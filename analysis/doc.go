// Package analysis turns a run's record file into its summary, in one pass and
// from the file alone: the summary that a run prints and the one computed from
// its directory years later are the same to the last digit.
//
//	records.mpk ──frames──► file (per run)
//	                          │ Hello, Ready, Fault, End
//	                          └─► step (per step of load)
//	                                ├─ records  ──► metrics: latencies, tokens, SLO, instants
//	                                │                  └─ rows in the order of time ──► intervals, ntpot
//	                                └─ Progress ──► workers: queue rows, CPU
//	                                      │
//	                     plan (arrival.Spec) ──► ledger, steady window
//	                                      │
//	                              Summary ──► verdict
//
// What a run was held against lies beside the file: baseline.json, and the two
// pages of the server's own metrics.
//
// # The ledger
//
// Every planned arrival is counted once: planned = ok + failed + dropped +
// lost. See plan for what counts as planned in a run that was cut short.
package analysis
