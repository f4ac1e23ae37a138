package detect

import (
	"math"
	"slices"
	"time"

	"jtune/internal/stats"
)

const (
	// mostMarks bounds the points kept of a counter.
	mostMarks = 20000
	// mostAtOnce is the largest first step of a count, and farther how many usual steps a later one may be: a larger
	// one belongs to something else.
	mostAtOnce, farther = 1e5, 1000
	// least is the fewest units of a reading; leastMS the shortest time of one: nothing that prints does a million
	// units a second.
	least   = 3
	leastMS = 1e-3
	// mostKinds bounds how many kinds of lines are distinguished; mostInSpan, how many are kept for one span.
	mostKinds, mostInSpan = 4000, 12
)

// mark is a point of a curve: by this time n more units had been done than at the mark before.
type mark struct {
	at    time.Duration
	n     float64 // 0: the first of a run, before which nothing is known
	took  time.Duration
	said  float64 // time of a unit in ms, if the line states it
	run   int
	epoch int // as printed
	done  int
	of    int
	between
}

// between is what came between two marks of a counter.
type between struct {
	kinds []int32       // of other lines
	aside time.Duration // that evaluations among them took
}

// counter is a cumulative count over time, N(t): one way to read the progress of a program.
type counter struct {
	form, name, what, unit string
	polarity               int
	ratio, bar             bool // printed with its end: 3/450
	labelled               bool // a word such as step comes before it
	derived                bool // ... or one that only ends like it: timesteps
	loose                  bool // no word says that it counts
	stated                 bool // its lines state a rate or a time
	plain                  bool // ... a time without its unit: the line is the unit
	streams                bool // ... several at a time, of one stream each
	known                  bool // the format of its lines is known
	ambiguous              bool // its decimal comma may separate thousands
	inverse                bool // its rate repeats a time without a unit in each of its lines
	example                string
	line                   int32 // kind of its latest line
	order                  int

	marks     []mark
	forgot    int     // marks dropped
	dropped   float64 // units in these
	first     int     // count at which the present run began
	origin    int     // the smallest of these
	elsewhere int     // runs that began at another
	high      int     // the largest of the run
	earlier   int     // that of the run before, and its end
	earlierOf int
	run       int
	of        int
	epoch     int
	step      int // the usual step of the count
	equal     int // votes for that step
	moves     int
	covered   float64 // units that the last stated time covers
	usual     int     // of these by that step
	falls     int     // lines with a smaller count that began no run
	since     int     // of these since the last move
	values    int     // greatest common divisor of the counts, and of the steps:
	jumps     int
	resumed   bool   // another counter interrupted the run, and no unit has come since
	broken    bool   // something else of its form counted since
	prefix    string // literal text before the number in the latest line of a rate that began a point
	latest    string // that of the latest line, and which one followed each
	after     map[string]string
	logged    int // position in the log of lines
	own       map[int32]bool
	seen      map[int32]int // spans that contained a kind of line
	spans     int           // with n > 0
	asides    int           // ... and evaluations
	evaluated bool          // ... in most of them, and are no part of them
}

