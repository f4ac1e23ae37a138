package mix

import (
	"math"

	"jtune/internal/stats"
)

// Strict turns train whole minibatches. With predicted times the number that fits between two batches is uncertain: at
// the median none may fit, yet one may fit with a good chance.

const (
	surelyFits  = 0.999 // chance from which a minibatch counts fully; at 1 minus it or less, it does not count
	manyDoubted = 4     // uncertainty, in minibatches, from which the mean loses half of one
)

// expect sets the expected minibatches beyond Tau in a window with a batch served in s seconds; most limits the
// minibatches, 0: no limit.
func (o *Outcome) expect(most int, window, s float64) {
	t := o.train.TimeMS / 1000
	served, trained := o.serve.LnTimeSD*s, o.train.LnTimeSD*t
	if served == 0 && trained == 0 {
		return
	}
	room := window - s
	fits := func(k int) float64 {
		return stats.NormalCDF((room - float64(k)*t) / math.Hypot(served, float64(k)*trained))
	}
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
