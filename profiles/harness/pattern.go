package harness

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"jtune/internal/lazyregexp"
	"jtune/internal/text"
)

// Pattern mode reads the times of minibatches out of the lines that a training
// program prints anyway, on either of its outputs:
//
//	line or bar ──► regular expression ──► count of done minibatches ──► time since the last count, shared out
//	                                  └──► time or rate, when the line has no count
//
// A count gives the true mean time; the rate that a progress bar shows is
// smoothed and lags behind a change of power mode. Minibatches that one line
// reports together get equal times.
//
// An expression names what it finds: batch (done in this epoch), of (how many
// there are: bars of another length, such as a validation's, are passed over),
// epoch, time_ms, time_s, rate (per second), units (of one result at the end).

// maxAtOnce is the largest step of a count; a larger one belongs to something else.
const maxAtOnce = 1000

// escapes match a terminal's colours and cursor movements.
var escapes = lazyregexp.New(`\x1b\[[0-9;?]*[A-Za-z]`)

// pattern reads minibatches from lines. It is not safe for concurrent use.
type pattern struct {
	re       *regexp.Regexp
	fromZero bool // epochs are counted from 0; else from 1

	of      int           // length of the bar that counts; 0: none so far
	epoch   int           // of the last count
	done    int           // the last count
	at      time.Duration // when it came
	counted bool          // done and at are valid
	events  int           // events so far, when there is no count
	units   int           // of the last result, if stated
}

// CheckPattern returns an error unless a pattern is the name of a known one, or a regular
// expression with named groups.
func CheckPattern(text string) error {
	_, err := newReader(text, nil)
	return err
}

func newPattern(expr string) (*pattern, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf(
			"pattern: %w; known ones: %s",
			err,
			knownPatterns(),
		)
	}
	finds := re.SubexpNames()
	for _, need := range []string{"batch", "time_ms", "time_s", "rate"} {
		if slices.Contains(finds, need) {
			return &pattern{re: re}, nil
		}
	}
	return nil, fmt.Errorf(
		"pattern %q finds no minibatch: name a group (?P<batch>…), (?P<time_ms>…), (?P<time_s>…) or (?P<rate>…), "+
			"or take one of: %s",
		text.OneLine(expr),
		knownPatterns(),
	)
}

// read reads a line that arrived at now. ok reports whether it matches the pattern, with or without events. whole is
// false for a progress bar that is not finished yet.
func (p *pattern) read(text []byte, now time.Duration, whole bool) (events []Event, ok bool) {
	m := p.re.FindSubmatch(escapes.ReplaceAll(text, nil))
	if m == nil {
		return nil, false
	}
	found := func(group string) string {
		if i := p.re.SubexpIndex(group); i >= 0 {
			return string(m[i])
		}
		return ""
	}
	epoch := p.epoch
	if n, err := strconv.Atoi(found("epoch")); err == nil && n <= maxCount {
		if n == 0 {
			p.fromZero = true
		}
		if epoch = n; !p.fromZero {
			epoch = max(0, n-1)
		}
	}
	if count := found("batch"); count != "" && found("time_ms")+found("time_s") == "" {
		return p.count(epoch, count, found("of"), now), true
	}
	if !whole {
		return nil, false
	}
	e := Event{Kind: Minibatch, Epoch: epoch, Batch: p.events, T: now}
	if e.TimeMS = timeOf(found("time_ms"), found("time_s"), found("rate")); e.TimeMS <= 0 || e.TimeMS > maxTimeMS {
		return nil, true
	}
	if n, err := strconv.Atoi(found("batch")); err == nil && n <= maxCount {
		e.Batch = n
	}
	if n, err := strconv.Atoi(found("units")); err == nil && n > 0 && n <= maxCount {
		p.units = n
	}
	p.events++
	p.epoch = epoch
	return []Event{e}, true
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

// count handles a number of finished minibatches: the minibatches since the last number share the time since then
// equally. A falling number starts an epoch.
func (p *pattern) count(epoch int, doneText, ofText string, now time.Duration) []Event {
	done, err := strconv.Atoi(doneText)
	of, _ := strconv.Atoi(ofText)
	if err != nil || done > maxCount {
		return nil
	}
	if p.of == 0 {
		p.of = of
	}
	if of != p.of { // a bar of something else, such as validation
		p.counted = false
		return nil
	}
	if epoch == p.epoch && done < p.done {
		epoch++
	}
	n := done - p.done
	last, known := p.at, p.counted && epoch == p.epoch
	if known && (n == 0 || now <= last) {
		return nil // redrawn, or printed together with the last one: the next one counts both
	}
	p.epoch, p.done, p.at, p.counted = epoch, done, now, true
	if !known || n > maxAtOnce {
		return nil
	}
	each := (now - last) / time.Duration(n)
	events := make([]Event, n)
	for i := range events {
		events[i] = Event{Kind: Minibatch, Epoch: epoch, Batch: done - n + i, T: last + each*time.Duration(i+1),
			TimeMS: float64(now-last) / float64(time.Millisecond) / float64(n), Shared: last}
	}
	return events
}
