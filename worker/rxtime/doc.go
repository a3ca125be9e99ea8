// Package rxtime is a TCP connection that says when the kernel received what
// it reads.
//
//	     wire                 kernel                 process
//	segment ──────►  receive queue, stamp k  ──►  Read returns at u
//	                 └────────── u − k: client lag ──────────┘
//
// The stamp is that of the newest segment merged into the piece of queue being
// read (SO_TIMESTAMPING with software receive stamps, man 7 socket and the
// kernel's networking/timestamping.rst): exact when the queue was empty before
// the segment came, else an upper bound. A connection beneath TLS works as
// well, since the stamp is taken below it. Where the kernel gives no stamp the
// user's own clock stands in, and [Stamp.Kernel] says so.
package rxtime