// divisor returns the greatest common divisor.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// count takes the number of units done, read with a resolution.
func (c *counter) count(done int, step float64, of, epoch int, now time.Duration, log *lineLog) {
	if step > 1 && c.step > 0 && float64(c.step) < step { // 12K: the usual step, as far as the number allows it
		near := func(v int) int { return max(done-int(step/2), min(done+int(step/2), v)) }
		done = near(c.high + c.step)
	}
	if len(c.marks) == 0 || c.broken {
		c.broken = false
		c.begin(done, of, epoch, now, log)
		return
	}
	n := done - c.high
	other := of != c.of && of > 0 && c.of > 0
	switch {
	case n == 0 && !other: // redrawn, or of another rank
		return
	case n > 0 && epoch > 0 && epoch == c.epoch-1: // a worker ends the epoch before
		return
	case c.earlier > 0 && of == c.earlierOf && done >= c.earlier && (other || of == 0 && n > 3*max(1, c.step)):
		c.drop() // the count between two counts of a run belongs to another counter
		c.resumed = true
		if done > c.earlier {
			c.resume(done, of, epoch, now, log)
		}
		c.high, c.of, c.epoch, c.since, c.earlier = done, of, epoch, 0, 0
		return
	case n < 0 && c.ratio && of == c.of && c.high > of-max(1, c.step) && c.high <= of && 2*done <= of &&
		now <= c.marks[len(c.marks)-1].at:
		n += of // a run ended and the next began within one read
		c.run++
		c.first = done
	case other, n < 0 && !c.disorder(done, epoch), n > 0 && epoch != c.epoch && c.ratio && done <= c.first:
		c.earlier, c.earlierOf = c.high, c.of
		c.run++
		c.begin(done, of, epoch, now, log)
		return
	case n < 0:
		c.falls++
		c.since++
		return
	case c.moves == 0 && n > mostAtOnce, c.moves > 0 && n > farther*max(1, c.step):
		c.begin(done, of, epoch, now, log)
		return
	}
	if c.resumed {
		c.resume(done, of, epoch, now, log)
		c.high = done
		return
	}
	c.moves++
	c.since = 0
	if n == c.step {
		c.equal++
	} else if c.equal--; c.equal < 0 {
		c.step, c.equal = n, 1
	}
	if n == c.step {
		c.usual++
	}
	if done != of { // the last minibatch of an epoch may be smaller
		c.jumps, c.values = divisor(c.jumps, n), divisor(divisor(c.values, done), c.high)
	}
	c.high, c.of, c.epoch = done, of, epoch
	c.advance(mark{at: now, n: float64(n), run: c.run, epoch: epoch, done: done, of: of}, log)
}

// disorder reports whether a smaller count comes from a worker that lags behind: it began no run.
func (c *counter) disorder(done, epoch int) bool {
	began := c.step == 1 && c.high-c.first <= 16 && c.since < 8 && !(c.ratio && c.high >= c.of)
	if began && epoch == c.epoch && (c.run == 0 || epoch > 0) { // all workers may be at the first units
		return true
	}
	return done > c.origin+max(1, c.step) && done > c.high/2 && (!c.ratio || epoch == c.epoch) && c.since < 64
}

// begin begins a run of the count.
func (c *counter) begin(done, of, epoch int, now time.Duration, log *lineLog) {
	if c.first, c.high, c.of, c.epoch, c.since = done, done, of, epoch, 0; len(c.marks) == 0 || done < c.origin {
		c.origin = done
	} else if done > c.origin {
		c.elsewhere++
	}
	c.add(mark{at: now, run: c.run, epoch: epoch, done: done, of: of, between: log.since(c)})
}

// resume adds the first unit after an interruption, which is left out with it.
func (c *counter) resume(done, of, epoch int, now time.Duration, log *lineLog) {
	c.resumed = false
	c.add(mark{at: now, run: c.run, epoch: epoch, done: done, of: of, between: log.since(c)})
}

// interrupted reports whether the newest run may belong to another counter: it began before the end of the run before.
func (c *counter) interrupted() bool {
	return c.of > 0 && c.of != c.earlierOf && 10*c.earlier < 9*c.earlierOf
}

// drop takes back the newest run, which belongs to another counter.
func (c *counter) drop() {
	for n := len(c.marks) - 1; n >= 0 && c.marks[n].run == c.run; n-- {
		if c.marks[n].n > 0 {
			c.spans--
		}
		c.marks = c.marks[:n]
	}
	c.run--
}

// advance adds a point. Lines that arrive in one read, or so soon after each other that they were written together, are
// one point; those of the first read only say where the count begins.
func (c *counter) advance(m mark, log *lineLog) {
	last := &c.marks[len(c.marks)-1]
	if gap := m.at - last.at; gap <= 0 || c.together(gap) {
		if last.n > 0 {
			last.n += m.n
			last.at = m.at
		}
		last.done = m.done
		return
	}
	m.between = log.since(c)
	c.add(m)
	if c.spans++; m.aside > 0 {
		c.asides++
	}
	if len(c.seen) < mostKinds {
		for _, k := range m.kinds {
			c.seen[k]++
		}
	}
}

