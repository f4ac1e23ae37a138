package detect

import (
	"cmp"
	"math"
	"slices"
	"time"
)

const (
	// mostSpans bounds what is kept of a candidate.
	mostSpans = 20000
	// pause: an interval longer than that many medians is no step.
	pause = 10
	// lastStep: the last step of a bar that takes that many medians holds the end of an epoch, such as its validation.
	lastStep = 3
	// mostAtOnce: a larger step of a count belongs to something else.
	mostAtOnce = 1e6
	// slow and wide: a span of many units holds a pause where its units take longer than the usual ones by this share
	// of them, and by this multiple of what the faster half of them differ: on a busy machine all are uneven.
	slow = 0.3
	wide = 8
	// least is how many steps a reading needs.
	least = 3
)

// span is the time between two counts.
type span struct {
	n     float64       // units
	d     time.Duration // in which they were done
	ms    float64       // of a unit
	said  float64       // the time in ms that a line of a plain candidate tells
	end   time.Duration
	run   int  // of the counter, which starts again in each
	dirty bool // something else went on in it
	done  int
	epoch int
}

// candidate is one way to read the steps of a program.
type candidate struct {
	form, name, what, unit string
	of                     int
	polarity               int
	stated                 bool // the line tells a time or rate; else the clock tells it
	plain                  bool // it tells a time without saying of what
	known                  bool // a line whose meaning is known
	labelled               bool // a word such as step precedes the count
	bar                    bool // it is drawn
	loose                  bool // no word tells that it counts
	second                 bool // it counts behind the number of the epoch: 3/450
	example                string
	with                   []*candidate // counters of the same line

	counted     bool
	jumps       int // the greatest number of which all steps of its count are multiples; 0: none were seen
	values      int // the same of the counts themselves
	done        int
	high        int           // where it fell
	at          time.Duration // of the last count
	moved       time.Duration // when it last went on
	run         int
	renews      int // how often another count of its line began again when it went on
	epoch       int
	spans       []span
	forgot      int     // spans that were dropped
	before      float64 // units that they held
	first, last time.Duration
	lines       int
	order       int
}

// count takes a number of things done. aside is when another candidate last went on.
func (c *candidate) count(done, epoch int, now, other time.Duration) {
	c.lines++
	c.last = now
	if !c.counted {
		c.counted, c.done, c.at, c.first, c.epoch = true, done, now, now, epoch
		return
	}
	n := done - c.done
	switch {
	case n == 0: // drawn again
		return
	case n < 0, n > mostAtOnce, epoch != c.epoch && c.of > 0:
		c.run, c.high = c.run+1, max(0, c.done)
		c.done, c.at, c.moved, c.epoch = done, now, now, epoch
		return
	case c.of == 0 && c.done < c.high && done > c.high && n > 3*max(1, c.jumps): // a count between two of another
		for len(c.spans) > 0 && c.spans[len(c.spans)-1].run == c.run {
			c.spans = c.spans[:len(c.spans)-1]
		}
		c.run, c.done, c.at, c.moved, c.high = c.run-1, done, now, now, 0
		return
	}
	c.moved = now
	if done != c.of { // the last minibatch of an epoch may be smaller
		c.jumps, c.values = divisor(c.jumps, n), divisor(divisor(c.values, done), c.done)
	}
	d := now - c.at
	if last := len(c.spans) - 1; last >= 0 && c.burst(c.spans[last], d) {
		s := &c.spans[last]
		s.n, s.d, s.end, s.done = s.n+float64(n), s.d+d, now, done
		s.ms = millis(s.d) / s.n
		c.done, c.at = done, now
		return
	}
	if d <= 0 {
		return // the next one counts both
	}
	skip := len(c.spans) == 0 && c.run == 0 && c.unit != Epoch && (c.done == 0 || n == 1) && c.lines <= 3
	begun := c.at
	c.done, c.at = done, now
	if skip { // the first step chooses kernels
		c.lines += 3
		return
	}
	c.add(span{n: float64(n), d: d, ms: millis(d) / float64(n), end: now, run: c.run, dirty: other > begun, done: done,
		epoch: epoch})
}

// burst reports whether a count came together with the last one, late.
func (c *candidate) burst(last span, d time.Duration) bool {
	return last.run == c.run && last.end == c.at && d < time.Millisecond && millis(d) < last.ms/5
}

