package optimize

import "math"

// What a setting promises: its chance to meet the limits, and the improvement to expect of it.
//
// Speed drives power: where a setting turns out faster than expected it also draws more. For most settings that doubt
// is small against the other errors of the prediction of power, and narrowPower covers it. Where the model hardly knows
// how fast a setting is, as of one core while it is open whether the job needs more, the doubt decides: the setting
// cannot be both as fast as hoped and within the limit. A short search then looks at both together
// (docs/decisions/029-speed-and-power-together.md).

const (
	driven    = 2.0 // deviations of power by which speed moves it, from which both are looked at together
	hopeless  = 3   // deviations beyond which a mode keeps no limit, or is no better
	jointEnds = 3.5 // deviations of time up to which they are
	jointSlab = 12  // into which that range is cut
)

// drives sets by how much ln power of a mode is higher for each of its deviations of time, doubt times the model's
// own, that it is faster; 0 where narrowPower covers that, and of modes that promise nothing anyway.
func (s *search) drives(b *belief, doubt float64) {
	least := math.Inf(1) // the goal to come below
	if i, ok := s.best(); ok {
		least = s.lnGoal(i)
	}
	var hardly []int // known is how fast they are; power grows by no more than speed does
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

// chance is the probability that a measurement of mode i meets the limits.
func (b *belief) chance(l Limit, i int) float64 {
	p := b.inTime(l, i)
	if l.PowerW > 0 {
		p *= normalCDF((b.ln(l.PowerW) - b.lnPower[i]) / math.Hypot(narrowPower*b.sdPower[i], b.drive[i]))
	}
	return p
}

// inTime is the probability that a measurement of mode i meets a time limit.
func (b *belief) inTime(l Limit, i int) float64 {
	if l.TimeMS == 0 {
		return 1
	}
	return normalCDF((b.ln(l.TimeMS) - b.lnTime[i]) / b.sdTime[i])
}

// improvement is the expected relative improvement of mode i over best (ln of
// the best feasible objective), times the chance that it meets the limits.
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

// mostImprovement is what improvement stays below, whatever the limits; of most modes that says enough.
func (b *belief) mostImprovement(i int, best float64) float64 {
	const atZero = 0.5 // deviations, of a mode expected as good as the best: 0.399, and what together may be off by
	return max(best-b.goal[i], 0) + atZero*b.sdGoal[i]
}

// together is improvement, a time limit left out, of a mode that is better from that many deviations faster than
// expected on: at each speed the gain counts with the chance to keep the power limit at that speed.
func (b *belief) together(l Limit, i int, from, drive float64) float64 {
	start := max(from, -jointEnds)
	width := (max(start, 0) + jointEnds - start) / jointSlab
	perDeviation := drive * b.ownSDTime[i] / b.sdTime[i] // the noise of a reading draws no power
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
