package tools

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Arrival is a law of arrivals that a recipe asks a tool for.
type Arrival string

// The laws that other tools have.
const (
	Constant Arrival = "constant" // equal gaps
	Poisson  Arrival = "poisson"  // exponential gaps
)

// Params are what is asked of a tool.
type Params struct {
	URL          string  // of the server, without a path: http://127.0.0.1:8000
	Model        string  // name that requests carry
	Rate         float64 // requests/s, above 0
	Requests     int     // to send, above 0; with Rate it gives the duration
	InputTokens  int     // of a prompt, above 0
	OutputTokens int     // of an answer, above 0; asked for with ignore_eos
	Dir          string  // where Recipe.Files go and the report will be: an absolute path
	Seed         int64   // for the tools that take one
	Arrival      Arrival // empty: the first of Tool.Arrivals
	Workers      int     // processes or threads that send; 0: as many as the tool starts by itself
	InFlight     int     // requests in flight that the tool is to be able to hold; 0: those of 0.2 s at Rate, at least 16
	Tokenizer    string  // folder of a tokenizer; empty: a small one of our own, written to Dir
	Version      string  // of the tool, as it prints it; empty: the one its Conventions were read in
}

// Duration is the time in which Requests fall due at Rate.
func (p Params) Duration() time.Duration {
	return time.Duration(float64(p.Requests) / p.Rate * float64(time.Second))
}

// Recipe is how to run a tool once.
type Recipe struct {
	Args   []string          // the command line, to be run in Params.Dir
	Env    []string          // NAME=VALUE, added to the environment
	Unset  []string          // variables that have to be absent from it
	Files  map[string][]byte // to be there beforehand, by path under Params.Dir
	Stdout string            // path under Params.Dir to which its standard output goes; empty: anywhere
	Then   []string          // a second command that turns what the first wrote into the report; nil: none
	Result string            // path of the report under Params.Dir, for Tool.Read
}

// String is the recipe as a line for a shell, run in Params.Dir.
func (r Recipe) String() string {
	words := slices.Clone(r.Env)
	if len(r.Unset) > 0 {
		words = []string{"env", "-u", strings.Join(r.Unset, " -u ")}
		words = append(strings.Fields(strings.Join(words, " ")), r.Env...)
	}
	line := quoted(append(words, r.Args...))
	if r.Stdout != "" {
		line += " > " + quoted([]string{r.Stdout})
	}
	if r.Then != nil {
		line += " && " + quoted(r.Then)
	}
	return line
}

// quoted joins words for a POSIX shell.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.ContainsFunc(w, special) {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

func special(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_=+./:,@%", r))
}

// Recipe writes down how to run the tool with p. The error joins all that is
// wrong with p: figures out of range, and a law that the tool does not have.
func (t Tool) Recipe(p Params) (Recipe, error) {
	if p.Arrival == "" && len(t.Arrivals) > 0 {
		p.Arrival = t.Arrivals[0]
	}
	if p.InFlight == 0 && p.Rate > 0 && p.Rate < math.MaxInt32 {
		p.InFlight = max(16, int(math.Ceil(p.Rate/5)))
	}
	if err := t.check(p); err != nil {
		return Recipe{}, fmt.Errorf("recipe for %s: %w", t.Name, err)
	}
	return t.recipe(p), nil
}

func (t Tool) check(p Params) error {
	var errs []error
	if u, err := url.Parse(p.URL); err != nil || u.Scheme == "" || u.Hostname() == "" {
		errs = append(errs, fmt.Errorf("URL %q: want one as http://127.0.0.1:8000", p.URL))
	}
	if p.Model == "" || strings.ContainsFunc(p.Model, func(r rune) bool { return r < ' ' || r == '"' || r == '\'' || r == '\\' }) {
		errs = append(errs, fmt.Errorf("model %q: want a name without quotes and control characters", p.Model))
	}
	if !path.IsAbs(p.Dir) {
		errs = append(errs, fmt.Errorf("folder %q: want an absolute path", p.Dir))
	}
	if !(p.Rate > 0) || math.IsInf(p.Rate, 0) {
		errs = append(errs, fmt.Errorf("rate %v: want requests/s above 0", p.Rate))
	}
	for _, c := range []struct {
		name string
		n    int
		from int
	}{
		{"requests", p.Requests, 1}, {"input tokens", p.InputTokens, 1}, {"output tokens", p.OutputTokens, 1},
		{"workers", p.Workers, 0}, {"requests in flight", p.InFlight, 0},
	} {
		if c.n < c.from {
			errs = append(errs, fmt.Errorf("%s %d: want %d or more", c.name, c.n, c.from))
		}
	}
	return errors.Join(append(errs, t.lacks(p)...)...)
}

// lacks names what is asked for and the tool does not have.
func (t Tool) lacks(p Params) []error {
	var errs []error
	if !slices.Contains(t.Arrivals, p.Arrival) {
		errs = append(errs, fmt.Errorf("%s arrivals: it only has %s", p.Arrival, join(t.Arrivals)))
	}
	if p.Workers > 0 && !t.Workers {
		errs = append(errs, errors.New("workers: it always sends from one process"))
	}
	return errs
}

func join(laws []Arrival) string {
	names := make([]string, len(laws))
	for i, l := range laws {
		names[i] = string(l)
	}
	return strings.Join(names, " and ")
}

// seconds is the duration in whole seconds, rounded up: for tools that take no
// fractions.
func (p Params) seconds() int {
	return int(math.Ceil(float64(p.Requests)/p.Rate - 1e-9))
}

// each is n shared by the workers, or by one where their number is the tool's.
func (p Params) each(n int) int {
	w := max(1, p.Workers)
	return (n + w - 1) / w
}

func (p Params) completions() string {
	return strings.TrimRight(p.URL, "/") + "/v1/completions"
}

func (p Params) file(name string) string { return path.Join(p.Dir, name) }

// pick returns yes for constant arrivals and no for others.
func (p Params) pick(constant, poisson string) string {
	if p.Arrival == Constant {
		return constant
	}
	return poisson
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func count(n int) string { return strconv.Itoa(n) }
