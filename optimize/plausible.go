package optimize

import "jtune/tegra"

// Two readings of one workload may contradict each other independently of the model: with no knob higher a mode is not
// much faster, and lower GPU and memory clocks slow it down by at most their ratio. A clock that was not set, or
// another program beside the job, violates this (docs/method.md, Search rule).

const (
	fasterBelow = 1.15 // largest speed-up over a mode that has no lower knob
	slowerBelow = 1.2  // largest slowdown relative to the ratio of the GPU and memory clocks
)

// contradicts reports whether the readings of two settings cannot both be correct.
func contradicts(a, b tegra.Measured) bool { return oddBelow(a, b) || oddBelow(b, a) }

// oddBelow reports whether a, with no knob higher than b's, is too fast or too slow for that.
func oddBelow(a, b tegra.Measured) bool {
	if a.Batch != b.Batch {
		return false
	}
	slowest := slowerBelow * b.TimeMS
	for k := range tegra.NumKnobs {
		lower, upper := a.Mode.Value(tegra.Knob(k)), b.Mode.Value(tegra.Knob(k))
		if lower > upper {
			return false
		}
		slowest *= upper / lower
	}
	sameCPU := a.Mode.Cores == b.Mode.Cores && a.Mode.CPU == b.Mode.CPU
	return a.TimeMS < b.TimeMS/fasterBelow || sameCPU && a.TimeMS > slowest
}

// implausible returns the setting measured last if its first reading contradicts an earlier one: it is measured again,
// unless that failed or its power is far over the limit. The drift check alone measures known settings again.
func (s *search) implausible() (int, bool) {
	last := s.order[len(s.order)-1]
	if s.failed[last] || len(s.readings[last]) > 1 || len(s.fresh(last)) == 0 || !s.limit.harmless(s.mean(last)) {
		return 0, false
	}
	for _, i := range s.order[:len(s.order)-1] {
		if contradicts(s.mean(i), s.mean(last)) {
			return last, true
		}
	}
	return 0, false
}
