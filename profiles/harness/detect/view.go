package detect

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"jtune/internal/stats"
)

// view is what a counter says about the work: the spans that count, their mean, and what is left out.
type view struct {
	*counter
	marks       []int // those whose spans count
	only        int   // length of the runs that count, where those of others are another work; 0: all
	took, units []float64
	est         stats.Estimate
	ms          float64       // mean time of a unit
	time        time.Duration // of the spans that count
	share       float64       // of the time since the first unit during which it advances
	begin, end  time.Duration // of these spans
	ticks       bool          // its lines are the units
	lines       map[int32]LeftOut
	between     LeftOut
	parts       LeftOut    // of reports: the time in which nothing was counted
	two         [2]float64 // of two kinds of work that alternate in bars of the same look; 0: only one kind
}

const (
	// apart is the ratio above which two times differ.
	apart = 1.10
	// rare is the share of spans in which the lines of another phase come at most, rareCount that of another count, and
	// usually that of lines whose words speak for an evaluation: what recurs and is not named is part of the mean.
	rare, rareCount, usually = 0.2, 0.4, 0.7
	// alone is how much slower than others, in units, a span with such a line must be to be another phase.
	alone = 2
	// quick is the quantile of the times of units that is the work's where the other spans hold another phase.
	quick = 0.25
	// tick is the number of units below which the line of a rate is itself the unit.
	tick = 2
)

// viewOf measures a counter; of is the length of the runs to take, 0 for all.
func (d *Detector) viewOf(c *counter, of int) view {
	v := view{counter: c, only: of, lines: map[int32]LeftOut{}}
	c.evaluated = c.evaluates()
	var all []int
	for i, m := range c.marks {
		switch {
		case of > 0 && m.of != of:
		case m.n > 0 && i > 0:
			all = append(all, i)
		case m.n == 0 && i > 0:
			v.between.Count++
			v.between.S += (m.at - c.marks[i-1].at).Seconds()
		}
	}
	if c.stated && !c.plain && !c.known && len(all) > 0 {
		units := 0.0
		for _, i := range all {
			units += c.marks[i].n
		}
		v.ticks = units < tick*float64(len(all))
	}
	v.ticks = v.ticks || c.plain
	if c.streams && len(all) > least { // lines of some of them may be missing
		all = all[:len(all)-1]
	}
	if c.firstUnit(all) {
		all = all[1:]
	}
	v.marks = d.counted(&v, all)
	for _, i := range v.marks {
		m, gap := c.marks[i], c.length(i)
		if m.took > 0 { // a report of a piece of work: it has to fit
			since := m.at - c.marks[i-1].at
			if float64(m.took) > apart*float64(since) {
				continue
			}
			v.parts.Count++
			v.parts.S += (since - m.took).Seconds()
		}
		n := m.n
		if v.ticks && !c.plain {
			n = 1
		}
		v.took, v.units = append(v.took, millis(gap)), append(v.units, n)
		v.time += gap
		if v.begin == 0 {
			v.begin = m.at - gap
		}
		v.end = m.at
	}
	v.took, v.units = divided(v.took, v.units)
	v.est = stats.MeanOf(v.took, v.units)
	v.ms = v.est.Mean
	return v
}

// mostParts is the most lines that are divided when they come at once.
const mostParts = 16

// divided divides a span at whose end several lines came at once, as on a busy board: the period of a job keeps its
// phase.
func divided(took, units []float64) (t, u []float64) {
	usual := stats.Median(units)
	for i, n := range units {
		parts := 1.0
		if k := n / usual; k == math.Trunc(k) && k <= mostParts {
			parts = k
		}
		for range int(parts) {
			t, u = append(t, took[i]/parts), append(u, n/parts)
		}
	}
	return t, u
}

// firstUnit reports whether the first span holds the first unit, which loads and compiles.
func (c *counter) firstUnit(spans []int) bool {
	if len(spans) < 4 || c.stated || c.unit == Epoch || c.forgot > 0 {
		return false
	}
	m := c.marks[spans[0]]
	return m.run == 0 && spans[0] == 1 && c.marks[0].done <= 1
}

