// Package capacity plans a measurement: how many workers and machines a load
// needs so that the client stays out of its own figures, and the highest load
// that one machine can carry.
//
//	run directory ──Read──► Run ──NewLaw──► Law     what an event and a request cost a worker
//	                                         │
//	rate, events, max wait, host ──► New ◄───┘
//	                                  │
//	                                Plan            workers, nodes, ρ, W_q, memory, files, ports, network
//
// # The model
//
// A worker is one server in a queue with two kinds of customers: output events,
// r·N of them a second for r requests/s of N events, and the sends of requests,
// r a second. They come independently (Poisson). One that finds the worker idle
// pays a set-up, the wake-up, beside its work:
//
//	load = r·(N·E[S] + C)    S: work of an event, C: of a request beside its events
//	W_q  = wait by M/G/1 with exceptional first service, the same for both kinds
//
// # Where S and C come from
//
// CPU time per request at a low rate is no measure of work: most of it is
// wake-ups, which a busy worker does not have. On one machine a request of one
// event took 89 µs of CPU at 2,000 a second and 36 µs at 20,000. A plan from the
// former would ask for twice the machines. So S is taken from the events that
// arrived busy, and C is what is left of the CPU time per request of a run at
// high load:
//
//	C = max(0, CPU per request − N·E[S | busy])
//
// Both err to the safe side. What else a worker does while events wait, sends
// among it, is part of S, which is the time between two completions then; and C
// holds the wake-ups that were left. Their sum, the work of a request at high
// load, is what was measured.
//
// The moments of S are lower quartiles over rows of 250 ms: what else runs on a
// worker's CPU only ever makes services longer, and is no part of the law. From a
// host that is not quiet for a quarter of the time there is no plan.
package capacity
