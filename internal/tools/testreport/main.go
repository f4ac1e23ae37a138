// Command testreport reads the events of go test -json and prints what go test prints without it: a line for each
// package, and the output of what failed. It fails when a test is skipped that the list of skips does not name.
//
//	go test -json ./... | go run ./internal/tools/testreport -skips .ci/skips
//
// A line of the list is a package and a test; “*” at the end of a test stands for its subtests, and a line that begins
// with “#” says when the tests below it are skipped.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	file := flag.String("skips", ".ci/skips", "`FILE` with the tests that may be skipped")
	warn := flag.Bool("warn", false, "print other skips and do not fail: something that tests need is missing")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *file, *warn); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, file string, warn bool) error {
	list, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r := report{out: out, warn: warn, allowed: allowed(string(list)), output: map[string][]string{},
		skipped: map[string]string{}}
	events := bufio.NewScanner(in)
	events.Buffer(nil, 1<<24)
	for events.Scan() {
		r.line(events.Bytes())
	}
	return errors.Join(events.Err(), r.end())
}

// event is an event of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output, ImportPath string
}

func (e *event) name() string { return e.Package + " " + e.Test }

type report struct {
	out     io.Writer
	warn    bool // print a skip that is not allowed, without failing
	allowed []string
	output  map[string][]string // by package and test, until the test has passed
	skipped map[string]string   // tests with their reasons
	failed  []string
	results int // number of packages
}

func (r *report) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		fmt.Fprintf(r.out, "%s\n", line) // printed by the go command
		return
	}
	name := e.name()
	switch e.Action {
	case "output":
		r.output[name] = append(r.output[name], e.Output)
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "skip":
		if e.Test != "" {
			r.skipped[name] = strings.TrimSpace(reason(r.output[name]))
		}
		r.done(&e, false)
	case "pass":
		r.done(&e, false)
	case "fail":
		r.failed = append(r.failed, strings.TrimSpace(name))
		r.done(&e, true)
	}
}

// done prints a package's own lines, and the lines of a failed test.
func (r *report) done(e *event, failed bool) {
	name := e.name()
	lines := r.output[name]
	delete(r.output, name)
	if e.Test != "" {
		if failed {
			fmt.Fprint(r.out, strings.Join(lines, ""))
		}
		return
	}
	r.results++
	for _, l := range lines {
		if failed || strings.HasPrefix(l, "ok ") || strings.Contains(l, "[no test files]") {
			fmt.Fprint(r.out, l)
		}
	}
	for _, left := range slices.Sorted(maps.Keys(r.output)) { // tests ended by a panic or a time limit
		if failed && strings.HasPrefix(left, e.Package+" ") {
			fmt.Fprint(r.out, strings.Join(r.output[left], ""))
		}
	}
	maps.DeleteFunc(r.output, func(left string, _ []string) bool { return strings.HasPrefix(left, e.Package+" ") })
}

// end returns an error that names what failed, and skips that the list does not name.
func (r *report) end() error {
	var unexpected []string
	for _, name := range slices.Sorted(maps.Keys(r.skipped)) {
		if !slices.ContainsFunc(r.allowed, func(a string) bool { return matches(a, name) }) {
			unexpected = append(unexpected, name)
			fmt.Fprintf(r.out, "skipped, and not in the list of skips: %s: %s\n", name, r.skipped[name])
		}
	}
	switch {
	case r.results == 0:
		return errors.New("no package's result: is this the output of go test -json?")
	case len(r.failed) > 0:
		return fmt.Errorf("%d tests and packages failed: %s", len(r.failed), strings.Join(r.failed, ", "))
	case len(unexpected) > 0 && !r.warn:
		return fmt.Errorf("%d tests were skipped that ought to run: install what they need, or list them and why",
			len(unexpected))
	}
	fmt.Fprintf(r.out, "%d packages, %d tests skipped, %d of them not in the list\n", r.results, len(r.skipped),
		len(unexpected))
	return nil
}

// allowed lists the tests of a list of skips, as package and name.
func allowed(list string) (names []string) {
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); len(f) == 2 && !strings.HasPrefix(f[0], "#") {
			names = append(names, f[0]+" "+f[1])
		}
	}
	return names
}

func matches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return name == pattern
}

// reason returns the message of a skipped test, without the lines around it.
func reason(lines []string) string {
	for _, l := range slices.Backward(lines) {
		if t := strings.TrimSpace(l); t != "" && !strings.HasPrefix(t, "---") && !strings.HasPrefix(t, "===") {
			return t
		}
	}
	return "no reason given"
}
