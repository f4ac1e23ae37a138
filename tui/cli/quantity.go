package cli

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"jtune/internal/units"
)

// quantity is the value of a flag with an optional unit.
type quantity struct {
	to   *float64
	unit units.Unit
}

// unitFlag adds a number with an optional unit.
func unitFlag(f *pflag.FlagSet, to *float64, name string, value float64, unit units.Unit, usage string) {
	*to = value
	f.Var(&quantity{to, unit}, name, usage)
}

func (q *quantity) String() string { return strconv.FormatFloat(*q.to, 'g', -1, 64) }
func (q *quantity) Type() string   { return "float64" }
func (q *quantity) form() string   { return "a number, such as " + q.unit.Example() }

func (q *quantity) Set(text string) (err error) {
	v, err := units.Parse(text, q.unit)
	if err == nil {
		*q.to = v
	}
	return err
}

// quantities is the value of a flag for several numbers separated by commas.
type quantities struct {
	to    *[]float64
	unit  units.Unit
	given bool
}

// unitsFlag adds several numbers with optional units.
func unitsFlag(f *pflag.FlagSet, to *[]float64, name string, unit units.Unit, usage string) {
	f.Var(&quantities{to: to, unit: unit}, name, usage)
}

func (q *quantities) String() string {
	var words []string
	for _, v := range *q.to {
		words = append(words, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(words, ",")
}

func (q *quantities) Type() string { return "float64Slice" }
func (q *quantities) form() string {
	return "a number, or several with commas, such as " + q.unit.Example()
}

func (q *quantities) Set(text string) error {
	if !q.given {
		*q.to, q.given = nil, true
	}
	for word := range strings.SplitSeq(text, ",") {
		v, err := units.Parse(word, q.unit)
		if err != nil {
			return err
		}
		*q.to = append(*q.to, v)
	}
	return nil
}

// span is the value of a flag for a time.
type span time.Duration

// timeFlag adds a time, in seconds if it has no unit.
func timeFlag(f *pflag.FlagSet, to *time.Duration, name string, value time.Duration, usage string) {
	*to = value
	f.Var((*span)(to), name, usage)
}

func (s *span) String() string {
	if *s == 0 {
		return "0"
	}
	return time.Duration(*s).String()
}

func (s *span) Type() string { return "duration" }
func (s *span) form() string { return "a time with its unit, such as 500ms, 30s or 2min" }

func (s *span) Set(text string) error {
	d, err := units.Duration(text)
	if err != nil {
		return errors.New("want " + s.form())
	}
	*s = span(d)
	return nil
}
