// Package arrival holds the one seeded schedule of a run and its slices.
//
// All instants are int64 nanoseconds after the run epoch. Arrival i has one
// instant, whatever the number of workers m; each worker computes its own
// slice from the Spec, so nothing is sent per request:
//
//	Spec ──► instant 0, 1, 2, 3, 4, 5, …             one law, one seed
//	             │  │  │  │  │  │
//	Owner(i,m)   w1 w0 w1 w1 w0 w1                   thinning by hash(seed, i) mod m
//	             └──┴──┴──┴──┴──┴─► Slice(w,m)       a Cursor per worker
//
// A Poisson process thinned at random gives independent Poisson processes of
// rate λ/m, so every worker is fed by the arrivals that M/G/1 theory assumes.
// Dealing round robin would make each slice Erlang-m: at ρ = 0.8 and m = 8 the
// mean wait would halve. Constant-rate schedules are dealt round robin, which
// keeps each slice constant.
//
// The same package judges what became of a schedule: Measure takes the send
// stamps of a run, and Judge says by size of effect where they left their law
// or their plan.
package arrival
