package worker

import (
	"runtime"
	"runtime/metrics"

	"golang.org/x/sys/unix"

	"tare/ipc"
)

// usageMeter reads what this process has cost since reset.
type usageMeter struct{ base ipc.Usage }

func (m *usageMeter) reset() { m.base = usageNow() }

func (m *usageMeter) read() ipc.Usage {
	u := usageNow()
	u.User -= m.base.User
	u.System -= m.base.System
	u.Switches -= m.base.Switches
	u.Preemptions -= m.base.Preemptions
	u.GCs -= m.base.GCs
	u.GCPause -= m.base.GCPause
	return u
}

func usageNow() ipc.Usage {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return ipc.Usage{} // cannot fail with these arguments
	}
	gcs, pause := collections()
	return ipc.Usage{
		User: r.Utime.Nano(), System: r.Stime.Nano(), Switches: r.Nvcsw, Preemptions: r.Nivcsw,
		MaxRSS: r.Maxrss << 10, GCs: gcs, GCPause: pause, Goroutines: int64(runtime.NumGoroutine()),
	}
}

// collections reads the number of garbage collections and an upper bound of
// their stop-the-world time, ns, from the runtime's histogram: unlike
// ReadMemStats it stops nothing.
func collections() (n, pause int64) {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	h := s[1].Value.Float64Histogram()
	for i, count := range h.Counts {
		if count > 0 {
			pause += int64(float64(count) * max(h.Buckets[i], 0) * 1e9)
		}
	}
	return int64(s[0].Value.Uint64()), pause
}

// ownCPUs lists the CPUs that this process may run on.
func ownCPUs() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	var cpus []int
	for c := range len(set) * 64 {
		if set.IsSet(c) {
			cpus = append(cpus, c)
		}
	}
	return cpus
}

// maxFiles is RLIMIT_NOFILE, which the Go runtime has raised to its hard
// limit.
func maxFiles() uint64 {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return 0
	}
	return r.Cur
}
