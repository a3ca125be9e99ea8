// Package supervisor starts the worker processes of a run, starts the load in
// all of them at one instant, writes down whatever they say, and ends them.
//
//	caller ── Open ──► Session ── Step ──► Step … ──► Close
//	                    │   the caller's goroutine owns all state
//	                    ▼
//	   events ◄── child 0: readFrames (ends at EOF), waitExit (ends with the process)
//	          ◄── child 1: …
//	          ◄── interrupts: the first drains, the second ends at once
//
// A child is spawned by a goroutine that locks its thread, pins it, starts the
// process and waits for it: affinity is inherited by every thread of the child,
// and the death signal, which follows the creating thread, lasts as long as
// the child. A worker that dies makes the run partial; it is never replaced,
// since that would change the load under measurement.
package supervisor
