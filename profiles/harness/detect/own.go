package detect

import "time"

// Own notes a line to which the user's expression was applied, matched or not.
func (d *Detector) Own(now time.Duration, matched bool, raw []byte, whole bool) {
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

// own returns the counter of the user's expression.
func (d *Detector) own(stated bool) *counter {
	c := d.find(found{form: "own", unit: Step, name: "pattern", known: true, stated: stated})
	d.chosen, d.fromZero = c, true
	return c
}

// OwnCount takes a count found by the user's expression: how many are done, of how many (0: unknown), in which epoch.
func (d *Detector) OwnCount(done, of, epoch int, now time.Duration) {
	c := d.own(false)
	c.ratio = of > 0
	c.count(done, 1, of, epoch, now, &d.log)
}

// OwnElse notes that something else of that form counted in between.
func (d *Detector) OwnElse() { d.own(false).broken = true }

// OwnTime takes the time of a unit that the user's expression found in a line.
func (d *Detector) OwnTime(ms float64, epoch int, now time.Duration) {
	c := d.own(true)
	if c.plain = true; len(c.marks) == 0 {
		c.add(mark{at: max(0, now-time.Duration(ms*float64(time.Millisecond))), epoch: epoch})
	}
	c.high++
	took := time.Duration(ms * float64(time.Millisecond))
	c.add(mark{at: now, n: 1, took: took, said: ms, done: c.high, epoch: epoch})
	c.spans++
}

// OwnResult returns the last time found by the user's expression, when it arrived, and for how long the program had
// been printing.
func (d *Detector) OwnResult() (ms float64, at, span time.Duration) {
	m := d.chosen.marks[len(d.chosen.marks)-1]
	return m.said, m.at, max(m.at-d.begun, m.took)
}
