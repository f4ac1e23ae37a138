// Package usage describes what is wrong with a request, independently of where it was typed. A message mentions a value
// by the name of its Field in quotation marks; the command or screen that shows the message inserts its own name.
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

// Error is a request that cannot be carried out as given: a bad name, a bad value, a missing choice.
type Error struct {
	Field Field  // the field at fault; "" if it is not a single field
	Why   string // what is wrong about it
	Try   string // what to do instead; "" if Why is enough
	err   error  // source of Why
}

// Errorf returns an error about the request as a whole.
func Errorf(format string, args ...any) *Error { return Field("").Errorf(format, args...) }

// Of returns an error as a usage error; nil stays nil.
func Of(err error) error {
	if err == nil || Is(err) {
		return err
	}
	return Errorf("%w", err)
}

// Is reports whether an error is a usage error.
func Is(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// Errorf returns an error about a field.
func (f Field) Errorf(format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Field: f, Why: err.Error(), err: err}
}

// Advise adds what to do instead.
func (e *Error) Advise(format string, args ...any) *Error {
	e.Try = fmt.Sprintf(format, args...)
	return e
}

// Error starts with the field unless the message mentions a field already.
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

// String formats the field for a message: “batch size”.
func (f Field) String() string { return "“" + string(f) + "”" }

// Value formats the field with some value of it: “batch size” …
func (f Field) Value() string { return f.String() + some }

const some = " …"

var mention = regexp.MustCompile(`“([^“”]+)”(` + some + `)?`)

// Named replaces the fields in a message by other names; value means that some value of the field follows its name. It
// keeps other texts in such quotation marks, and fields for which name returns "".
func Named(text string, name func(f Field, value bool) string) string {
	if !strings.Contains(text, "“") {
		return text
	}
	return mention.ReplaceAllStringFunc(text, func(m string) string {
		parts := mention.FindStringSubmatch(m)
		return cmp.Or(name(Field(parts[1]), parts[2] != ""), m)
	})
}
