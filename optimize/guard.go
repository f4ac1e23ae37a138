package optimize

// What no probe may draw. Speed drives power: nearly every probe far over its limit measured a mode much faster than
// believed. So a mode is trusted only where two things together keep MaxOvershoot times the limit: the deviations of
// power at the time that is believed, and the power that it would draw if it were faster by fasterZ deviations
// (docs/decisions/032-unseen-workloads.md).
//
// Where a mode that promises more is not trusted, the search first measures trusted ones that say much of it, and then
// asks for fewer deviations, step by step, rather than stay where nothing more is learned of it.

import (
	"math"

	"jtune/tegra"
)

const (
	fasterZ    = 2   // deviations of time by which a trusted mode may be faster than believed
	mostDetour = 2   // probes in a row that are made for information
	tellsShare = 0.1 // of the variance of the desired mode's power that such a probe must explain
	easeBy     = 0.8 // factor on the deviations of a trusted mode for every step that trusts more
	easeLeast  = 0.4 // of them all
)

// guard sets by how much ln power of an open mode is higher if it is fasterZ deviations of time, doubt times the
// model's own, faster; 0 for modes that are neither trusted nor possible anyway. Not over batch sizes, where the
// searches end too soon with it (docs/decisions/032-unseen-workloads.md).
func (b *belief) guard(s *search, doubt float64) {
	if s.limit.PowerW == 0 || s.places.Batches != nil {
		return
	}
	b.ifFaster = make([]float64, len(b.open))
	list := b.openModes(func(i int) bool {
		if s.limit.TimeMS > 0 && b.below(s.limit, i, 1, -possibleZ) {
			return true
		}
		// Power grows by no more than speed: of most modes that says enough.
		b.ifFaster[i] = fasterZ * b.ownSDTime[i]
		return b.below(s.limit, i, MaxOvershoot, easeLeast*b.hot) && !b.coolIfFaster(s.limit, i)
	})
	for k, more := range s.model.PowerIfFaster(s.expected, fasterZ*doubt, list) {
		b.ifFaster[list[k]] = more
	}
}

// coolIfFaster reports whether mode i stays below MaxOvershoot times the power limit.
func (b *belief) coolIfFaster(l Limit, i int) bool {
	if b.ifFaster == nil {
		return b.below(l, i, MaxOvershoot, b.hot)
	}
	return b.lnPower[i]+b.ease*math.Hypot(b.hot*b.sdPower[i], b.ifFaster[i]) <= b.ln(l.PowerW*MaxOvershoot)
}

// gainTrust chooses while the mode that promises most is not trusted, nor any that promises enough: a trusted mode that
// says much about it, or else the best of those that become trusted first with fewer deviations. It ends the search
// where none does. Over batch sizes it makes detours alone, with less caution after each.
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

// justOver is the mode that promises most of those that may keep the limit though they are expected just over it, where
// no mode is trusted, as near the least power that there is; false where none promises enough.
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

// detour is a mode that is measured for what it says about another.
func (l *loop) detour(tells, desired int) int {
	l.detours++
	l.toward = tegra.Some(l.places.At(desired))
	return tells
}

// telling is the trusted mode that explains most of what is not known of the desired one's power, its time's part
// included; false where none explains enough.
func (l *loop) telling(b *belief, desired int) (int, bool) {
	list := b.openModes(func(i int) bool { return b.trusted(l.limit, i, l.caution()) })
	if len(list) == 0 {
		return -1, false
	}
	slope := 0.0 // of ln power by ln time
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
