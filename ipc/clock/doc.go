// Package clock is the one time line of a run: int64 nanoseconds of
// CLOCK_MONOTONIC, which all processes of a machine share.
//
//	Now()     26 ns: time.Since(base) + an offset found once per process,
//	          where the system call takes ten times as long
//	Wall      CLOCK_REALTIME − CLOCK_MONOTONIC, sampled each second: kernel
//	          receive stamps are CLOCK_REALTIME
//	Alarm     a timerfd read through the runtime's poller: wakes within tens
//	          of µs and holds up nobody, where time.Sleep rounds up to whole
//	          milliseconds in a process with GOMAXPROCS=1
//
// A time.Time never leaves a process: its monotonic part does not survive
// serialisation.
package clock
