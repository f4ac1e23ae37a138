// Package approach predicts early where a temperature will settle. Under a steady load a module approaches its final
// temperature as
//
//	T(t) = end − (end − start)·e^(−t/τ)
//
// where τ is unknown and the fan bends the curve. The package fits the curve for many values of τ and weights each fit
// by how well it describes the readings. This gives the final temperature and its uncertainty, which is wide at first
// and narrow after one τ.
package approach

import (
	"math"
	"slices"
	"time"
)

// Curve holds the temperatures read since the load began. The zero value is ready to use.
type Curve struct {
	bins  []bin
	width time.Duration // of a bin
	fan   float64       // how much faster the fan can still turn, 0 to 1
	first float64       // fan when the load began
	asked bool          // first is set
}

// bin is the mean of the readings in an interval.
type bin struct{ t, c, n float64 }

const (
	firstWidth = 5 * time.Second
	mostBins   = 360
	// settling is skipped: the dies warm up and the job runs its first minibatches.
	settling = 30 * time.Second
	// leastSeen is the shortest part of the curve that can be fitted.
	leastSeen = time.Minute
)

// Fan sets how much faster the fan can still turn, 0 to 1: this will bend the curve down. It is 0 without a fan, or
// with one that does not change its speed.
func (c *Curve) Fan(headroom float64) {
	if c.fan = max(0, min(1, headroom)); !c.asked {
		c.first, c.asked = c.fan, true
	}
}

// bends returns by which share the remaining rise is smaller than an exponential predicts because the fan speeds up.
func (c *Curve) bends() (share, spread float64) {
	if c.first-c.fan < moved { // the fan has not followed yet, and may never do so
		return stands * c.fan, wider * c.fan
	}
	return follows * min(1, c.fan/half), wider * min(1, c.fan/half)
}

// Add takes a temperature in °C at a time since the load began.
func (c *Curve) Add(t time.Duration, celsius float64) {
	if t < settling || math.IsNaN(celsius) || math.IsInf(celsius, 0) {
		return
	}
	if c.width == 0 {
		c.width = firstWidth
	}
	last := len(c.bins) - 1
	if last >= 0 && int64(t/c.width) == int64(time.Duration(c.bins[last].t*float64(time.Second))/c.width) {
		b := &c.bins[last]
		b.t, b.c, b.n = (b.t*b.n+t.Seconds())/(b.n+1), (b.c*b.n+celsius)/(b.n+1), b.n+1
		return
	}
	if len(c.bins) == mostBins {
		c.halve()
	}
	c.bins = append(c.bins, bin{t.Seconds(), celsius, 1})
}

// halve merges neighbouring bins, so that a curve can last for days.
func (c *Curve) halve() {
	c.width *= 2
	for i := range len(c.bins) / 2 {
		a, b := c.bins[2*i], c.bins[2*i+1]
		n := a.n + b.n
		c.bins[i] = bin{(a.t*a.n + b.t*b.n) / n, (a.c*a.n + b.c*b.n) / n, n}
	}
	c.bins = c.bins[:len(c.bins)/2]
}

// Fit is the predicted end of a curve.
type Fit struct {
	EndC     float64 // the temperature at steady state
	LoC, HiC float64 // 90 % interval of EndC
	Tau      time.Duration
	In       time.Duration // until the temperature is within 1 °C of its end; 0: already there
	Reached  bool          // the temperature has been there for minutes
}

// Time constants of a module on its heat sink.
const (
	leastTau = 40.0 // s
	mostTau  = 2400.0
	taus     = 44
)

const (
	// near is the distance from the end, °C, at which the temperature counts as settled.
	near = 1.0
	// still is the largest change, °C, over standing at which the temperature counts as steady.
	still    = 0.5
	standing = 5 * time.Minute
	// reading is the error of a mean reading that the fit assumes, °C. It is larger than sensor noise because the curve
	// is not exponential while the fan speed changes.
	reading = 0.12
	// Shares of the remaining rise: bend is how far the end may differ from an exponential's; stands and follows are
	// how much lower it is when the fan has not or has followed the temperature; wider is the extra uncertainty with a
	// fan.
	bend, stands, follows, wider = 0.12, 0.3, 0.55, 0.25
	// moved is how much a fan's headroom shrinks when it follows the temperature; half is a headroom at which the fan
	// has its full effect.
	moved, half = 0.04, 0.5
	// floor is the least error of a predicted end, °C.
	floor = 0.6
)

