package supervisor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"tare/ipc"
)

// HostInfo describes this machine. What cannot be read is left out.
func HostInfo(allowed []int) ipc.Host {
	h := ipc.Host{Go: runtime.Version(), AllowedCPUs: allowed, CPUModel: cpuModel(), PortRange: portRange()}
	h.Name, _ = os.Hostname()
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		h.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		h.MemoryBytes = int64(info.Totalram) * int64(info.Unit)
	}
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil {
		h.MaxFiles = files.Max
	}
	h.CPUQuota, _ = quota()
	return h
}

func cpuModel() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// portRange is the range of ports that connections go out from; zeros where
// it cannot be read.
func portRange() (r [2]int) {
	b, _ := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if _, err := fmt.Sscan(string(b), &r[0], &r[1]); err != nil {
		return [2]int{}
	}
	return r
}

// quota reads the CPU quota, in CPUs, and the number of throttled periods of
// this process's cgroup (version 2); zeros mean no limit.
func quota() (cpus float64, throttled int64) {
	own, _ := os.ReadFile("/proc/self/cgroup")
	_, path, _ := strings.Cut(strings.TrimSpace(string(own)), "::")
	dir := filepath.Join("/sys/fs/cgroup", path)
	limit, _ := os.ReadFile(filepath.Join(dir, "cpu.max"))
	if f := strings.Fields(string(limit)); len(f) == 2 {
		max, errMax := strconv.ParseFloat(f[0], 64)
		period, errPeriod := strconv.ParseFloat(f[1], 64)
		if errMax == nil && errPeriod == nil && period > 0 {
			cpus = max / period
		}
	}
	stat, _ := os.ReadFile(filepath.Join(dir, "cpu.stat"))
	for line := range strings.Lines(string(stat)) {
		if n, ok := strings.CutPrefix(line, "nr_throttled "); ok {
			throttled, _ = strconv.ParseInt(strings.TrimSpace(n), 10, 64)
		}
	}
	return cpus, throttled
}