// counted returns the spans of the counter's own work: without those in which another counter of the job moves, or
// lines come that come in few others and the span is longer for it.
func (d *Detector) counted(v *view, all []int) (own []int) {
	var took, units []float64
	for _, i := range all {
		took, units = append(took, millis(v.length(i))), append(units, v.counter.marks[i].n)
	}
	if v.ticks || len(all) < least {
		return all
	}
	usual := stats.WeightedQuantile(took, units, quick)
	left, slow := map[int32]LeftOut{}, v.slow(usual)
	for at, i := range all {
		because := v.phase(&d.log, i, usual, slow)
		if because == 0 {
			own = append(own, i)
			continue
		}
		l := left[because]
		l.Count++
		l.S += took[at] / 1000
		left[because] = l
	}
	if 5*len(own) < len(all) || len(own) < 2 && len(all) > 2 {
		return all
	}
	v.lines = left
	return own
}

// long reports whether the span before a mark holds more than its units.
func (c *counter) long(i int, usual float64) bool {
	return millis(c.length(i)) > usual*(c.marks[i].n+alone)
}

// slow returns the kinds of lines that make spans long: most of those in which they come.
func (c *counter) slow(usual float64) map[int32]bool {
	tally, slow := map[int32]int{}, map[int32]bool{}
	for i, m := range c.marks {
		for _, k := range m.kinds {
			if m.n > 0 {
				tally[k]--
			}
			if m.n > 0 && c.long(i, usual) {
				tally[k] += 2
			}
			slow[k] = tally[k] >= 0
		}
	}
	return slow
}

// phase returns the kind of the lines that make the span before a mark part of another phase; 0: the span is work.
func (c *counter) phase(log *lineLog, i int, usual float64, slow map[int32]bool) int32 {
	for _, k := range c.marks[i].kinds {
		often := float64(c.seen[k]) / float64(max(1, c.spans))
		most := rare
		if log.aside[k] {
			most = usually
		}
		if log.moved[k] && often <= rareCount || often <= most && slow[k] && c.spans >= least && c.long(i, usual) {
			return k
		}
	}
	return 0
}

// views returns those of a counter: one, or one for each length of its bars where two kinds of work alternate in bars
// that look the same and differ in length.
func (d *Detector) views(c *counter) []view {
	v := d.viewOf(c, 0)
	fast, slow := v.twoSpeeds()
	if len(fast) == 0 {
		return []view{v}
	}
	for of := range slow {
		if fast[of] > 0 || len(slow) > 1 || len(fast) > 1 {
			v.two = [2]float64{meanOf(fast), meanOf(slow)}
			return []view{v}
		}
	}
	var out []view
	for _, lengths := range []map[int]float64{fast, slow} {
		for of := range lengths {
			out = append(out, d.viewOf(c, of))
		}
	}
	return out
}

func meanOf(m map[int]float64) float64 {
	sum := 0.0
	for _, v := range m {
		sum += v
	}
	return sum / float64(len(m))
}

// twoSpeeds detects two kinds of work that alternate in runs of one counter, as training and validation do: it returns
// the lengths of the fast and of the slow runs with their times; nothing if all are of one kind.
func (v *view) twoSpeeds() (fast, slow map[int]float64) {
	type speed struct {
		of        int
		ms, n, ns float64
	}
	var runs []speed
	for at, i := range v.marks {
		m := v.counter.marks[i]
		if at == 0 || v.counter.marks[v.marks[at-1]].run != m.run {
			runs = append(runs, speed{of: m.of})
		}
		r := &runs[len(runs)-1]
		r.ns += millis(v.length(i))
		r.n += m.n
		r.ms = r.ns / r.n
	}
	runs = slices.DeleteFunc(runs, func(r speed) bool { return r.n < least })
	if len(runs) < 4 || v.stated {
		return nil, nil
	}
	sorted := slices.SortedFunc(slices.Values(runs), func(a, b speed) int { return cmp.Compare(a.ms, b.ms) })
	at := 1
	for i := range sorted[1:] {
		if sorted[i+1].ms/sorted[i].ms > sorted[at].ms/sorted[at-1].ms {
			at = i + 1
		}
	}
	limit := sorted[at].ms
	tight := sorted[at-1].ms < apart*sorted[0].ms && sorted[len(sorted)-1].ms < apart*limit
	if limit < 1.2*sorted[at-1].ms || !tight {
		return nil, nil
	}
	fast, slow = map[int]float64{}, map[int]float64{}
	turns := 0
	for i, r := range runs {
		if i > 0 && (r.ms >= limit) != (runs[i-1].ms >= limit) {
			turns++
		}
		if r.ms >= limit {
			slow[r.of] = r.ms
		} else {
			fast[r.of] = r.ms
		}
	}
	if turns < 2 || turns*2 < len(runs) {
		return nil, nil
	}
	return fast, slow
}

