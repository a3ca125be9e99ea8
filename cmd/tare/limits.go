package main

import (
	"fmt"

	"tare/analysis/arrival"
)

// spareFiles are the descriptors that a process needs beside its connections.
const spareFiles = 64

// checkLimits sees to it that the connections a load may need can be had.
func checkLimits(f *faults, j job) {
	l := j.settings.Load
	most := l.MaxInFlight
	flag := "--max-in-flight"
	switch p := j.settings.Profile; {
	case p != nil && !p.Open():
		most, flag = p.ConcurrencyTo, "--concurrency-to"
	case !l.Open():
		most, flag = l.Concurrency, "--concurrency"
	}
	children := max(len(j.plan.Children), 1)
	share, where := arrival.Share(most, 0, children), fmt.Sprintf("each of %d workers", children)
	if j.settings.Target.URL == "" {
		share, where = most, "the simulator"
	}
	if need := uint64(share) + spareFiles; need > j.host.MaxFiles && j.host.MaxFiles > 0 {
		f.add("%s %d needs %d open files in %s, the hard limit is %d: raise it (ulimit -Hn) or lower %s",
			flag, most, need, where, j.host.MaxFiles, flag)
	}
	if ports := int64(j.host.PortRange[1] - j.host.PortRange[0] + 1); ports > 1 && most > ports {
		f.add("%s %d needs as many ports, this host has %d for one server address (net.ipv4.ip_local_port_range): lower %s",
			flag, most, ports, flag)
	}
}
