package detect

import (
	"cmp"
	"math"
)

const (
	// leastJump is the smallest step of a counter of samples.
	leastJump = 16
	// logsEvery is how often PyTorch's example prints a line by default, in minibatches.
	logsEvery = 10
)

// samples reports whether a candidate counts samples although no word says so: PyTorch's tutorials print loss: 2.3 [
// 6464/60000]. Such a count advances by minibatches, usually 16, 32 or 64, whereas a count of steps advances by one or
// by round numbers. batch is the size of a minibatch if the first count reveals it; else 0.
func (c *counter) samples() (yes bool, batch int) {
	if c.unit == Sample {
		return true, 0
	}
	if c.unit != Step || !c.ratio || c.of < 2 || c.stated || c.known || c.labelled || c.spans < least {
		return false, 0
	}
	if c.values%8 == 0 && c.values >= leastJump && c.values < c.jumps && c.jumps%c.values == 0 {
		return true, c.values
	}
	jump := c.jumps
	for jump > 0 && jump%10 == 0 {
		jump /= 10
	}
	return jump >= leastJump && jump%8 == 0, 0
}

// samplesPerStep returns the batch size, if known; sure is false for the usual one. The usual one is used only for
// training output that counts samples: other rates remain rates of samples.
func (d *Detector) samplesPerStep(best view, told int) (batch int, sure bool) {
	if n := cmp.Or(d.o.Batch, d.batch, told); n > 0 {
		return n, true
	}
	if d.o.Counts == Sample {
		return d.o.Usual, false
	}
	if best.form != "pytorch" || d.o.Usual == 0 {
		return 0, false
	}
	if best.jumps%logsEvery == 0 && best.jumps >= logsEvery {
		return best.jumps / logsEvery, false
	}
	return d.o.Usual, false
}

// fits reports whether a counter of samples advances by whole minibatches.
func (d *Detector) fits(best view, batch int) bool {
	if best.stated {
		return true
	}
	whole := 0
	for _, n := range best.units {
		if math.Mod(n, float64(batch)) == 0 {
			whole++
		}
	}
	return 10*whole >= 8*len(best.units)
}

// ofSamples converts a reading of samples to minibatches, if the batch size is known.
func (d *Detector) ofSamples(r Reading, best view) Reading {
	samples, told := best.samples()
	if d.o.Counts == Sample && !best.stated {
		samples = true
	}
	switch {
	case !samples:
		return r
	case d.o.Counts == Step:
		r.Unit = Step
		return r
	}
	batch, sure := d.samplesPerStep(best, told)
	if batch < 2 || !d.fits(best, batch) {
		r.Unit = Sample
		return r
	}
	n := float64(batch)
	r.Unit, r.Samples, r.Assumed = Step, batch, !sure
	r.TimeMS, r.MedianMS, r.ErrorMS = r.TimeMS*n, r.MedianMS*n, r.ErrorMS*n
	r.Steps = max(1, r.Steps/batch)
	r.Of /= batch
	return r
}
