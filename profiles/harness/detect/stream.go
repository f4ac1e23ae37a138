package detect

import (
	"fmt"
	"strings"
	"time"

	"jtune/internal/stats"
)

const (
	// enoughUnits and enoughWork are what a choice waits for; mostWork since the first step is enough alone.
	enoughUnits = 20
	enoughWork  = 3 * time.Second
	mostWork    = 10 * time.Second
	// asideWork is how long a choice waits when only validation, or a rate in few lines, advances.
	asideWork = 30 * time.Second
	// enoughRates is how many rates show that they are no average since the start.
	enoughRates = 5
	// stillWork and stillSpans are how long a counter may stand still before jtune says so, in time and in its spans.
	stillWork  = 30 * time.Second
	stillSpans = 20
	// window is how many recent spans determine the usual time of a unit.
	window = 50
)

// Done are units completed since the last call.
type Done struct {
	N      int
	TimeMS float64       // of each unit
	Begin  time.Duration // of the span in which they were done
	End    time.Duration // of the last unit
	Epoch  int           // from 0
	First  int           // number of the first unit, from 0
	Pause  bool          // the span is none of the work of a unit: another phase, or the first unit
}

// Chosen reports whether a counter has been chosen.
func (d *Detector) Chosen() bool { return d.chosen != nil }

// Choose chooses a counter once there is enough output. It reports whether it did; the error says why the output is
// unusable. Earlier steps are not reported.
func (d *Detector) Choose(now time.Duration) (r Reading, done bool, err error) {
	d.waits = ""
	if d.chosen != nil || len(d.all) == 0 || now-d.begun < enoughWork {
		return r, false, nil
	}
	field := d.field()
	best, rivals, no := d.choose(field)
	work := now - d.begun
	if at, ok := d.firstUnit(); ok {
		work = now - at
	} else if no == nil {
		work = now - best.begin
	}
	switch {
	case no != nil && (len(rivals) > 0 || best.two[0] > 0) && work >= mostWork:
		no.Candidates, no.Rivals, no.Tails = d.candidates(field), d.candidates(rivals), d.tails
		return r, false, no
	case no != nil, work < enoughWork, best.polarity < unknown && work < asideWork,
		work < mostWork && best.est.Units < enoughUnits,
		best.stated && !best.plain && !best.known && !best.ticks && len(best.took) < enoughRates && work < asideWork:
		return r, false, nil
	}
	if d.waits = best.waits(field, d); d.waits != "" {
		return r, false, nil
	}
	d.take(&best)
	r = d.reading(best, field, d.candidates(field))
	d.samples = r.Samples
	return r, true, nil
}

// Still says which chosen counter stopped while lines come; "" where none did.
func (d *Detector) Still(now time.Duration) string {
	c := d.chosen
	if c == nil || len(c.marks) < least {
		return ""
	}
	n := len(c.marks) - 1
	if quiet := now - c.marks[n].at; quiet > max(stillWork, stillSpans*(c.marks[n].at-c.marks[0].at)/time.Duration(n)) {
		return fmt.Sprintf("%q has not counted for %.0f s; the last line: %s", c.title(), quiet.Seconds(),
			clip(strings.Join(d.tails[max(0, len(d.tails)-1):], "")))
	}
	return ""
}

// take makes a view the source of steps.
func (d *Detector) take(v *view) {
	d.chosen, d.ticks, d.length, d.handed = v.counter, v.ticks, v.only, v.forgot+len(v.counter.marks)
	if d.o.FromStart {
		d.handed = v.forgot
	}
}

// waits returns what a choice waits for when all that was seen is the first run of a bar that ends soon; "" when it
// waits for nothing. Such a bar may be preparation.
func (v *view) waits(field []view, d *Detector) string {
	left := float64(v.counter.of-v.high) * v.ms
	if !v.ratio || v.run > 0 || v.counter.of < 2 || v.unit == Epoch || left > millis(d.o.Patience) || v.known {
		return ""
	}
	for i := range field {
		o := &field[i]
		if !v.finished() && o.counter != v.counter && !o.loose && o.able(d) && !o.beside(v) && !o.before(v) &&
			!o.stated {
			return ""
		}
	}
	return v.title() + " may be preparation: jtune waits for its second run, for another counter, or for the end"
}

