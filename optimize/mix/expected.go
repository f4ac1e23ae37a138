package mix

import "math"

// Strict turns train whole minibatches. How many fit between two batches is not certain where the times are predicted:
// at the median none may fit, and one all the same with a good chance.

const (
	surelyFits  = 0.999 // chance from which a minibatch counts in full, and below 1 less it not at all
	manyDoubted = 4     // minibatches by which their number is uncertain, from which half of one is lost in the mean
)

// expect sets what to expect beside Tau of a window in which a batch is served in s seconds, and the chance that a
// minibatch fits; most bounds the minibatches, 0: nothing does.
func (o *Outcome) expect(most int, window, s float64) {
	t := o.train.TimeMS / 1000
	served, trained := o.serve.LnTimeSD*s, o.train.LnTimeSD*t
	if served == 0 && trained == 0 {
		o.trains = float64(min(o.Tau, 1))
		return
	}
	room := window - s
	fits := func(k int) float64 {
		return math.Erfc((float64(k)*t-room)/math.Hypot(served, float64(k)*trained)/math.Sqrt2) / 2
	}
	o.trains = fits(1)
	doubt := math.Hypot(served, float64(o.Tau)*trained) / t
	if doubt > manyDoubted {
		if most == 0 {
			o.more = room/t - 0.5 - float64(o.Tau)
		}
		return
	}
	for k := o.Tau; k > 0; k-- {
		p := fits(k)
		if p > surelyFits {
			break
		}
		o.more -= 1 - p
	}
	last := o.Tau + 3*(1+int(doubt))
	if most > 0 {
		last = min(last, most)
	}
	for k := o.Tau + 1; k <= last; k++ {
		p := fits(k)
		if p < 1-surelyFits {
			break
		}
		o.more += p
	}
}
