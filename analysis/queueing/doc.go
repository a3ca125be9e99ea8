// Package queueing predicts how long an event waits in the client itself.
//
// A worker is one server in a queue: output events arrive from the kernel,
// wait while earlier ones are handled, and are handled one at a time.
//
//	arrivals  λ ──► │ queue │ ──► server: S work, and U set-up if it was idle
//	                 W = wait      ρ = λ·E[S] (work only)
//
// Which formula for which arrivals and service:
//
//	MM1, MD1, MG1      Poisson, one server, service exponential, constant, any
//	Welch, WelchMixed  the event that finds the server idle is served otherwise
//	MXG1Setup          Poisson batches, set-up after idleness
//	MMm, MGm           Poisson, m servers with one queue
//	GG1                any arrivals, one server; approximate
//
// Units: one unit of time throughout, whichever the caller likes. Moments are
// in its powers, λ in events per unit, and waits come back in it.
//
// A wait is the time from arrival to the start of service, in the mean over
// all events; the mean does not depend on the order of service. An unstable
// queue (ρ ≥ 1) has no mean wait: the error wraps ErrUnstable. Impossible
// moments are an error too. λ = 0 is an empty queue with wait 0.
package queueing
