package telemetry

import (
	"slices"
	"time"

	"jtune/internal/stats"
	"jtune/tegra"
)

// Drop watches a long run for a sudden, lasting drop of the measured power while minibatches take as long as before.
// Such a drop comes from the sensor or its logger, not from the board; it has been seen in long series of measurements.
// Readings before the drop remain valid. The zero value is ready to use.
type Drop struct {
	minute minute
	past   []minute // complete ones, the newest last
	found  tegra.Val[PowerDrop]
}

// PowerDrop is a detected drop.
type PowerDrop struct {
	At    time.Duration `csv:"s"`      // by the device's clock: the start of the minute in which power dropped
	FromW float64       `csv:"from_w"` // mean of the ten minutes before
	ToW   float64       `csv:"to_w"`   // mean of the five minutes after
}

// minute sums up the samples and minibatches of one minute.
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
	dropAfter  = 5    // minutes that the drop must last
	dropShare  = 0.90 // every minute after the drop draws less than this share of every minute before
	sameWork   = 0.10 // largest relative difference of the minibatch times over the same minutes
)

// Power adds a valid sample.
func (d *Drop) Power(t time.Duration, watts float64) {
	d.at(t)
	d.minute.watts, d.minute.samples = d.minute.watts+watts, d.minute.samples+1
}

// Minibatch adds a minibatch that ended at t and took ms.
func (d *Drop) Minibatch(t time.Duration, ms float64) {
	d.at(t)
	d.minute.ms, d.minute.steps = d.minute.ms+ms, d.minute.steps+1
}

// Found returns the first drop.
func (d *Drop) Found() tegra.Val[PowerDrop] { return d.found }

// at closes the current minute when t lies beyond it.
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

// look compares the newest minutes with those before. It skips the minute between, in which the drop may fall.
func (d *Drop) look() {
	n := len(d.past) - dropAfter
	if d.found.OK || n < dropBefore+1 {
		return
	}
	before, after := d.past[n-1-dropBefore:n-1], d.past[n:]
	fromW, toW := column(before, minute.power), column(after, minute.power)
	if slices.Max(toW) >= dropShare*slices.Min(fromW) {
		return
	}
	if times := column(d.past[n-1-dropBefore:], minute.time); slices.Max(times) > (1+sameWork)*slices.Min(times) {
		return
	}
	d.found = tegra.Some(PowerDrop{At: d.past[n-1].from, FromW: stats.Mean(fromW), ToW: stats.Mean(toW)})
}

func (m minute) power() float64 { return m.watts / float64(m.samples) }
func (m minute) time() float64  { return m.ms / float64(m.steps) }

func column(list []minute, of func(minute) float64) (out []float64) {
	for _, m := range list {
		out = append(out, of(m))
	}
	return out
}
