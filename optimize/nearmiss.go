package optimize

import "math"

// A mode that was read just over a limit may keep it all the same: a single reading errs by its noise, and such a mode
// is the fastest of all where it does. It stays a candidate and is measured again if that promises more than a new mode
// does. It then counts by the mean of its readings (docs/decisions/035-tight-limits.md).

// mostMisses is the number of readings over a limit after which a mode is no candidate any more.
const mostMisses = 2

// nearMiss returns the measured mode outside the limits whose next reading promises the largest relative improvement
// over best (ln of the objective), and that improvement times the chance that the mode then counts as within; -1 if
// there is none. If best is infinite, it returns the most likely mode and its chance. Over batch sizes there is none:
// only replays judge these searches, and a replay repeats its reading.
func nearMiss(s *search, b *belief, best float64) (index int, value float64) {
	most := newArgmax()
	if s.places.Batches != nil {
		return most.index, 0
	}
	for _, i := range s.order {
		if s.failed[i] || s.met(i) || misses(s, i) >= mostMisses || !s.limit.harmless(s.mean(i)) {
			continue
		}
		most.offer(i, min(best-s.lnGoal(i), 1)*repeats(s, b, i), 0)
	}
	return most.index, most.value
}

// lastResort returns the mode to measure before a search says that none keeps the limits; false if there is none left.
// Power rises with every knob: whatever the model believes, the lowest mode is measured before a power limit is given
// up for all. Then come modes that were read just over the limits.
func (l *loop) lastResort(b *belief) (int, bool) {
	if i := lowest(l.search); l.limit.PowerW > 0 && l.limit.TimeMS == 0 && i >= 0 && b.open[i] {
		return i, true
	}
	i, chance := nearMiss(l.search, b, math.Inf(1))
	return i, chance >= unlikely
}

// misses returns how many readings of a mode that count are over a limit.
func misses(s *search, i int) (n int) {
	list := s.readings[i]
	for _, r := range list[len(list)-counting(list):] {
		if !s.limit.Met(r) {
			n++
		}
	}
	return n
}

// repeats returns the probability that the next reading of measured mode i, and its mean then, are within the limits.
func repeats(s *search, b *belief, i int) float64 {
	mean, n := s.mean(i), float64(counting(s.readings[i]))
	within := func(limit, read, expected, sd float64) float64 {
		if limit == 0 {
			return 1
		}
		room := b.ln(limit) + n*min(0, b.ln(limit)-math.Log(read))
		return normalCDF((room - expected) / sd)
	}
	return within(s.limit.PowerW, mean.PowerW, b.lnPower[i], narrowPower*b.sdPower[i]) *
		within(s.limit.TimeMS, mean.TimeMS, b.lnTime[i], b.sdTime[i])
}
