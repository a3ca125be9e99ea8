package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the root of the module, seen from this package.
const module = "../.."

// An importRule says what of ours a package, and those below it, may import
// beside what lies below itself.
type importRule struct {
	pkg   string
	may   []string
	never []string // packages of the standard library
	why   string
}

var importRules = []importRule{
	{"ipc/clock", nil, nil, "the clock is the lowest layer"},
	{"ipc", []string{"ipc/clock"}, nil, "what processes say to each other knows none of them"},
	{"analysis", []string{"ipc", "analysis/..."}, []string{"net", "net/...", "os/exec"}, "figures are pure functions of values and record files"},
	{"analysis/audit/tools", []string{"analysis/audit"}, []string{"net", "net/http", "net/http/...", "os/exec"}, "recipes are text; net/url takes an address apart and opens nothing"},
	{"analysis/arrival", []string{"ipc", "analysis/dist"}, []string{"net", "net/...", "os/exec"}, "the worker imports it: no more than laws and settings may come along"},
	{"analysis/dist", nil, []string{"net", "net/...", "os/exec"}, "the worker imports it: laws are mathematics"},
	{"worker/rxtime", []string{"ipc/clock"}, nil, "the simulator imports it, too"},
	{"worker/wire", nil, nil, "bytes to events: nothing of ours is needed"},
	{"worker", []string{"ipc", "ipc/clock", "analysis/arrival", "analysis/dist"}, nil, "a worker knows the protocol, not the supervisor"},
	{"supervisor", []string{"ipc", "ipc/clock", "analysis/arrival", "analysis/dist"}, nil, "the supervisor knows the protocol, not the worker"},
	{"cmd/tare/sim", []string{"ipc/clock", "worker/rxtime", "analysis/arrival", "analysis/dist"}, nil, "the simulator shares clocks and laws with what measures it, no more"},
	{"cmd", []string{"..."}, nil, "commands tie all together"},
}

func TestImportRules(t *testing.T) {
	used := map[string]bool{}
	for _, p := range goList(t, "./...") {
		rule, ok := ruleFor(p.path())
		if !ok {
			t.Errorf("no import rule for package %s: the layout is fixed", p.path())
			continue
		}
		used[rule.pkg] = true
		for _, imported := range p.Imports {
			ours, isOurs := strings.CutPrefix(imported, "tare/")
			if isOurs && !within(ours, rule.pkg+"/...") && ours != rule.pkg && !matchesAny(ours, rule.may) {
				t.Errorf("%s imports %s; %s", p.path(), ours, rule.why)
			}
			if matchesAny(imported, rule.never) {
				t.Errorf("%s imports %s; %s", p.path(), imported, rule.why)
			}
		}
	}
	for _, rule := range importRules {
		if !used[rule.pkg] && rule.pkg != "cmd" {
			t.Errorf("the rule for %s is for nothing", rule.pkg)
		}
	}
}

// Whatever is linked into a worker, by whatever way, the supervisor is not, and
// the other way round.
func TestWorkerAndSupervisorAreApart(t *testing.T) {
	for _, pair := range [][2]string{{"./worker/...", "tare/supervisor"}, {"./supervisor/...", "tare/worker"}} {
		for _, p := range goList(t, "-deps", pair[0]) {
			if p.ImportPath == pair[1] || strings.HasPrefix(p.ImportPath, pair[1]+"/") {
				t.Errorf("%s depends on %s", pair[0], p.ImportPath)
			}
		}
	}
}

// The rules themselves: a file that breaks one would be found.
func TestRuleFor(t *testing.T) {
	for pkg, want := range map[string]string{
		"worker": "worker", "worker/rxtime": "worker/rxtime", "worker/workload": "worker",
		"analysis/dist": "analysis/dist", "analysis/metrics": "analysis", "cmd/tare": "cmd", "cmd/tare/sim": "cmd/tare/sim",
	} {
		if got, _ := ruleFor(pkg); got.pkg != want {
			t.Errorf("package %s falls under the rule for %q, want %q", pkg, got.pkg, want)
		}
	}
	if rule, _ := ruleFor("worker"); matchesAny("supervisor", rule.may) || !matchesAny("ipc", rule.may) {
		t.Error("a worker may import the supervisor, or not ipc")
	}
	if rule, _ := ruleFor("analysis/metrics"); !matchesAny("net/http", rule.never) || matchesAny("maps", rule.never) {
		t.Error("analysis may import net/http, or not maps")
	}
}

// ruleFor returns the rule with the longest path that holds pkg.
func ruleFor(pkg string) (importRule, bool) {
	var found importRule
	for _, r := range importRules {
		if (pkg == r.pkg || within(pkg, r.pkg+"/...")) && len(r.pkg) > len(found.pkg) {
			found = r
		}
	}
	return found, found.pkg != ""
}

// within tells whether pkg matches a pattern: a path, or all paths below one,
// as in analysis/...
func within(pkg, pattern string) bool {
	prefix, ok := strings.CutSuffix(pattern, "...")
	return ok && strings.HasPrefix(pkg, prefix) || pkg == pattern
}

func matchesAny(pkg string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return within(pkg, p) })
}

// listed is what go list says of a package.
type listed struct {
	ImportPath string
	Dir        string
	Doc        string
	Imports    []string
}

// path is the package's path within the module.
func (p listed) path() string { return strings.TrimPrefix(p.ImportPath, "tare/") }

func goList(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Doc,Imports"}, args...)...)
	cmd.Dir = module
	out, err := cmd.Output()
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		t.Fatalf("go list: %v\n%s", err, e.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// topLevel is all that the root of the repository may hold, beside files whose
// names begin with a dot.
var topLevel = []string{"cmd", "supervisor", "worker", "ipc", "analysis", "go.mod", "go.sum", "Makefile", "README.md", "LICENSE"}

func TestTopLevelIsFixed(t *testing.T) {
	cmd := exec.Command("git", "ls-files")
	cmd.Dir = filepath.FromSlash(module)
	out, err := cmd.Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	for file := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(path.Clean(strings.TrimSpace(file)), "/")
		if !strings.HasPrefix(name, ".") && !slices.Contains(topLevel, name) {
			t.Errorf("%s is not among the names that were agreed: %v", name, topLevel)
		}
	}
}
