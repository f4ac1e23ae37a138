package tegrastats

import (
	"slices"
	"strings"

	"jtune/internal/lazyregexp"
)

// Record is one sample of a log.
type Record struct {
	Line
	At     int // number of the line of text on which it begins, from 1
	prefix stamp
}

// Reader finds the records in the text of a log, wherever they begin: behind the prefix of a journal, a container or
// another logger, several on one line of text, or one over several lines. A record ends where the next begins: at
// memory in use, with the date before it, or at a field that the record already has.
type Reader struct {
	Other   int      // lines without a field of tegrastats, and fragments of records without memory, cores, EMC and GPU
	Unknown []string // names of unknown fields, in order of appearance

	lines int
	open  bool
	words []string // of the record that has begun
	at    int
	when  stamp
}

var (
	begins  = lazyregexp.New(`(?:\b\d{2}-\d{2}-\d{4}\s+\d{2}:\d{2}:\d{2}\s+)?\bRAM\s+\d+/\d+MB`)
	escapes = lazyregexp.New(`\x1b\[[0-9;]*[A-Za-z]`)
	// field matches what no prefix holds: a rail, a sensor, a list of cores, or the load of memory or GPU.
	field = lazyregexp.New(
		`\S+ -?\d+(?:mW)?/-?\d+|\S -?\d+mW\b|\S@-?[\d.,]+C\b|\[[^\[\]]*\d%@|\b(?:EMC|GR3D)(?:_FREQ)? `)
	// engines matches a line of nothing but engines.
	engines = lazyregexp.New(`^(?:[A-Z][A-Z0-9_]* (?:off|(?:\d+%)?@?\d+) *)+$`)
)

// maxWords bounds a record, whose longest line in recordings has 70 words.
const maxWords = 1000

// Take returns the records that a line of text completes.
func (r *Reader) Take(text string) (done []Record) {
	r.lines++
	if strings.Contains(text, "\x1b") {
		text = escapes.ReplaceAllString(text, "")
	}
	starts := begins.FindAllStringIndex(text, -1)
	if len(starts) == 0 {
		if !r.goOn(text) && strings.TrimSpace(text) != "" {
			r.Other++
		}
		return nil
	}
	head := text[:starts[0][0]]
	if field.MatchString(head) {
		r.goOn(head)
	}
	quoted := strings.ContainsAny(head, `"'`)
	for i, start := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		own, rest := text[start[0]:end], ""
		if quote := strings.IndexAny(own, `"'`); quoted && quote >= 0 {
			own, rest = strings.TrimRight(strings.TrimSuffix(own[:quote], `\`), `\nrt`), own[quote:]
		}
		done = append(done, r.End()...)
		r.open, r.at, r.words = true, r.lines, strings.Fields(own)
		if i == 0 {
			r.when = stampIn(head + " " + rest)
		}
	}
	return done
}

// goOn adds text to the record that has begun, or begins one without memory; false if it holds no field.
func (r *Reader) goOn(text string) bool {
	words := strings.Fields(strings.NewReplacer(`"`, " ", `'`, " ").Replace(text))
	if !field.MatchString(text) && !engines.MatchString(strings.Join(words, " ")) {
		return false
	}
	if !r.open {
		r.open, r.at = true, r.lines
	}
	if len(r.words) < maxWords {
		r.words = append(r.words, words...)
	}
	return true
}

// End returns the record that has begun, at the end of the log or when it is known to be complete.
func (r *Reader) End() (done []Record) {
	words, when := r.words, r.when
	for len(words) > 0 {
		l, unknown, rest := parse(words)
		if words = rest; l.sampled() {
			l.total()
			done = append(done, Record{Line: l, At: r.at, prefix: when})
		} else {
			r.Other++
		}
		when = stamp{}
		for _, name := range unknown {
			if !slices.Contains(r.Unknown, name) && len(r.Unknown) < maxUnknown {
				r.Unknown = append(r.Unknown, name)
			}
		}
	}
	r.open, r.words, r.when = false, nil, stamp{}
	return done
}

// maxUnknown bounds the list of unknown fields.
const maxUnknown = 20

// Records returns all records of a text.
func Records(text string) (list []Record, r *Reader) {
	r = new(Reader)
	for line := range strings.Lines(text) {
		list = append(list, r.Take(line)...)
	}
	return append(list, r.End()...), r
}
