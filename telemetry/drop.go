package telemetry

import (
	"time"

	"jtune/tegra"
)

// Drop watches a long run for a sudden lasting drop of the power that is told
// while the work goes on as fast as before: not the board but its sensor, or
// what reads it, has changed. The papers met one after some 16 hours and used
// what came before (method note c.3). The zero value is ready.
type Drop struct {
	minute minute
	past   []minute // full ones, the newest last
	found  tegra.Val[PowerDrop]
}

// PowerDrop is what was found.
type PowerDrop struct {
	At         time.Duration // by the device's clock: the beginning of the minute in which it fell
	FromW, ToW float64       // means of the ten minutes before and the five after
}

// minute sums up the samples and minibatches of one.
type minute struct {
	begun   bool
	from    time.Duration
	watts   float64
	samples int
	ms      float64
	steps   int
}

const (
	dropSpan   = time.Minute
	dropBefore = 10   // minutes to compare with
	dropAfter  = 5    // minutes that it must last
	dropShare  = 0.85 // every minute after it draws less than this share of every one before
	sameWork   = 0.10 // by which a minibatch's time may differ meanwhile
)

// Power takes a valid sample.
func (d *Drop) Power(t time.Duration, watts float64) {
	d.at(t)
	d.minute.watts, d.minute.samples = d.minute.watts+watts, d.minute.samples+1
}

// Minibatch takes a minibatch's end and time.
func (d *Drop) Minibatch(t time.Duration, ms float64) {
	d.at(t)
	d.minute.ms, d.minute.steps = d.minute.ms+ms, d.minute.steps+1
}

// Found is the first drop.
func (d *Drop) Found() tegra.Val[PowerDrop] { return d.found }

// at closes the present minute when t lies beyond it.
func (d *Drop) at(t time.Duration) {
	if d.minute.begun && t-d.minute.from < dropSpan {
		return
	}
	if d.minute.samples > 0 && d.minute.steps > 0 {
		d.past = append(d.past, d.minute)
		d.past = d.past[max(0, len(d.past)-dropBefore-1-dropAfter):]
		d.look()
	}
	d.minute = minute{begun: true, from: t}
}

// look compares the newest minutes with those before; the one between may hold
// the drop itself.
func (d *Drop) look() {
	n := len(d.past) - dropAfter
	if d.found.OK || n < dropBefore+1 {
		return
	}
	before, after := d.past[n-1-dropBefore:n-1], d.past[n:]
	fromW, toW := least(before, minute.power), most(after, minute.power)
	if toW >= dropShare*fromW {
		return
	}
	if slowest, fastest := most(d.past[n-1-dropBefore:], minute.time), least(d.past[n-1-dropBefore:], minute.time); slowest > (1+sameWork)*fastest {
		return
	}
	d.found = tegra.Some(PowerDrop{At: d.past[n-1].from, FromW: mean(before, minute.power), ToW: mean(after, minute.power)})
}

func (m minute) power() float64 { return m.watts / float64(m.samples) }
func (m minute) time() float64  { return m.ms / float64(m.steps) }

func least(list []minute, of func(minute) float64) float64 {
	v := of(list[0])
	for _, m := range list {
		v = min(v, of(m))
	}
	return v
}

func most(list []minute, of func(minute) float64) float64 {
	v := of(list[0])
	for _, m := range list {
		v = max(v, of(m))
	}
	return v
}

func mean(list []minute, of func(minute) float64) float64 {
	sum := 0.0
	for _, m := range list {
		sum += of(m)
	}
	return sum / float64(len(list))
}
