// Package bench compares a worker's cost with that of a bare client. It holds
// tests only; make bench runs them.
//
//	CPU 0   bare server: one thread, epoll, one write(2) an event
//	CPU 1   in turn: floor, tare's own worker, wrk where it is installed
//
// The floor is what any client must pay: epoll, recvmsg with the kernel's
// stamps, write; no parsing and no records, since it knows the answer's length.
// All are driven as a closed loop of 64 streams in the same run, the order
// changing from round to round, and CPU time is the kernel's count for the
// process. Ratios of medians are what counts; microseconds are this machine's.
package bench
