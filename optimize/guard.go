package optimize

// How far probes may exceed a power limit. Power follows speed: nearly every probe far over its limit measured a mode
// much faster than predicted. A trusted mode must therefore stay within MaxOvershoot times the limit even with two
// uncertainties combined: that of power at the predicted time, and the extra power if the mode were fasterZ deviations
// faster (docs/decisions/032-unseen-workloads.md).
//
// If a more promising mode is not trusted, the search first measures trusted modes that inform about it, and then
// lowers the required deviations step by step rather than stop learning about it.

import (
	"math"

	"jtune/tegra"
)

const (
	fasterZ    = 2   // deviations of time by which a trusted mode may be faster than predicted
	mostDetour = 2   // consecutive probes made for information
	tellsShare = 0.1 // share of the variance of the desired mode's power that such a probe must explain
	easeBy     = 0.8 // factor on the required deviations per step
	easeLeast  = 0.4 // smallest such factor
)

// guard sets ifFaster: how much higher ln power of an open mode is if it is fasterZ deviations of time faster, with the
// model's deviations multiplied by doubt. For modes that are trusted or excluded anyway it keeps an upper bound. It
// does nothing over batch sizes, where it would end searches too soon (docs/decisions/032-unseen-workloads.md).
func (b *belief) guard(s *search, doubt float64) {
	if s.limit.PowerW == 0 || s.places.Batches != nil {
		return
	}
	b.ifFaster = make([]float64, len(b.open))
	list := b.openModes(func(i int) bool {
		if s.limit.TimeMS > 0 && b.below(s.limit, i, 1, -possibleZ) {
			return true
		}
		// Power grows at most in proportion to speed; for most modes this bound suffices.
		b.ifFaster[i] = fasterZ * b.ownSDTime[i]
		return b.below(s.limit, i, MaxOvershoot, easeLeast*b.hot) && !b.coolIfFaster(s.limit, i)
	})
	for k, more := range s.model.PowerIfFaster(s.expected, fasterZ*doubt, list) {
		b.ifFaster[list[k]] = more
	}
}

// coolIfFaster reports whether mode i stays below MaxOvershoot times the power limit with these uncertainties.
func (b *belief) coolIfFaster(l Limit, i int) bool {
	if b.ifFaster == nil {
		return b.below(l, i, MaxOvershoot, b.hot)
	}
	return b.lnPower[i]+b.ease*math.Hypot(b.hot*b.sdPower[i], b.ifFaster[i]) <= b.ln(l.PowerW*MaxOvershoot)
}

// gainTrust chooses a mode if neither the most promising mode nor any promising enough is trusted: a trusted mode that
// informs about it, or else the best of those trusted first as the required deviations fall. It ends the search if
// there is none. Over batch sizes it only makes detours, with less caution after each.
func (l *loop) gainTrust(b *belief, desired int, best float64) (int, bool) {
	tells, ok := l.telling(b, desired)
	if l.places.Batches != nil && tells >= 0 {
		return l.detour(tells, desired), true
	}
	if ok && l.detours < mostDetour {
		return l.detour(tells, desired), true
	}
	for b.ease = easeBy; b.ease >= easeLeast; b.ease *= easeBy {
		most := newArgmax()
		for _, i := range b.openModes(func(i int) bool { return b.trusted(l.limit, i, l.caution()) }) {
			most.offer(i, b.improvement(l.limit, i, best), 0)
		}
		if most.index >= 0 && most.value >= l.gain() {
			l.detours = 0
			return most.index, true
		}
	}
	b.ease = 1
	weak := tells >= 0 && l.detours < mostDetour && b.improvement(l.limit, desired, best) >= knownDetour
	if ok || weak {
		return l.detour(tells, desired), true
	}
	if i, ok := l.justOver(b, best); ok {
		return i, true
	}
	l.ended = Converged
	return 0, false
}

// justOver returns the most promising mode that may keep the limit although its median is just over it, if no mode is
// trusted, as near the lowest possible power; false if none is promising enough.
func (l *loop) justOver(b *belief, best float64) (int, bool) {
	most := newArgmax()
	for i, open := range b.open {
		switch {
		case !open:
		case b.trusted(l.limit, i, l.caution()):
			return 0, false
		case b.below(l.limit, i, trustOver, 0) && b.faster(l.limit, i, trustOver, 0) &&
			b.chance(l.limit, i) >= unlikely:
			most.offer(i, b.improvement(l.limit, i, best), 0)
		}
	}
	return most.index, most.index >= 0 && most.value >= l.gain()
}

// detour records and returns a mode that is measured to inform about another.
func (l *loop) detour(tells, desired int) int {
	l.detours++
	l.toward = tegra.Some(l.places.At(desired))
	return tells
}

// telling returns the trusted mode that explains most of the uncertainty of the desired mode's power, including the
// part due to time; false if none explains enough.
func (l *loop) telling(b *belief, desired int) (int, bool) {
	list := b.openModes(func(i int) bool { return b.trusted(l.limit, i, l.caution()) })
	if len(list) == 0 {
		return -1, false
	}
	slope := 0.0 // d ln power / d ln time
	if b.ifFaster != nil {
		slope = l.model.PowerIfFaster(l.expected, 1, []int{desired})[0] / l.expected.SdTime[desired]
	}
	power, time := l.model.CovPower(list, []int{desired}), l.model.CovTime(list, []int{desired})
	unknown := square(b.ownSDPower[desired]) + square(slope*b.ownSDTime[desired])
	most := newArgmax()
	for k, i := range list {
		most.offer(i, square(power.At(k, 0)/b.sdPower[i])+square(slope*time.At(k, 0)/b.sdTime[i]), 0)
	}
	return most.index, most.value >= tellsShare*unknown
}

func square(x float64) float64 { return x * x }
