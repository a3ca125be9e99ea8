package main

import (
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"tare/ipc"
)

// ownGoroutines is more than a worker needs beside its streams.
const ownGoroutines = 20

// leaks DIR STREAMS checks what the workers of a run reported when they were
// done: nothing in flight, and no more connections and goroutines than idle
// streams, of which there are at most STREAMS, account for.
func leaks(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "leaks DIR STREAMS")
	most, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	r, err := ipc.OpenRecords(filepath.Join(ts.MkAbs(args[0]), ipc.RecordFileName))
	ts.Check(err)
	defer r.Close()
	workers := 0
	for t, w, err := r.Next(); err == nil; t, w, err = r.Next() {
		if t != ipc.TypeDone {
			continue
		}
		workers++
		var d ipc.Done
		ts.Check(r.Message(&d))
		if l := d.Last; l.InFlight != 0 || l.Conns > most || l.Usage.Goroutines > most+ownGoroutines {
			ts.Fatalf("worker %d was done with %d in flight, %d connections, %d goroutines", w, l.InFlight, l.Conns, l.Usage.Goroutines)
		}
	}
	if workers == 0 {
		ts.Fatalf("no worker was done")
	}
}
