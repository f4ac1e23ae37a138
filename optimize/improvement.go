package optimize

import "math"

// The value of a setting: its chance to meet the limits, and its expected improvement.
//
// Power follows speed: a setting that turns out faster than predicted also draws more. For most settings this effect is
// small against the other errors of predicted power, and narrowPower covers it. It matters when the speed is very
// uncertain, such as that of one core before it is known whether the job needs more: the setting cannot be both as fast
// as hoped and within the limit. Expected improvement then integrates over both together
// (docs/decisions/029-speed-and-power-together.md).

const (
	driven    = 2.0 // power deviations per time deviation, above which both are integrated together
	hopeless  = 3   // deviations beyond which a mode cannot keep a limit, or be better
	jointEnds = 3.5 // integration range in deviations of time
	jointSlab = 12  // slabs of that range
)

// drives sets drive: how much higher ln power of a mode is per deviation of time that it is faster, with the model's
// deviations multiplied by doubt; 0 if narrowPower covers it, and for modes that cannot improve anyway.
func (s *search) drives(b *belief, doubt float64) {
	least := math.Inf(1) // goal to beat
	if i, ok := s.best(); ok {
		least = s.lnGoal(i)
	}
	var hardly []int // modes of uncertain speed; power grows at most in proportion to speed
	for i, sd := range b.ownSDTime {
		if sd > driven*b.sdPower[i] && b.open[i] && b.below(s.limit, i, 1, -hopeless) &&
			b.goal[i]-hopeless*b.sdGoal[i] <= least {
			hardly = append(hardly, i)
		}
	}
	for k, more := range s.model.PowerIfFaster(s.expected, doubt, hardly) {
		if i := hardly[k]; more > driven*b.sdPower[i] {
			b.drive[i] = more
		}
	}
}

// chance returns the probability that a measurement of mode i meets the limits.
func (b *belief) chance(l Limit, i int) float64 {
	p := b.inTime(l, i)
	if l.PowerW > 0 {
		p *= normalCDF((b.ln(l.PowerW) - b.lnPower[i]) / math.Hypot(narrowPower*b.sdPower[i], b.drive[i]))
	}
	return p
}

// inTime returns the probability that a measurement of mode i meets a time limit.
func (b *belief) inTime(l Limit, i int) float64 {
	if l.TimeMS == 0 {
		return 1
	}
	return normalCDF((b.ln(l.TimeMS) - b.lnTime[i]) / b.sdTime[i])
}

// improvement returns the expected relative improvement of mode i over best (ln of the best feasible objective), times
// the chance that it meets the limits.
func (b *belief) improvement(l Limit, i int, best float64) float64 {
	sd := b.sdGoal[i]
	z := (best - b.goal[i]) / sd
	switch drive := b.drive[i]; {
	case z < -8:
		return 0
	case drive > 0:
		return b.inTime(l, i) * b.together(l, i, -z, drive)
	}
	return sd * (z*normalCDF(z) + density(z)) * b.chance(l, i)
}

// mostImprovement returns a cheap upper bound of improvement that ignores the limits; it suffices for most modes.
func (b *belief) mostImprovement(i int, best float64) float64 {
	const atZero = 0.5 // in deviations: 0.399 for a mode expected to equal the best, plus the error of together
	return max(best-b.goal[i], 0) + atZero*b.sdGoal[i]
}

// together returns the improvement, ignoring a time limit, of a mode that beats the best if it is at least from
// deviations faster than predicted: it weights the gain at each speed with the chance to keep the power limit at that
// speed.
func (b *belief) together(l Limit, i int, from, drive float64) float64 {
	start := max(from, -jointEnds)
	width := (max(start, 0) + jointEnds - start) / jointSlab
	perDeviation := drive * b.ownSDTime[i] / b.sdTime[i] // reading noise does not affect power
	room, sum := b.ln(l.PowerW)-b.lnPower[i], 0.0
	for k := range jointSlab {
		u := start + (float64(k)+0.5)*width
		keeps := normalCDF((room - u*perDeviation) / (narrowPower * b.sdPower[i]))
		sum += width * density(u) * (u - from) * b.sdGoal[i] * keeps
	}
	return sum
}

func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

func density(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
