package detect

import (
	"math"
	"slices"
	"time"
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
	kinds []int32 // of other lines since the mark before
}

// counter is a cumulative count over time, N(t): one way to read the progress of a program.
type counter struct {
	form, name, what, unit string
	polarity               int
	ratio, bar             bool // printed with its end: 3/450
	labelled               bool // a word such as step comes before it
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
	return done > c.origin+max(1, c.step) && done > c.high/2 && (!c.ratio || epoch == c.epoch) && c.since < 64
}

// begin begins a run of the count.
func (c *counter) begin(done, of, epoch int, now time.Duration, log *lineLog) {
	if c.first, c.high, c.of, c.epoch, c.since = done, done, of, epoch, 0; len(c.marks) == 0 || done < c.origin {
		c.origin = done
	} else if done > c.origin {
		c.elsewhere++
	}
	c.add(mark{at: now, run: c.run, epoch: epoch, done: done, of: of, kinds: log.since(c)})
}

// resume adds the first unit after an interruption, which is left out with it.
func (c *counter) resume(done, of, epoch int, now time.Duration, log *lineLog) {
	c.resumed = false
	c.add(mark{at: now, run: c.run, epoch: epoch, done: done, of: of, kinds: log.since(c)})
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
	m.kinds = log.since(c)
	c.add(m)
	c.spans++
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
		c.add(mark{at: now, said: ms, kinds: log.since(c)})
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
	m.kinds = log.since(c)
	c.add(m)
	c.spans++
}

// length returns the time between a mark and the one before.
func (c *counter) length(i int) time.Duration {
	if t := c.marks[i].took; t > 0 {
		return t
	}
	return c.marks[i].at - c.marks[i-1].at
}

// finished reports whether a count that has an end reached it and did not begin again.
func (c *counter) finished() bool { return c.of > 1 && c.high >= c.of && c.run == 0 }

// irregular reports whether a number is no count: without a word that says so it has to advance by equal steps, and not
// with the clock; with one it must not go up and down by steps of all sizes.
func (c *counter) irregular(ms float64) bool {
	if c.stated || c.known {
		return false
	}
	if !c.loose {
		if c.run*3 <= c.spans {
			return false
		}
		lo, hi := math.Inf(1), 0.0
		var jumps []float64
		for _, m := range c.marks {
			if m.n > 0 {
				jumps = append(jumps, m.n)
			}
		}
		slices.Sort(jumps)
		if len(jumps) > 0 {
			lo, hi = jumps[len(jumps)/10], jumps[len(jumps)-1-len(jumps)/10]
		}
		return hi > 5*lo
	}
	for _, second := range []float64{1000, 1, 1e-3, 1e-6} {
		if math.Abs(ms/second-1) < 0.005 {
			return true
		}
	}
	return c.moves < 4 || 10*c.usual < 7*c.moves || 2*c.run >= c.moves || c.labelled && c.run > 0 ||
		5*c.falls > c.moves ||
		4*c.elsewhere > c.run+1
}

// lineLog is the sequence of the kinds of lines, without repetitions.
type lineLog struct {
	kinds []int32
	base  int // of the first, in all
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
		l.names[name], l.moved, l.aside = k, append(l.moved, false), append(l.aside, polarity(name) < unknown)
	}
	return k
}

// note appends a line.
func (l *lineLog) note(k int32) {
	if n := len(l.kinds); n > 0 && l.kinds[n-1] == k {
		return
	}
	if len(l.kinds) >= mostLog {
		l.kinds = append(l.kinds[:0], l.kinds[mostLog/2:]...)
		l.base += mostLog / 2
	}
	l.kinds = append(l.kinds, k)
}

// since returns the kinds of lines since a counter's mark before, without those of the counter itself.
func (l *lineLog) since(c *counter) (out []int32) {
	if c.seen == nil {
		c.seen, c.own = map[int32]int{}, map[int32]bool{}
	}
	c.own[c.line] = true
	from := max(0, c.logged-l.base)
	for _, k := range l.kinds[min(from, len(l.kinds)):] {
		if k > 0 && !c.own[k] && len(out) < mostInSpan && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	c.logged = l.base + len(l.kinds)
	return out
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
