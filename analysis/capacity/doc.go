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
// high load when the events are taken off and, for the share i of them that
// arrived idle, the wake-ups U:
//
//	C = max(E[S], CPU per request − N·(E[S] + i·E[U]))
//
// A wake-up is taken off with its whole delay, of which the CPU may sleep a part,
// so that C may come out too low; a send is then taken to be as much work as an
// event: a write for a read. On the safe side is that E[S] is the time between
// two completions while events wait, so that sends are a part of it, too.
//
// The moments of S are lower quartiles over rows of 250 ms: what else runs on a
// worker's CPU only ever makes services longer, and is no part of the law. From a
// host that is not quiet for a quarter of the time there is no plan.
//
// What the model leaves out, events that come together and a host that is never
// quite quiet, shows in the run that the law comes from. Where the wait measured
// there is longer than the one predicted, all waits of a plan are multiplied by
// their ratio.
package capacity
