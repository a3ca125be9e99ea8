package experiment

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Place is where a cell runs. In flags and arguments {dir} stands for the
// cell's directory and {cpu} for a CPU.
type Place struct {
	Dir string
	CPU int
}

// Words are the cell as arguments of this program: verb, flags in the order of
// their names, the directory of the results, more flags of the caller's, and
// what comes after the flags.
func (c Cell) Words(p Place, more ...string) []string {
	words := []string{c.Verb}
	for _, name := range slices.Sorted(maps.Keys(c.Flags)) {
		words = append(words, "--"+name+"="+p.replace(c.Flags[name]))
	}
	words = append(append(words, "--out="+p.Dir), more...)
	if len(c.Args) == 0 {
		return words
	}
	words = append(words, "--")
	for _, a := range c.Args {
		words = append(words, p.replace(a))
	}
	return words
}

// textOf matches {words:N}, a text of N words.
var textOf = regexp.MustCompile(`\{words:(\d{1,5})\}`)

// replace puts in what placeholders stand for. {words:N} is for a text that
// prompts share; every word of it is the same, since only its length matters.
func (p Place) replace(value string) string {
	value = strings.NewReplacer("{dir}", p.Dir, "{cpu}", strconv.Itoa(p.CPU)).Replace(value)
	return textOf.ReplaceAllStringFunc(value, func(found string) string {
		n, _ := strconv.Atoi(textOf.FindStringSubmatch(found)[1]) // digits
		return strings.TrimSuffix(strings.Repeat("same ", n), " ")
	})
}

// ResultFile is what the verb leaves in its directory, the cell's document: the
// same object that its --format json prints.
//
//	run      summary.json  the summary of a run
//	profile  profile.json  capacity, knee, and steps with a summary each
//	audit    audit.json    what the server saw and what the load generator said
func (c Cell) ResultFile() string {
	if c.Verb == VerbRun {
		return "summary.json"
	}
	return c.Verb + ".json"
}

// overhead is what a cell takes beyond its load: to start, to connect, and to
// make the report.
const overhead = time.Second

// Length is about how long the cell takes, by its flag duration and what the
// size says beside it.
func (c Cell) Length() time.Duration {
	d, _ := time.ParseDuration(c.Flags["duration"]) // 0 without one
	return d + c.lasts + overhead
}

// Command is the cell as a line for a shell.
func (c Cell) Command(program string, p Place) string {
	words := []string{program}
	for _, word := range c.Words(p) {
		words = append(words, quote(word))
	}
	return strings.Join(words, " ")
}

var plain = regexp.MustCompile(`^[-A-Za-z0-9_=./:,%+]+$`)

// quote protects a word from the shell.
func quote(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
