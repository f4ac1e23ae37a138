package detect

import (
	"cmp"
	"math"
	"slices"
	"time"
)

const (
	// mostSpans bounds the spans kept of a candidate.
	mostSpans = 20000
	// pause is how many medians an interval must exceed to count as a pause rather than a step.
	pause = 10
	// lastStep is how many medians the last step of a bar must exceed to count as including the end of the epoch, such
	// as its validation.
	lastStep = 3
	// mostAtOnce is the largest step of a count; a larger one belongs to something else.
	mostAtOnce = 1e6
	// A span of many units holds a pause when its units take longer than usual by the share slow, and by wide times the
	// spread of the faster half: on a busy machine all spans are uneven.
	slow = 0.3
	wide = 8
	// least is the fewest steps of a reading.
	least = 3
)

// span is the time between two counts.
type span struct {
	n     float64       // units done
	d     time.Duration // the time they took
	ms    float64       // per unit
	said  float64       // the time in ms printed in a line of a plain candidate
	end   time.Duration
	run   int  // of the counter, which restarts in each
	dirty bool // includes other work
	done  int
	epoch int
}

// candidate is one way to read the steps of a program.
type candidate struct {
	form, name, what, unit string
	of                     int
	polarity               int
	stated                 bool // the line states a time or rate; else the clock measures it
	plain                  bool // it states a time without its unit
	known                  bool // the line's format is known
	labelled               bool // a word such as step precedes the count
	bar                    bool // a progress bar
	loose                  bool // no word says that it counts
	second                 bool // it follows the number of the epoch: 3/450
	example                string
	with                   []*candidate // counters in the same line

	counted     bool
	jumps       int // greatest common divisor of the steps of its count; 0: none so far
	values      int // greatest common divisor of the counts
	done        int
	high        int           // the count before it fell
	at          time.Duration // of the last count
	moved       time.Duration // when it last advanced
	run         int
	renews      int // how often another count of its line restarted when it advanced
	epoch       int
	spans       []span
	forgot      int     // spans dropped
	before      float64 // units in these
	first, last time.Duration
	lines       int
	order       int
}

// count takes the number of units done. other is when another candidate last advanced.
func (c *candidate) count(done, epoch int, now, other time.Duration) {
	c.lines++
	if !c.counted {
		c.counted, c.done, c.at, c.first, c.epoch = true, done, now, now, epoch
		return
	}
	n := done - c.done
	switch {
	case n == 0: // redrawn
		return
	case n < 0, n > mostAtOnce, epoch != c.epoch && c.of > 0:
		c.run, c.high = c.run+1, max(0, c.done)
		c.done, c.at, c.moved, c.epoch = done, now, now, epoch
		return
	case c.of == 0 && c.done < c.high && done > c.high && n > 3*max(1, c.jumps): // between two counts of another
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
		return // the next line counts both
	}
	skip := len(c.spans) == 0 && c.run == 0 && c.unit != Epoch && (c.done == 0 || n == 1) && c.lines <= 3
	begun := c.at
	c.done, c.at = done, now
	if skip { // the first step selects kernels
		c.lines += 3
		return
	}
	c.add(span{n: float64(n), d: d, ms: millis(d) / float64(n), end: now, run: c.run, dirty: other > begun, done: done,
		epoch: epoch})
}

// burst reports whether a count arrived late, together with the last one.
func (c *candidate) burst(last span, d time.Duration) bool {
	return last.run == c.run && last.end == c.at && d < time.Millisecond && millis(d) < last.ms/5
}

// tell takes a time per unit stated in a line; n is how many units it covers, 0 if unknown.
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
	case c.lines == 1, c.plain && d <= 0: // lines that arrive together count once
	case c.plain: // a step lasts from line to line if the line states nearly the same time
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

// measured holds the measurements from a candidate's spans.
type measured struct {
	steps    float64
	medianMS float64
	meanMS   float64
	time     time.Duration // spent in steps
	pauses   int
	paused   time.Duration
	kept     int
	twoMS    [2]float64 // of two alternating kinds of bars; 0: only one kind
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

// rates reports whether the times come from the lines; otherwise the clock measures them.
func (c *candidate) rates() bool { return c.stated && !c.plain }

// holdsPause reports whether a span includes more than its units, which take ref ms each. late is the tolerance of the
// mean of many units.
func (c *candidate) holdsPause(s span, ref, late float64) bool {
	n, d := s.n/c.atOnce(), millis(s.d)
	if c.rates() {
		return s.ms > pause*ref
	}
	rest := d - n*ref
	return rest > pause*ref && (n < least || rest > n*late) ||
		n < least && (d > pause*n*ref || c.of > 0 && s.done == c.of && d > lastStep*n*ref)
}

// atOnce returns by how many units a bar of samples advances at a time: a minibatch. It is 1 for other counts.
func (c *candidate) atOnce() float64 {
	if c.bar && c.jumps >= leastJump {
		return float64(c.jumps)
	}
	return 1
}

// measureStated uses the times stated in the lines. A line that arrives much later than the others ends a pause.
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

// reference returns the usual time of a unit. It uses the faster spans when spans hold many units, because a pause then
// looks like a slow span.
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

// weighted returns a quantile of the time per unit, weighted by the number of units.
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

// grouped joins spans when many of them are far too short: on a busy machine, lines arrive late and then together.
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

// apartAt reports whether hardly any spans of the slow runs are as fast as most spans of the others. When a busy
// machine made a run slow, many are.
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

// twoSpeeds detects two kinds of work that alternate in bars of the same look: the medians of the counter's runs then
// alternate.
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
