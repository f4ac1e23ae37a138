package harness

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"

	"jtune/internal/lazyregexp"
	"jtune/internal/text"
	"jtune/profiles/harness/detect"
)

// An expression of the user finds a count or a time in the lines that a program prints anyway. It names what it finds:
// batch (done in this epoch), of (how many there are: bars of another length, such as a validation's, are passed over),
// epoch, time_ms, time_s, rate (per second), units (of one result at the end).

// maxAtOnce bounds the events that one line makes.
const maxAtOnce = 1000

// escapes match a terminal's colours and cursor movements.
var escapes = lazyregexp.New(`\x1b\[[0-9;?]*[A-Za-z]`)

// pattern is such an expression. It is not safe for concurrent use.
type pattern struct {
	re       *regexp.Regexp
	fromZero bool // epochs are counted from 0; else from 1
	of       int  // length of the bar that counts; 0: none so far
	epoch    int  // the last one
	results  int  // times found
	units    int  // of the last result, if stated
}

// found is what an expression finds in a line: a count, or else the time of a unit.
type found struct {
	done, of, epoch int
	ms              float64 // 0: a count
}

// CheckPattern returns an error unless a pattern is the name of a known one, or a regular
// expression with named groups.
func CheckPattern(text string) error {
	if toolOf(text, nil) != nil || slices.Contains(detect.Forms(), text) {
		return nil
	}
	_, err := newPattern(text)
	return err
}

func newPattern(expr string) (*pattern, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		var why *syntax.Error
		if errors.As(err, &why) {
			err = errors.New(why.Code.String())
		}
		return nil, fmt.Errorf("'%s' is no regular expression: %w", text.OneLine(expr), err)
	}
	finds := re.SubexpNames()
	for _, need := range []string{"batch", "time_ms", "time_s", "rate"} {
		if slices.Contains(finds, need) {
			return &pattern{re: re}, nil
		}
	}
	const groups = "'%s' finds no step: mark what counts, as in 'step (?P<batch>\\d+)', or a (?P<time_ms>…), " +
		"(?P<time_s>…) or (?P<rate>…)"
	if regexp.QuoteMeta(expr) != expr {
		return nil, fmt.Errorf(groups, text.OneLine(expr))
	}
	return nil, fmt.Errorf(groups+"; a word alone names a known form%s", expr, text.SuggestOf(expr, knownPatterns()))
}

// find applies the expression to a line; matched reports whether it matches, ok whether it finds something. whole is
// false for a progress bar that is not finished yet.
func (p *pattern) find(line []byte, whole bool) (f found, matched, ok bool) {
	m := p.re.FindSubmatch(escapes.ReplaceAll(line, nil))
	if m == nil {
		return f, false, false
	}
	text := func(group string) string {
		if i := p.re.SubexpIndex(group); i >= 0 {
			return string(m[i])
		}
		return ""
	}
	count := func(group string) int {
		if n, err := strconv.Atoi(text(group)); err == nil && n >= 0 && n <= maxCount {
			return n
		}
		return -1
	}
	if n := count("epoch"); n >= 0 {
		if p.fromZero = p.fromZero || n == 0; !p.fromZero {
			n--
		}
		p.epoch = n
	}
	f = found{done: count("batch"), of: max(0, count("of")), epoch: p.epoch}
	if text("batch") != "" && text("time_ms")+text("time_s") == "" {
		if p.of == 0 {
			p.of = f.of
		}
		return f, true, f.done >= 0 && f.of == p.of
	}
	if !whole {
		return f, false, false
	}
	if f.ms = timeOf(text("time_ms"), text("time_s"), text("rate")); f.ms <= 0 || f.ms > maxTimeMS {
		return f, true, false
	}
	if n := count("units"); n > 0 {
		p.units = n
	}
	p.results++
	return f, true, true
}

// timeOf returns a minibatch's time in ms from the first non-empty text; 0 when it is not a number.
func timeOf(ms, s, rate string) float64 {
	for _, f := range []struct {
		text string
		ms   func(float64) float64
	}{
		{ms, func(v float64) float64 { return v }},
		{s, func(v float64) float64 { return 1000 * v }},
		{rate, func(v float64) float64 { return 1000 / v }},
	} {
		if f.text == "" {
			continue
		}
		v, err := strconv.ParseFloat(f.text, 64)
		if err != nil || !(v > 0) {
			return 0
		}
		return f.ms(v)
	}
	return 0
}