// Fit predicts the end of the curve; ok is false until there is a minute of readings.
func (c *Curve) Fit() (fit Fit, ok bool) {
	if len(c.bins) < 4 || c.bins[len(c.bins)-1].t-c.bins[0].t < leastSeen.Seconds() {
		return Fit{}, false
	}
	now := c.now()
	share, more := c.bends()
	spread := bend + more
	var all [taus]candidate
	best := math.Inf(1)
	for i := range all {
		tau := leastTau * math.Pow(mostTau/leastTau, float64(i)/(taus-1))
		all[i] = c.candidate(tau)
		best = min(best, all[i].misfit)
	}
	sum, logTau := 0.0, 0.0
	for i := range all {
		a := &all[i]
		a.weight = math.Exp(-(a.misfit - best) / 2)
		sum += a.weight
		logTau += a.weight * math.Log(a.tau)
		left := a.end - now
		if left > 0 {
			a.end -= left * share
		}
		a.sd = math.Sqrt(a.sd*a.sd + spread*spread*left*left + floor*floor)
	}
	at := func(share float64) float64 { return quantile(all[:], sum, share) }
	fit = Fit{EndC: at(0.5), LoC: at(0.05), HiC: at(0.95),
		Tau: time.Duration(math.Exp(logTau/sum) * float64(time.Second))}
	if fit.EndC > now { // a sustained load does not cool
		fit.LoC = max(fit.LoC, now-near)
	}
	if left := math.Abs(fit.EndC - now); left > near {
		fit.In = time.Duration(float64(fit.Tau) * math.Log(left/near))
	}
	fit.Reached = fit.In == 0 && c.stands(now)
	return fit, true
}

// now returns the mean over the last half minute.
func (c *Curve) now() float64 {
	sum, n, last := 0.0, 0.0, c.bins[len(c.bins)-1].t
	for _, b := range slices.Backward(c.bins) {
		if n > 0 && b.t < last-settling.Seconds() {
			break
		}
		sum, n = sum+b.c*b.n, n+b.n
	}
	return sum / n
}

// stands reports whether the temperature has been constant for minutes.
func (c *Curve) stands(now float64) bool {
	last := c.bins[len(c.bins)-1].t
	for _, b := range slices.Backward(c.bins) {
		if math.Abs(b.c-now) > 2*still {
			return false
		}
		if b.t <= last-standing.Seconds() {
			return math.Abs(b.c-now) <= still
		}
	}
	return false
}

// candidate is the fit for one τ.
type candidate struct{ tau, end, sd, misfit, weight float64 }

// candidate fits end and amplitude for a τ by least squares. Later readings weigh more because the fan bends the
// earlier ones.
func (c *Curve) candidate(tau float64) candidate {
	first, last := c.bins[0].t, c.bins[len(c.bins)-1].t
	fade := max(40, last/4)
	var s0, s1, s2, y0, y1 float64
	weigh := func(b bin) (w, x float64) {
		return math.Exp(-(last - b.t) / fade), math.Exp(-(b.t - first) / tau) // at most 1: no long curve overflows
	}
	for _, b := range c.bins {
		w, x := weigh(b)
		s0, s1, s2 = s0+w, s1+w*x, s2+w*x*x
		y0, y1 = y0+w*b.c, y1+w*x*b.c
	}
	det := s0*s2 - s1*s1
	if det <= 1e-9*s0*s2 {
		return candidate{tau: tau, end: y0 / s0, sd: 50, misfit: math.Inf(1)}
	}
	end, amp := (s2*y0-s1*y1)/det, (s0*y1-s1*y0)/det
	misfit := 0.0
	for _, b := range c.bins {
		w, x := weigh(b)
		r := b.c - end - amp*x
		misfit += w * r * r
	}
	// Errors of neighbouring bins are correlated: count one independent reading per half minute.
	share := min(1, c.width.Seconds()/settling.Seconds())
	return candidate{tau: tau, end: end, sd: reading * math.Sqrt(s2/det/share),
		misfit: share * misfit / (reading * reading)}
}

// quantile returns a quantile of the mixture of all candidates.
func quantile(all []candidate, sum, share float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, a := range all {
		if a.weight > 1e-6*sum {
			low, high = min(low, a.end-4*a.sd), max(high, a.end+4*a.sd)
		}
	}
	for range 40 {
		mid, below := (low+high)/2, 0.0
		for _, a := range all {
			if a.weight > 1e-6*sum {
				below += a.weight * 0.5 * math.Erfc((a.end-mid)/a.sd/math.Sqrt2)
			}
		}
		if below < share*sum {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}