// together reports whether a point that follows the last one after a gap belongs to it.
func (c *counter) together(gap time.Duration) bool {
	last := c.marks[len(c.marks)-1]
	if gap >= time.Millisecond || len(c.marks) < 2 || last.n <= 0 {
		return false
	}
	return float64(gap) < float64(last.at-c.marks[len(c.marks)-2].at)/last.n/5
}

func (c *counter) add(m mark) {
	if len(c.marks) >= mostMarks {
		for _, m := range c.marks[:mostMarks/2] {
			c.dropped += m.n
		}
		c.marks = append(c.marks[:0], c.marks[mostMarks/2:]...)
		c.forgot += mostMarks / 2
	}
	c.marks = append(c.marks, m)
}

// tell takes a rate or a time of a unit that a line states. units is how many it covers, 0: those of the time since the
// line before. prefix is the text before the number: lines of several streams differ in it.
func (c *counter) tell(ms, units float64, prefix string, now time.Duration, log *lineLog) {
	if !(ms >= leastMS) || ms > 1e9 {
		return
	}
	if was := c.covered; c.plain && units > 0 {
		if c.covered = units; was != units && was > 0 { // it counts
			ms, units = ms*units, 0
		}
	}
	again := c.after[c.latest] == prefix
	if c.after == nil {
		c.after = map[string]string{}
	}
	if len(c.after) < manyNames {
		c.after[c.latest] = prefix
	}
	if c.latest = prefix; len(c.marks) == 0 {
		c.add(mark{at: now, said: ms, between: log.since(c)})
		c.prefix = prefix
		return
	}
	last := &c.marks[len(c.marks)-1]
	gap, before := now-last.at, time.Duration(0)
	if len(c.marks) > 1 {
		before = c.length(len(c.marks) - 1)
	}
	switch {
	case prefix != c.prefix && !c.plain && units == 0 && last.n > 0 && gap < before/5 &&
		(gap < time.Millisecond || again && 2*millis(gap) < ms):
		last.n += millis(before) / ms // another stream
		c.streams = true
		return
	case gap < time.Millisecond && (len(c.marks) == 1 || gap < before/5):
		return
	}
	c.prefix = prefix
	m := mark{at: now, n: 1, said: ms, run: c.run}
	switch {
	case c.plain:
		m.n = max(1, units)
	case units > 0:
		m.n, m.took = units, time.Duration(units*ms*float64(time.Millisecond))
	default:
		m.n = millis(gap) / ms
	}
	c.high += max(1, int(m.n+0.5))
	m.done = c.high
	m.between = log.since(c)
	c.add(m)
	c.spans++
}

// length returns the time between a mark and the one before.
func (c *counter) length(i int) time.Duration {
	if t := c.marks[i].took; t > 0 {
		return t
	}
	gap := c.marks[i].at - c.marks[i-1].at
	if c.evaluated {
		gap -= c.marks[i].aside
	}
	return gap
}

// evaluates reports whether evaluations come in most spans and their time is known: what is left is a part of each that
// varies no more than the whole.
func (c *counter) evaluates() bool {
	if c.stated || c.unit != Step && c.unit != Sample || c.polarity < unknown ||
		c.asides < least || float64(c.asides) <= usually*float64(c.spans) {
		return false
	}
	var whole, left []float64
	for i := max(1, len(c.marks)-window); i < len(c.marks); i++ {
		m := c.marks[i]
		if m.n == 0 {
			continue
		}
		gap := m.at - c.marks[i-1].at
		whole, left = append(whole, millis(gap)/m.n), append(left, millis(gap-m.aside)/m.n)
	}
	return len(left) > 0 && 20*slices.Min(left) > stats.Median(whole) &&
		stats.IQR(left) <= 1.1*stats.IQR(whole)+0.02*stats.Median(left)
}

// finished reports whether a count that has an end reached it and did not begin again.
func (c *counter) finished() bool { return c.of > 1 && c.high >= c.of && c.run == 0 }

