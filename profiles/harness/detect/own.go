package detect

import "time"

// Own notes a line to which the user's expression was applied, matched or not.
func (d *Detector) Own(steps int, now time.Duration, matched bool, raw []byte, whole bool) {
	if d.lines == 0 {
		d.begun = now
	}
	d.last = max(d.last, now)
	d.lines++
	if line := plain(raw); whole && line != "" {
		d.tail(line)
		if !matched {
			d.strange++
		}
	}
}

// OwnSteps takes steps found by the user's expression: n steps of ms each; batch is the last one's, within the epoch,
// from 0. stated: the line states the time.
func (d *Detector) OwnSteps(n int, ms float64, end time.Duration, epoch, batch int, stated bool) {
	c := d.find(found{form: "own", unit: Step, name: "pattern", known: true, stated: stated})
	if c == nil || !(ms > 0) || n < 1 {
		return
	}
	d.chosen, d.fromZero = c, true
	took := time.Duration(ms * float64(n) * float64(time.Millisecond))
	if len(c.spans) == 0 {
		c.first = end - took
	}
	if epoch != c.epoch {
		c.run++
	}
	c.epoch, c.moved = epoch, end
	c.add(span{n: float64(n), d: took, ms: ms, end: end, run: c.run, done: batch + 1, epoch: epoch})
}

// OwnResult returns the last result found by the user's expression, when it arrived, and for how long the program had
// been printing.
func (d *Detector) OwnResult() (ms float64, at, span time.Duration) {
	if d.chosen == nil || len(d.chosen.spans) == 0 {
		return 0, 0, 0
	}
	s := d.chosen.spans[len(d.chosen.spans)-1]
	return s.ms, s.end, max(s.end-d.begun, s.d)
}
