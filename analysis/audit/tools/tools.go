package tools

import (
	"io/fs"
	"slices"
	"strings"

	"tare/analysis/audit"
)

// Tool is a load generator that is known here. The zero value is none of them.
type Tool struct {
	Name        string      // as in tare audit --recipe
	Executable  string      // the file to look for in PATH: a recipe's first argument
	Install     string      // one sentence: how it is had
	Arrivals    []Arrival   // laws that it can send by; the first is its recipe's when none is asked for
	Workers     bool        // it can be told how many processes or threads to send from
	Conventions Conventions // how it measures

	commands []string // command lines that are this tool's, as words that follow each other
	recipe   func(Params) Recipe
	read     func(fs.FS, string) (audit.Reported, error)
}

// known are all tools, in the order in which they are listed.
var known = []Tool{vllm, sglang, inferencex, inferencePerf, guidellm, aiperf, k6, vegeta, wrk2, tare}

// Names are the names of the known tools, in the order of tables.
func Names() []string {
	names := make([]string, len(known))
	for i, t := range known {
		names[i] = t.Name
	}
	return names
}

// Find returns the tool of a name of Names.
func Find(name string) (Tool, bool) {
	i := slices.IndexFunc(known, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return known[i], true
}

// Guess tells whose command line args is: that of the first known tool whose
// command stands in it, its path and what comes before it (taskset, env, an
// interpreter) left aside. A command inside the string of a shell's -c is not
// seen.
func Guess(args []string) (Tool, bool) {
	i := slices.IndexFunc(known, func(t Tool) bool {
		return slices.ContainsFunc(t.commands, func(c string) bool { return contains(args, strings.Fields(c)) })
	})
	if i < 0 {
		return Tool{}, false
	}
	return known[i], true
}

// contains tells whether words follow each other somewhere in args, where a
// word also stands for the end of a path.
func contains(args, words []string) bool {
	for ; len(args) >= len(words); args = args[1:] {
		if slices.EqualFunc(args[:len(words)], words, isWord) {
			return true
		}
	}
	return false
}

func isWord(arg, word string) bool {
	return arg == word || strings.HasSuffix(arg, "/"+word)
}

// Read reads the report of a run: name is a slash-separated path in fsys, that
// of Recipe.Result or of the file that the user's own command line names (for
// inference-perf also the folder of its reports). Times become ms. A report
// that cannot be read, is not this tool's or has a figure of another type is an
// error that names the file and the figures; what a report leaves out is not.
func (t Tool) Read(fsys fs.FS, name string) (audit.Reported, error) {
	r, err := t.read(fsys, name)
	r.Tool = t.Name
	return r, err
}