// irregular reports whether a number is no count: without a word that says so it has to advance by equal steps, by one
// or by a round number in lines of a summary, and not with the clock; with one it must not go up and down by steps of
// all sizes.
func (c *counter) irregular(ms float64) bool {
	if c.stated || c.known {
		return false
	}
	if !c.loose {
		if c.run*3 <= c.spans {
			return false
		}
		var jumps []float64
		for _, m := range c.marks {
			if m.n > 0 {
				jumps = append(jumps, m.n)
			}
		}
		return stats.Quantile(jumps, 0.9) > 5*stats.Quantile(jumps, 0.1)
	}
	for _, second := range []float64{1000, 1, 1e-3, 1e-6} {
		if math.Abs(ms/second-1) < 0.005 {
			return true
		}
	}
	return c.uneven() || c.stamps(ms)
}

// uneven reports whether a number without a word does not advance by equal steps.
func (c *counter) uneven() bool {
	return c.moves < 4 || 10*c.usual < 7*c.moves || 2*c.run >= c.moves || c.labelled && c.run > 0 ||
		5*c.falls > c.moves || 4*c.elsewhere > c.run+1
}

// stamps reports whether a number without a word may be a stamp of each line, such as pts 3600, and no count.
func (c *counter) stamps(ms float64) bool {
	return c.loose && c.step > 1 && !c.uneven() &&
		(50%tens(c.step) != 0 || ms*float64(c.step) < millis(eachUnit))
}

// tens returns a number without the zeros at its end.
func tens(n int) int {
	for n != 0 && n%10 == 0 {
		n /= 10
	}
	return n
}

// lineLog is the sequence of the kinds of lines, without repetitions.
type lineLog struct {
	kinds []int32
	took  []time.Duration // since the line before each
	last  time.Duration   // when the newest came
	base  int             // of the first, in all
	names map[string]int32
	moved []bool // whether a count moves in lines of a kind
	aside []bool // whether its words speak for an evaluation
}

// mostLog bounds the log.
const mostLog = 20000

// kind returns the number of a line's kind; 0 for those beyond mostKinds.
func (l *lineLog) kind(line string) int32 {
	name := template(line)
	k, ok := l.names[name]
	if !ok && len(l.names) < mostKinds {
		if l.names == nil {
			l.names, l.moved, l.aside = map[string]int32{}, []bool{false}, []bool{false}
		}
		k = int32(len(l.names) + 1)
		l.names[name], l.moved, l.aside = k, append(l.moved, false), append(l.aside, evaluation(name))
	}
	return k
}

// note appends a line.
func (l *lineLog) note(k int32, now time.Duration) {
	n, took := len(l.kinds), max(0, now-l.last)
	l.last = max(l.last, now)
	if n > 0 && l.kinds[n-1] == k && (l.moved[k] || !l.aside[k]) {
		l.took[n-1] += took
		return
	}
	if n >= mostLog {
		l.kinds, l.took = append(l.kinds[:0], l.kinds[mostLog/2:]...), append(l.took[:0], l.took[mostLog/2:]...)
		l.base += mostLog / 2
	}
	l.kinds, l.took = append(l.kinds, k), append(l.took, took)
}

// since returns what came since a counter's mark before, without lines of the counter itself. A line of an evaluation
// tells what ended with it. The first of a kind follows the counter's own line; others may follow work.
func (l *lineLog) since(c *counter) (b between) {
	if c.seen == nil {
		c.seen, c.own = map[int32]int{}, map[int32]bool{}
	}
	c.own[c.line] = true
	from := min(max(0, c.logged-l.base), len(l.kinds))
	first := map[int32]time.Duration{}
	for i, k := range l.kinds[from:] {
		if k == 0 || c.own[k] {
			continue
		}
		if took := l.took[from+i]; l.aside[k] {
			if most, again := first[k]; !again {
				first[k] = took
			} else if !l.moved[k] {
				took = min(took, most)
			}
			b.aside += took
		}
		if len(b.kinds) < mostInSpan && !slices.Contains(b.kinds, k) {
			b.kinds = append(b.kinds, k)
		}
	}
	c.logged = l.base + len(l.kinds)
	return b
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