// tell takes a time per unit that a line states; n is how many units it is of, 0 where it is not said.
func (c *candidate) tell(ms, n float64, now time.Duration) {
	if !(ms > 0) || math.IsInf(ms, 0) || ms > 1e9 {
		return
	}
	c.lines++
	d := now - c.last
	if c.lines == 1 {
		c.first, d = now, 0
	}
	c.last, c.moved = now, now
	if n == 0 {
		n = millis(d) / ms
	} else {
		d = min(d, time.Duration(n*ms*float64(time.Millisecond)))
	}
	switch {
	case c.lines == 1, c.plain && d <= 0: // lines that come together are one
	case c.plain: // a step takes the time between two lines, if the line names nearly the same
		c.done++
		c.add(span{n: 1, d: d, ms: millis(d), said: ms, end: now, done: c.done})
	default:
		c.done += max(1, int(n+0.5))
		c.add(span{n: n, d: d, ms: ms, end: now, done: c.done})
	}
}

func (c *candidate) add(s span) {
	if len(c.spans) >= mostSpans {
		for _, s := range c.spans[:mostSpans/2] {
			c.before += s.n
		}
		c.spans = append(c.spans[:0], c.spans[mostSpans/2:]...)
		c.forgot += mostSpans / 2
	}
	c.spans = append(c.spans, s)
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// measured is what a candidate's spans say.
type measured struct {
	steps          float64
	medianMS       float64
	meanMS         float64
	time           time.Duration // in steps
	pauses         int
	paused         time.Duration
	kept           int
	twoMS          [2]float64 // of two kinds of bars that take turns; 0: of one kind
	dirtyThroughly bool       // every span holds something else
}

func (c *candidate) measure() (m measured) {
	spans := c.spans
	clean := slices.DeleteFunc(slices.Clone(spans), func(s span) bool { return s.dirty })
	cleanSteps := 0.0
	for _, s := range clean {
		cleanSteps += s.n
	}
	if cleanSteps >= least && 5*len(clean) >= len(spans) {
		m.pauses = len(spans) - len(clean)
		for _, s := range spans {
			if s.dirty {
				m.paused += s.d
			}
		}
		spans = clean
	} else {
		m.dirtyThroughly = len(spans) > 0 && len(clean) == 0
	}
	if c.rates() {
		return c.measureStated(spans, m)
	}
	var steps []span
	each := c.atOnce()
	ref := each * reference(spans)
	late := max(slow*ref, wide*each*(weighted(spans, 0.3)-weighted(spans, 0.1)))
	for _, s := range spans {
		if c.holdsPause(s, ref, late) {
			m.pauses++
			m.paused += time.Duration((millis(s.d) - s.n/each*ref) * float64(time.Millisecond))
			continue
		}
		steps = append(steps, s)
		m.steps += s.n
		m.time += s.d
	}
	if m.kept = len(steps); m.kept == 0 {
		return m
	}
	m.meanMS = millis(m.time) / m.steps
	m.medianMS = weighted(grouped(steps, m.meanMS), 0.5)
	m.twoMS = twoSpeeds(steps)
	return m
}

// rates reports whether the times are those that the lines state; else the clock tells them.
func (c *candidate) rates() bool { return c.stated && !c.plain }

// holdsPause reports whether something else was done in a span than its units, which take ref each. late is by how much
// the mean of many may differ.
func (c *candidate) holdsPause(s span, ref, late float64) bool {
	n, d := s.n/c.atOnce(), millis(s.d)
	if c.rates() {
		return s.ms > pause*ref
	}
	rest := d - n*ref
	return rest > pause*ref && (n < least || rest > n*late) ||
		n < least && (d > pause*n*ref || c.of > 0 && s.done == c.of && d > lastStep*n*ref)
}

// atOnce is by how many units a bar of samples goes on at a time: a minibatch; 1 of other counts.
func (c *candidate) atOnce() float64 {
	if c.bar && c.jumps >= leastJump {
		return float64(c.jumps)
	}
	return 1
}

// measureStated takes the times that the lines state. Lines that come much later than the others end a time of rest.
func (c *candidate) measureStated(spans []span, m measured) measured {
	var gaps []span
	for _, s := range spans {
		gaps = append(gaps, span{n: 1, ms: millis(s.d)})
	}
	usual := weighted(gaps, 0.5)
	sum := 0.0
	var kept []span
	for _, s := range spans {
		d := s.d
		if rest := millis(d) - usual; rest > pause*usual {
			m.pauses++
			m.paused += time.Duration(rest * float64(time.Millisecond))
			d = time.Duration(usual * float64(time.Millisecond))
		}
		m.time += d
		m.steps += s.n
		sum += s.ms
		kept = append(kept, span{n: 1, ms: s.ms})
	}
	if m.kept = len(kept); m.kept > 0 {
		m.medianMS, m.meanMS = weighted(kept, 0.5), sum/float64(len(kept))
	}
	return m
}

// reference is the usual time of a unit. Where a span holds many, one with a pause looks like a slow one, so the
// faster ones count.
func reference(spans []span) float64 {
	many := 0
	for _, s := range spans {
		if s.n >= least {
			many++
		}
	}
	if 2*many > len(spans) {
		return weighted(spans, 0.3)
	}
	return weighted(spans, 0.5)
}

// weighted is the quantile of the times of a unit, each as often as there are units.
func weighted(spans []span, q float64) float64 {
	sorted := slices.SortedFunc(slices.Values(spans), func(a, b span) int { return cmp.Compare(a.ms, b.ms) })
	total := 0.0
	for _, s := range sorted {
		total += s.n
	}
	sum := 0.0
	for i, s := range sorted {
		if sum += s.n; sum > q*total*(1+1e-12) {
			return s.ms
		} else if sum >= q*total*(1-1e-12) && i+1 < len(sorted) {
			return (s.ms + sorted[i+1].ms) / 2
		}
	}
	return 0
}

// grouped joins spans where many are far too short: their lines came late and then together, as they do on a busy
// machine.
func grouped(spans []span, meanMS float64) []span {
	short := 0
	for _, s := range spans {
		if s.ms < meanMS/4 {
			short++
		}
	}
	if 20*short < len(spans) {
		return spans
	}
	var out []span
	for _, s := range spans {
		if i := len(out) - 1; i >= 0 && out[i].run == s.run && out[i].n < 10 && out[i].end == s.end-s.d {
			out[i].n, out[i].d, out[i].end = out[i].n+s.n, out[i].d+s.d, s.end
			out[i].ms = millis(out[i].d) / out[i].n
			continue
		}
		out = append(out, s)
	}
	return out
}

// apartAt reports whether few spans of the slow runs are as fast as most of the others. Where a busy machine made a run
// slow, many are.
func apartAt(spans []span, limit float64) bool {
	var fast, slow []span
	for i := 0; i < len(spans); {
		j := i
		for ; j < len(spans) && spans[j].run == spans[i].run; j++ {
		}
		if weighted(spans[i:j], 0.5) >= limit {
			slow = append(slow, spans[i:j]...)
		} else {
			fast = append(fast, spans[i:j]...)
		}
		i = j
	}
	return weighted(slow, 0.2) > weighted(fast, 0.8)
}

// twoSpeeds finds out whether two kinds of work take turns in bars that look the same: the medians of the runs of a
// counter then jump to and fro.
func twoSpeeds(spans []span) (two [2]float64) {
	var runs []span
	for i := 0; i < len(spans); {
		j := i
		n := 0.0
		for ; j < len(spans) && spans[j].run == spans[i].run; j++ {
			n += spans[j].n
		}
		if n >= least {
			runs = append(runs, span{n: n, ms: weighted(spans[i:j], 0.5)})
		}
		i = j
	}
	if len(runs) < 3 {
		return two
	}
	sorted := slices.SortedFunc(slices.Values(runs), func(a, b span) int { return cmp.Compare(a.ms, b.ms) })
	at := 1
	for i := range sorted[1:] {
		if sorted[i+1].ms/sorted[i].ms > sorted[at].ms/sorted[at-1].ms {
			at = i + 1
		}
	}
	limit := sorted[at].ms
	if limit < 1.2*sorted[at-1].ms {
		return two
	}
	turns, slow := 0, 0.0
	total := 0.0
	for i, r := range runs {
		if i > 0 && (r.ms >= limit) != (runs[i-1].ms >= limit) {
			turns++
		}
		if r.ms >= limit {
			slow += r.n
		}
		total += r.n
	}
	if share := slow / total; turns < 2 || share < 0.2 || share > 0.8 || len(runs) == 3 && !apartAt(spans, limit) {
		return two
	}
	return [2]float64{weighted(sorted[:at], 0.5), weighted(sorted[at:], 0.5)}
}
