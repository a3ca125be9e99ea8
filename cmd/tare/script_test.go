package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tare/supervisor"
)

// TestMain makes this binary be tare when it is called so: the scripts run the
// program in processes of their own, and so does the program its workers.
func TestMain(m *testing.M) {
	os.Setenv(raceOptions, "atexit_sleep_ms=0")
	testscript.Main(m, map[string]func(){"tare": main})
}

// raceOptions are those of the race detector, under which each process would
// else sleep a second before its end.
const raceOptions = "GORACE"

// Each script is a story of the whole program; story_test.go has the commands
// that they use beside those of testscript. Run one with -run TestScripts/NAME.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           condition,
		Setup:               setUp,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "start": start, "await": await, "ctrlc": ctrlC, "kill9": kill9, "finish": finish,
			"serve": serve, "gone": gone, "leaks": leaks, "argv": argv, "pinned": pinned,
			"json": checkJSON, "has": hasKeys, "balanced": balanced,
		},
	})
}

// setUp gives a script the number of a CPU that it may use, as $CPU.
func setUp(e *testscript.Env) error {
	e.Values[storyKey{}] = story{}
	e.Setenv(raceOptions, os.Getenv(raceOptions))
	allowed, err := supervisor.Allowed()
	if err == nil {
		e.Setenv("CPU", strconv.Itoa(allowed[0]))
	}
	return err
}

// condition knows cpus:N, that at least N CPUs are allowed.
func condition(cond string) (bool, error) {
	text, ok := strings.CutPrefix(cond, "cpus:")
	n, err := strconv.Atoi(text)
	if !ok || err != nil {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	allowed, err := supervisor.Allowed()
	return len(allowed) >= n, err
}

// usage fails the script with the form of a command.
func usage(ts *testscript.TestScript, bad bool, form string) {
	if bad {
		ts.Fatalf("usage: %s", form)
	}
}
