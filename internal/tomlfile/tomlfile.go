// Package tomlfile locates errors in TOML files.
package tomlfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"jtune/internal/text"
)

// Fault is what is wrong at a line of a file.
type Fault struct {
	File string
	Line int // from 1
	Err  error
}

func (f *Fault) Error() string { return fmt.Sprintf("%s: line %d: %v", f.File, f.Line, f.Err) }

func (f *Fault) Unwrap() error { return f.Err }

// At is a fault of a key in a file's text.
func At(file, text string, key toml.Key, err error) error {
	return &Fault{File: file, Line: Line(text, key), Err: err}
}

// Error makes one line of a decoder's error, with file, line and key.
func Error(file string, err error) error {
	var p toml.ParseError
	if !errors.As(err, &p) { // a value of the wrong type: the text names line and key
		return fmt.Errorf("%s: %s", file, advised(text.OneLine(strings.TrimPrefix(err.Error(), "toml: "))))
	}
	key := ""
	if p.LastKey != "" {
		key = p.LastKey + ": "
	}
	return fmt.Errorf("%s: line %d: %s", file, p.Position.Line, advised(text.OneLine(key+p.Message)))
}

// advised is a decoder's error with what to write instead, for those that users meet most.
func advised(message string) string {
	for _, c := range []struct{ has, advice string }{
		{"invalid escape in string", "put an expression in single quotes: pattern = '...'"},
		{"TOML value has type string; destination has type slice",
			`write a list: ["python3", "train.py"]`},
		{"TOML value has type int64; destination has type string", "put the number in quotes"},
		{"TOML value has type string; destination has type int", "write the number without quotes"},
		{"TOML value has type string; destination has type float", "write the number without quotes"},
		{"TOML value has type string; destination has type bool", "write true or false without quotes"},
		{"expected value but found", "put text in quotes"},
		{"has already been defined", "keep one of them"},
	} {
		if strings.Contains(message, c.has) {
			return message + ": " + c.advice
		}
	}
	return message
}

// Line finds the line of a key in a TOML text, from 1: that of the longest leading part of the
// key that has a line of its own. The decoder does not export this position.
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

// splitKey parts a dotted key as far as bare and quoted names go.
func splitKey(s string) []string {
	parts := strings.Split(strings.TrimSpace(s), ".")
	for i := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(parts[i]), `"'`)
	}
	return parts
}

// commonLead is how many leading names of at and key agree; 0 when at goes
// beyond key or differs from it.
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
