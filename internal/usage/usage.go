// Package usage says what is wrong with a request without knowing where it was typed. A text mentions a missing value
// by the name of a Field in quotation marks; the command or screen that shows the text puts its own name there.
//
//	code ──► Error{Field, Why, Try}, notes ──► “batch size” ──► Named ──► --batch on a command line, a dialog's label
package usage

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Error is a request that cannot be met as it was put: a bad name, a bad value, a choice that is missing.
type Error struct {
	Field Field  // what was given wrong; "" where it is no single field
	Why   string // what is wrong about it
	Try   string // what to do instead; "" where Why says enough
	err   error  // that Why was made of
}

// Errorf is an error about the request as a whole.
func Errorf(format string, args ...any) *Error { return Field("").Errorf(format, args...) }

// Of makes an error one of usage; nil stays nil.
func Of(err error) error {
	if err == nil || Is(err) {
		return err
	}
	return Errorf("%w", err)
}

// Is reports whether an error is one of usage.
func Is(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// Errorf is an error about a field.
func (f Field) Errorf(format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Field: f, Why: err.Error(), err: err}
}

// Advise adds what to do instead.
func (e *Error) Advise(format string, args ...any) *Error {
	e.Try = fmt.Sprintf(format, args...)
	return e
}

// Error begins with the field unless the text mentions it, or another.
func (e *Error) Error() string {
	s := e.Why
	if e.Try != "" {
		s += ": " + e.Try
	}
	if e.Field != "" && !mention.MatchString(s) {
		s = e.Field.String() + ": " + s
	}
	return s
}

func (e *Error) Unwrap() error { return e.err }

// String mentions the field in a text: “batch size”.
func (f Field) String() string { return "“" + string(f) + "”" }

// Value mentions the field and some value of it: “batch size” …
func (f Field) Value() string { return f.String() + some }

const some = " …"

var mention = regexp.MustCompile(`“([^“”]+)”(` + some + `)?`)

// Named replaces the fields that a text mentions by other names; value: some value of the field belongs behind its
// name.
// Other texts in such quotation marks stay, and fields whose other name is "".
func Named(text string, name func(f Field, value bool) string) string {
	if !strings.Contains(text, "“") {
		return text
	}
	return mention.ReplaceAllStringFunc(text, func(m string) string {
		parts := mention.FindStringSubmatch(m)
		return cmp.Or(name(Field(parts[1]), parts[2] != ""), m)
	})
}
