package tegrastats

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"jtune/internal/lazyregexp"
	"jtune/internal/text"
)

// Sources of a record's time.
const (
	FromTegrastats = "tegrastats" // its own date, in whole seconds
	FromPrefix     = "prefix"     // what another program wrote beside it
	FromPosition   = "position"   // its place times the interval
)

// stamp is a time on one of several clocks, which have nothing in common.
type stamp struct {
	clock string // "" for none
	t     time.Duration
	text  string
}

const ownClock = "date"

// stamp returns the record's time by tegrastats itself, else that of its prefix.
func (r *Record) stamp() stamp {
	if r.Timestamp != nil {
		if t, err := time.Parse("01-02-2006 15:04:05", *r.Timestamp); err == nil {
			return stamp{ownClock, sinceEpoch(t), *r.Timestamp}
		}
	}
	return r.prefix
}

func sinceEpoch(t time.Time) time.Duration {
	return time.Duration(t.Unix())*time.Second + time.Duration(t.Nanosecond())
}

// prefixTimes are the forms of time that loggers write, the surest first.
var prefixTimes = []struct {
	clock   string
	pattern *lazyregexp.Regexp
	parse   func(string) (time.Duration, bool)
}{
	{"calendar", lazyregexp.New(`\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?`), calendarTime},
	{"journal", lazyregexp.New(`\b[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}(?:\.\d+)?`), layouts(time.Stamp)},
	{"epoch", lazyregexp.New(`\b[1-4]\d{9}(?:\.\d+|\d{3}|\d{6}|\d{9})?\b`), epochTime},
	{"time of day", lazyregexp.New(`\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?`), layouts("15:04:05")},
	{"monotonic", lazyregexp.New(`\b\d{1,9}\.\d{3,9}\b`), seconds},
}

// stampIn returns the first time that a prefix holds in a known form.
func stampIn(prefix string) stamp {
	for i := range prefixTimes {
		form := &prefixTimes[i]
		if found := form.pattern.FindString(prefix); found != "" {
			if t, ok := form.parse(found); ok {
				return stamp{form.clock, t, found}
			}
		}
	}
	return stamp{}
}

func layouts(list ...string) func(string) (time.Duration, bool) {
	return func(text string) (time.Duration, bool) {
		for _, layout := range list {
			if t, err := time.Parse(layout, strings.Replace(text, ",", ".", 1)); err == nil {
				return sinceEpoch(t), true
			}
		}
		return 0, false
	}
}

var calendarTime = layouts("2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05-0700", "2006-01-02 15:04:05")

// epochTime reads seconds since 1970, or milli-, micro- or nanoseconds without a point.
func epochTime(text string) (time.Duration, bool) {
	if strings.Contains(text, ".") {
		return seconds(text)
	}
	n, err := strconv.ParseInt(text+strings.Repeat("0", max(0, 19-len(text))), 10, 64)
	return time.Duration(n), err == nil
}

func seconds(text string) (time.Duration, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return time.Duration(v * float64(time.Second)), err == nil && v < 9e9
}

// Times gives the records of a log times that never run backwards. A step of the clock cuts the log: the next piece
// goes on after one interval.
type Times struct {
	Every time.Duration // between records without a time, and the first guess of the interval; 0: a second
	Steps []string      // in words, with lines and both times

	from   map[string]int // records by the source of their time
	anchor map[string]anchor
	n      int
	last   time.Duration
	at     int
	kind   string
	piece  struct {
		since time.Duration
		n     int
	}
}

// anchor ties a clock to the log's time.
type anchor struct {
	stamp
	log time.Duration
}

// longestGap is the longest time between records of one piece: a longer one is a clock that was set, or a pause.
const longestGap = 10 * time.Minute

// Of returns a record's time since the first and its source.
func (c *Times) Of(r *Record) (t time.Duration, from string) {
	now, step := r.stamp(), c.interval()
	switch now.clock {
	case "":
		from = FromPosition
	case ownClock:
		from = FromTegrastats
	default:
		from = FromPrefix
	}
	if c.anchor == nil {
		c.from, c.anchor = map[string]int{}, map[string]anchor{}
	}
	c.from[from]++
	if c.n > 0 {
		t = c.last + step
	}
	was, known := c.anchor[now.clock]
	if c.n > 0 && now.clock != "" && known {
		by := was.log + now.t - was.t
		switch gap := by - c.last; {
		case gap < 0 && c.kind == now.clock, gap > max(longestGap, 100*step):
			c.Steps = append(c.Steps, fmt.Sprintf("lines %d and %d: the clock goes from %s to %s: the log is cut there",
				c.at, r.At, was.text, now.text))
			c.piece.since, c.piece.n = t, 0
		default:
			t = max(by, c.last)
		}
	}
	if now.clock != "" {
		c.anchor[now.clock] = anchor{now, t}
	}
	c.last, c.at, c.kind = t, r.At, now.clock
	c.n++
	c.piece.n++
	return t, from
}

// interval returns the mean time between the records of the piece.
func (c *Times) interval() time.Duration {
	if c.piece.n > 1 && c.last > c.piece.since {
		return (c.last - c.piece.since) / time.Duration(c.piece.n-1)
	}
	if c.Every > 0 {
		return c.Every
	}
	return time.Second
}

// Notes says what readers of a log must know: other sources of time than tegrastats, steps of the clock, unknown fields
// and skipped lines.
func Notes(r *Reader, c *Times) (notes []string) {
	if n := c.from[FromPrefix]; n > 0 {
		notes = append(notes, fmt.Sprintf("times of %d records are those written before them", n))
	}
	if n := c.from[FromPosition]; n > 0 {
		notes = append(notes, fmt.Sprintf("%d records have no time: they are taken to be %s apart", n, c.interval()))
	}
	notes = append(notes, c.Steps...)
	if len(r.Unknown) > 0 {
		notes = append(notes, "unknown fields, skipped: "+strings.Join(r.Unknown, ", "))
	}
	if r.Other > 0 {
		notes = append(notes, text.Count(r.Other, "line")+" skipped: not tegrastats output")
	}
	return notes
}