// field returns the views of all counters that say something, those with most of the time first.
func (d *Detector) field() (out []view) {
	for _, c := range d.all {
		for _, v := range d.views(c) {
			if len(v.took) > 0 && v.ms > 0 {
				out = append(out, v)
			}
		}
	}
	first := d.last
	for _, v := range out {
		if v.able(d) {
			first = min(first, v.begin)
		}
	}
	total := max(d.last-first, time.Nanosecond)
	for i := range out {
		v := &out[i]
		v.share = min(1, (v.time.Seconds()+v.parts.S)/total.Seconds())
	}
	slices.SortStableFunc(out, func(a, b view) int { return cmp.Compare(b.share, a.share) })
	return out
}

// able reports whether a view can be the job: it counts, and enough.
func (v *view) able(d *Detector) bool {
	switch {
	case v.est.Units < least || len(v.took) < 2 || v.unit == byteUnit || v.ms < leastMS || !d.only(v.form),
		slices.Contains(d.o.Not, v.title()):
		return false
	case v.part(), v.averaged(), v.ambiguous && v.stated && !v.plain:
		return false
	}
	return !v.irregular(v.ms)
}

// eachUnit is the time between lines below which each is of one unit: nobody reads a summary so often.
const eachUnit = 200 * time.Millisecond

// part reports whether a line states the time of a part of its work, such as that of the network for each frame: it
// is not the time between the lines.
func (v *view) part() bool {
	if v.plain {
		return !v.agrees()
	}
	each := v.inverse || v.unit == Frame && v.stated && !v.known
	return each && !v.ticks && v.time < time.Duration(len(v.marks))*eachUnit
}

// agrees reports whether a time without a unit equals the time between its lines.
func (v *view) agrees() bool {
	var said []float64
	for _, i := range v.marks {
		said = append(said, v.counter.marks[i].said)
	}
	ms := stats.Median(said)
	near := func(ms float64) bool { return ms > 0 && v.ms < apart*ms && ms < apart*v.ms }
	return near(ms) || v.ambiguous && near(ms/1000)
}

// averaged reports whether a rate is an average since the start, which includes the first units: it drifts in one
// direction by 3 %.
func (v *view) averaged() bool {
	if !v.stated || v.plain || v.known || len(v.marks) < 5 {
		return false
	}
	var said []float64
	up, down := 0, 0
	for at, i := range v.marks {
		said = append(said, v.counter.marks[i].said)
		switch {
		case at == 0:
		case said[at] > said[at-1]:
			up++
		case said[at] < said[at-1]:
			down++
		}
	}
	return slices.Max(said) > 1.03*slices.Min(said) && 10*max(up, down) >= 9*(up+down)
}

// within returns the share of v's spans in which o moves, the share of v's time that o's spans fill, and the units of o
// for each of v.
func (v *view) within(o *view) (moves, fills, each float64) {
	at := func(i int) time.Duration { return o.counter.marks[o.marks[i]].at }
	took := time.Duration(0)
	for _, i := range v.marks {
		end := v.counter.marks[i].at
		begin := end - v.length(i)
		j := sort.Search(len(o.marks), func(j int) bool { return at(j) > begin })
		if j < len(o.marks) && at(j) <= end {
			moves++
		}
		for ; j < len(o.marks) && at(j)-o.length(o.marks[j]) < end; j++ {
			took += min(end, at(j)) - max(begin, at(j)-o.length(o.marks[j]))
			if at(j) <= end {
				each += o.counter.marks[o.marks[j]].n
			}
		}
	}
	return moves / float64(max(1, len(v.marks))), took.Seconds() / max(v.time.Seconds(), 1e-9),
		each / stats.Sum(v.units)
}

// together reports whether two counters advance at the same times, as those of one block of lines do.
func (v *view) together(o *view) bool {
	if a, b := len(v.took), len(o.took); 5*min(a, b) < 4*max(a, b) {
		return false
	}
	one, _, _ := v.within(o)
	two, _, _ := o.within(v)
	return min(one, two) > 0.8
}

// same reports whether two views give the same time of a unit.
func (v *view) same(o *view) bool { return v.ms < apart*o.ms && o.ms < apart*v.ms }

// beside reports whether two counters come in the same lines.
func (v *view) beside(o *view) bool {
	n := 0
	for k := range v.own {
		if o.own[k] {
			n++
		}
	}
	return 2*n >= min(len(v.own), len(o.own))
}
