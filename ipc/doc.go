// Package ipc is what the processes of a run say to each other, and the record
// file, which is a recording of it.
//
// # The protocol on a page
//
// A worker finds a socket on file descriptor 3, one end of a socketpair. EOF on
// it means that the other side is gone. Time on the wire is int64 nanoseconds
// after the run epoch, a CLOCK_MONOTONIC instant named in Start.
//
//	supervisor                                  worker
//	    │ ◄── Hello    protocol, pid, build, CPUs ── │  at once
//	    │ ─── Assign   settings, share, secrets ───► │
//	    │ ◄── Ready    warmed connections ────────── │  or Fault
//	    │ ─── Start    step, load, epoch ──────────► │  same to all: a barrier
//	    │ ◄── Progress counters, queue sums ──────── │  each second
//	    │ ◄── Records  finished requests ─────────── │  at least each 250 ms
//	    │ ─── Stop     drain | now ────────────────► │  at any time after Assign
//	    │ ◄── Done     step, last counters ───────── │  all of the step is on file
//	    │ ─── Start …  (a profile's next step) ────► │
//	    │ ─── Stop     exit ───────────────────────► │  worker ends with code 0
//	    │ ◄── Fault    text, stack ───────────────── │  instead of any answer
//
// # A frame
//
//	┌──────────────┬───────────────────────────────────────────────┐
//	│ u32, big end │ msgpack values: type, worker, message         │
//	│ length of ──►│ (a message is a tuple; a Records frame has    │
//	│ the rest     │ one record tuple after another to its end)    │
//	└──────────────┴───────────────────────────────────────────────┘
//
// A frame longer than [MaxFrame] is refused unread. Tuples are positional, so
// [Protocol] changes with every change of a field; it stands in Hello and in
// the file header.
//
// # The record file
//
//	Header │ Step 0 │ worker frames, as they came … │ Step 1 │ … │ End
//
// Header, Step and End are the supervisor's own. A file without End was cut
// off: its supervisor died. A torn last frame is told from a clean end
// ([ErrTorn]) and loses only itself.
package ipc
