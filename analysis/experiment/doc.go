// Package experiment holds experiments as data and judges their claims.
//
// An experiment is a YAML file: what to run, what to read from the results,
// and what is claimed of it.
//
//	series × axes × repeats ──► cells ──► (somebody runs them) ──► outcomes
//	                              │                                   │
//	                         flags of tare run             figures, by JSON path
//	                                                                  │
//	claims ──► median or interval over repeats, against a prediction ─┴─► holds,
//	                                                  fails, not decidable here
//
// Nothing here runs anything: cells are command lines, outcomes are decoded
// summaries. A doubt is a value and no error: a cell that is void, a repeat
// that failed or a host with too few CPUs stands beside its claim in words.
package experiment