// Waits returns what the choice waits for; "" when for nothing.
func (d *Detector) Waits() string { return d.waits }

// Overtaken reports whether another counter now accounts for the time, which the former choice then was not: it
// becomes the choice. The error says that the lines contradict each other.
func (d *Detector) Overtaken() (was string, now Reading, yes bool) {
	if d.chosen == nil {
		return "", now, false
	}
	field := d.field()
	best, _, no := d.settle(field)
	if no != nil || best.counter == d.chosen && best.only == d.length || best.known && d.chosen.known ||
		best.counter != d.chosen && best.waits(field, d) != "" {
		return "", now, false
	}
	was = d.chosen.title()
	d.take(&best)
	d.handed = best.forgot + len(best.counter.marks)
	now = d.reading(best, field, d.candidates(field))
	d.samples = now.Samples
	return was, now, true
}

// Take returns what the chosen counter has counted since the last call. It keeps back the newest point, because lines
// that arrive together are one.
func (d *Detector) Take(all bool) (out []Done) {
	c := d.chosen
	if c == nil {
		return nil
	}
	last := len(c.marks)
	if !all {
		last--
	}
	for !all && c.interrupted() && last > 0 && c.marks[last-1].run == c.run {
		last--
	}
	last += c.forgot
	d.handed = min(d.handed, c.forgot+len(c.marks))
	c.evaluated = c.evaluates()
	usual := 0.0
	var slow map[int32]bool // of the first long span on: it takes a look at all marks
	for d.handed = max(d.handed, c.forgot+1); d.handed < last; d.handed++ {
		i := d.handed - c.forgot
		m := c.marks[i]
		if m.n == 0 {
			continue
		}
		if usual == 0 {
			usual = c.usualMS()
		}
		if slow == nil && c.long(i, usual) {
			slow = c.slow(usual)
		}
		n, took := m.n, millis(c.length(i))
		if d.ticks && !c.plain {
			n = 1
		}
		of := max(1, d.samples)
		done := Done{
			N:      max(1, int(n/float64(of)+0.5)),
			TimeMS: took / n * float64(of),
			Begin:  m.at - c.length(i),
			End:    m.at,
			Epoch:  d.epochFrom0(m.epoch, m.run),
			First:  max(0, (m.done-int(n+0.5))/of),
		}
		if done.TimeMS < leastMS {
			continue
		}
		done.Pause = d.length > 0 && m.of != d.length || c.phase(&d.log, i, usual, slow) != 0 ||
			c.firstUnit([]int{i, i, i, i})
		if done.Pause {
			done.N, done.TimeMS = 1, took
		}
		out = append(out, done)
	}
	return out
}

// usualMS returns the recent time of a unit of work.
func (c *counter) usualMS() float64 {
	var took, units []float64
	for i := max(1, len(c.marks)-window); i < len(c.marks); i++ {
		if m := c.marks[i]; m.n > 0 {
			took, units = append(took, millis(c.length(i))), append(units, m.n)
		}
	}
	return stats.WeightedQuantile(took, units, quick)
}

// epochFrom0 numbers epochs from 0, however they are printed, or by the runs of the counter if none are printed.
func (d *Detector) epochFrom0(printed, run int) int {
	if printed == 0 {
		return run
	}
	if !d.fromZero {
		return max(0, printed-1)
	}
	return printed
}

// ChooseAtEnd chooses by the whole output of a program that has ended, and makes its steps available.
func (d *Detector) ChooseAtEnd() error {
	if d.chosen != nil {
		return nil
	}
	r, err := d.Read()
	if err != nil || r.Summary {
		return err
	}
	best, _, _ := d.settle(d.field())
	d.take(&best)
	d.samples = r.Samples
	d.handed = best.forgot
	return nil
}
