// Package worker is the load generating process: one share of the load, driven
// from one CPU, every event recorded.
//
//	fd 3 ◄─► life ── Start ──► step ── due instants ──► pacer (timerfd)
//	  ▲                                                   │ job
//	  │                        pool of streams  ◄─────────┘
//	  │                          │ one goroutine each: write, read, parse
//	  │                          ▼
//	  │                        stamped connection (rxtime) → wire.Reader
//	  │                          │ Header, Event: k, u, v
//	  │                          ▼
//	  └── drain ◄── slab ◄──── record of the request, queue sums (Lindley)
//
// The same engine runs with one processor (process sharding) and with several
// (goroutine sharding); only GOMAXPROCS differs. Nothing on the path from a
// readable socket to a recorded event blocks or allocates.
package worker
