// Package experiment holds experiments as data and judges their claims.
//
// An experiment is a YAML file: what to run, what to read from the results,
// and what is claimed of it.
//
//	series × axes × repeats ──► cells ──► (somebody runs them) ──► outcomes
//	                              │                                   │
//	                     verb, flags, arguments         figures, by path in the
//	                                                    verb's JSON document
//	                                                                  │
//	claims ──► median or interval over repeats, against a prediction ─┴─► holds,
//	   │                                              fails, not decidable here
//	   ├─► highest: one value of all cells that meet conditions
//	   └─► findings: a sentence for each claim over all of its cells
//	charts ──► curves through cells, or through the steps of a profile
//
// The document of a cell is what its verb prints with --format json: of run a
// summary, of profile capacity, knee and steps, of audit what the server saw
// and what the audited load generator said. Any number in it is a figure by its
// path, as in {path: capacity.rate}; a text is one with equals. Members account
// (what our processes cost), truth (what the simulator saw, with --sim-truth)
// and host (what other programs took) are added where there is something to say.
//
// Nothing here runs anything: cells are command lines, outcomes are decoded
// documents. A doubt is a value and no error: a cell that is void, a repeat
// that failed or a host with too few CPUs stands beside its claim in words.
package experiment
