// Package tomlfile locates errors in TOML files.
package tomlfile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"jtune/internal/text"
)

// Fault is an error at a line of a file.
type Fault struct {
	File string
	Line int // from 1
	Err  error
}

func (f *Fault) Error() string { return fmt.Sprintf("%s: line %d: %v", f.File, f.Line, f.Err) }

func (f *Fault) Unwrap() error { return f.Err }

// At returns the fault of a key in a file's text.
func At(file, text string, key toml.Key, err error) error {
	return &Fault{File: file, Line: Line(text, key), Err: err}
}

// mistyped matches the decoder's error for a value of the wrong type.
var mistyped = regexp.MustCompile(`^line (\d+) \(last key "(.*?)"\): (.*)$`)

// Error converts a decoder's error to one line: file, line, key, and what to write.
func Error(file string, err error) error {
	line, key, message := "", "", strings.TrimPrefix(err.Error(), "toml: ")
	var p toml.ParseError
	if errors.As(err, &p) {
		line, key, message = strconv.Itoa(p.Position.Line), p.LastKey, p.Message
	} else if m := mistyped.FindStringSubmatch(message); m != nil {
		line, key, message = m[1], m[2], m[3]
	}
	advice, ofKey := advised(message)
	if line != "" {
		file += ": line " + line
	}
	if ofKey && key != "" {
		advice = key + ": " + advice
	}
	return fmt.Errorf("%s: %s", file, text.OneLine(advice))
}

// advices say what to write instead, by a part of the decoder's message.
var advices = []struct {
	has, write string
	ofKey      bool // about the value of the last key
}{
	{"invalid escape", `write an expression in single quotes, such as 'step (?P<batch>\d+)'`, true},
	{"has type string; destination has type slice", `write a list, such as ["python3", "train.py"]`, true},
	{"destination has type slice", "write a list, such as [1, 4, 16]", true},
	{"destination has type string", "write the value in quotes", true},
	{"destination has type int", "write a whole number without quotes", true},
	{"destination has type float", "write a number without quotes", true},
	{"destination has type bool", "write true or false without quotes", true},
	{"destination has type map", `write a table, such as { NAME = "value" }`, true},
	{"expected table but found", "write a table, such as [torch] on a line of its own, then KEY = VALUE lines",
		true},
	{"expected value but found", "write text in quotes, and numbers, true and false without", true},
	{"expected value", "write a value after =", true},
	{"has already been defined", "it is defined twice; keep one of them", true},
	{"already created", "the name is used for a value and for a table; rename one", true},
	{"strings cannot contain newlines", "close the quotes on the same line", true},
	{"unexpected EOF; expected '\"'", "close the quotes", true},
	{`unexpected EOF; expected "'"`, "close the quotes", true},
	{"array terminator", "separate the entries with commas and close the list with ]", true},
	{"inline table terminator", "separate the entries with commas and close the table with }", true},
	{"top-level item to end", "write one KEY = VALUE on each line, and text in quotes", false},
	{"expected '.' or '='", "write KEY = VALUE", false},
	{"expected key separator '='", "write KEY = VALUE", false},
	{"end table name", "close the name of the table with ]", false},
	{"table names cannot be empty", "give the table a name, such as [torch]", false},
}

// advised says what to write instead of what the decoder rejected; rare messages stay as they came.
func advised(message string) (write string, ofKey bool) {
	for _, a := range advices {
		if strings.Contains(message, a.has) {
			return a.write, a.ofKey
		}
	}
	return message, true
}

// Line returns the line of a key in a TOML text, from 1: the line of the longest prefix of the key that has one. The
// decoder does not export this position.
func Line(text string, key toml.Key) int {
	best, depth := 1, 0
	var table []string
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		var at []string
		if head, ok := strings.CutPrefix(line, "["); ok {
			head, _, _ = strings.Cut(strings.TrimPrefix(head, "["), "]")
			table = splitKey(head)
			at = table
		} else if name, _, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			at = append(slices.Clone(table), splitKey(name)...)
		}
		if n := commonLead(at, key); n > depth {
			best, depth = i+1, n
		}
	}
	return best
}

// splitKey splits a dotted key as far as bare and quoted names go.
func splitKey(s string) []string {
	parts := strings.Split(strings.TrimSpace(s), ".")
	for i := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(parts[i]), `"'`)
	}
	return parts
}

// commonLead returns how many leading names of at and key agree; 0 if at is longer than key or differs from it.
func commonLead(at []string, key toml.Key) int {
	if len(at) > len(key) {
		return 0
	}
	for i := range at {
		if at[i] != key[i] {
			return 0
		}
	}
	return len(at)
}
