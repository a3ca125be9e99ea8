// Package profile finds the load at which a server saturates: which step of
// load to run next, what a step told, and what the steps together mean. It is
// pure: steps come in, an ask or a result comes out, whether they were run or
// read from a file.
//
//	     ┌────────── Next ◄──────── steps so far ◄───────┐
//	     ▼                                               │
//	a step of load ──► Flow: arrivals, ends ──► Judgement, throughput
//	     ▲                │                              │
//	     └─ Watch: enough?┘                              ▼
//	                               Conclude: capacity, knee, SLO capacity
//
// # When a server is saturated
//
// Let n(t) be the number of requests in flight: arrivals by their due times
// less ends by the kernel's stamps. Below the capacity n has a mean that it
// returns to; at exactly the capacity it grows like √t, by chance alone; above
// it n grows by λ − μ, the arrivals that are not served.
//
//	saturated   the growth of n is above 0 for certain (interval by the means
//	            of 16 blocks), and does not fade in the second half; or requests
//	            are refused that a lighter load had no trouble with
//	stable      n has fallen from its upper to its lower quartile six times: a
//	            random walk does so in half a percent of all windows, a growing
//	            backlog hardly ever
//	undecided   neither: the step was too short to tell, and it says what
//	            length would
//
// No single sample decides anything, and a step in which the client was not
// valid says nothing about the server.
//
// # Two estimators
//
// The search brackets the capacity between the highest stable and the lowest
// saturated load. Near the capacity this is costly: telling a drift d from the
// noise of a random walk that gains the variance σ² a second takes some 9σ²/d²
// seconds; with Poisson arrivals at 80/s and exponential services that is a
// minute at 6 % above the capacity and ten at 2 %. Saturated steps tell more: a
// server that always has something to do delivers its capacity, known to
// 2.6·c_s/√N after N requests with an SCV of c_s². Capacity reports both, and
// whether they agree.
package profile
