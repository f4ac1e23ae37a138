package optimize

// Multi-dimensional binary search (summer report §4.2; method note g.2): probe
// the middle of every knob's remaining range; over the power limit drop the
// higher half of one knob, else the lower half, knob by knob in rotation. It
// takes about log2 of the number of modes in probes, assumes that every knob
// alone trades time for power, and has no guarantee. Ours beyond the note: a
// time limit mirrors it (fast enough: drop the higher half), a space that lacks
// the middle mode is asked for its nearest, and a mode that cannot be measured
// counts as over the limit.

import (
	"errors"

	"jtune/tegra"
)

// box is what is left of each knob's list: rungs lo to hi.
type box struct {
	lo, hi [tegra.NumKnobs]int
}

func (b *box) single() bool { return b.lo == b.hi }

func (b *box) middle() [tegra.NumKnobs]int {
	var mid [tegra.NumKnobs]int
	for k := range mid {
		mid[k] = (b.lo[k] + b.hi[k]) / 2
	}
	return mid
}

// binary runs the search up to, not including, the verification.
func (s *search) binary() error {
	if s.limit.PowerW == 0 && s.limit.TimeMS == 0 {
		return errors.New("a binary search needs a power limit or a time limit")
	}
	rotation := s.o.Rotation
	if rotation == nil {
		rotation = []tegra.Knob{tegra.KnobGPU, tegra.KnobCPU, tegra.KnobEMC, tegra.KnobCores}
	}
	if err := checkRotation(rotation); err != nil {
		return err
	}
	ladder := newLadder(s.o.Space)
	var b box
	for k, list := range ladder {
		b.hi[k] = len(list) - 1
	}
	for turn := 0; !b.single(); turn++ {
		k := rotation[turn%len(rotation)]
		if b.lo[k] == b.hi[k] {
			continue
		}
		mid := b.middle()
		raise, ok := s.tooLow(&ladder, mid)
		if !ok {
			return nil
		}
		if raise {
			b.lo[k] = mid[k] + 1
		} else {
			b.hi[k] = mid[k]
		}
	}
	if _, ok := s.tooLow(&ladder, b.lo); ok {
		s.ended = Converged
	}
	return nil
}

func checkRotation(rotation []tegra.Knob) error {
	var seen [tegra.NumKnobs]bool
	for _, k := range rotation {
		if k < 0 || k >= tegra.NumKnobs || seen[k] {
			return errors.New("the rotation of a binary search names every knob once")
		}
		seen[k] = true
	}
	if len(rotation) != int(tegra.NumKnobs) {
		return errors.New("the rotation of a binary search names every knob once")
	}
	return nil
}

// tooLow measures the mode at these rungs, unless it was, and tells whether
// better modes lie higher; false when the search is over.
func (s *search) tooLow(l *ladder, rungs [tegra.NumKnobs]int) (raise, ok bool) {
	i := s.nearestMember(l, rungs)
	if len(s.readings[i]) == 0 && !s.failed[i] {
		why := Improve
		if len(s.probes) == 0 {
			why = Start
		}
		if !s.mayGoOn() || !s.probe(i, why) {
			return false, false
		}
	}
	if s.failed[i] {
		return false, true
	}
	m := s.mean(i)
	switch {
	case s.limit.PowerW > 0 && m.PowerW > s.limit.PowerW:
		return false, true
	case s.limit.TimeMS > 0:
		return m.TimeMS > s.limit.TimeMS, true
	}
	return true, true
}

// nearestMember is the mode at these rungs, or the one fewest steps away.
func (s *search) nearestMember(l *ladder, rungs [tegra.NumKnobs]int) int {
	mode := tegra.Mode{Cores: s.o.Space.Cores[rungs[tegra.KnobCores]], CPU: s.o.Space.CPU[rungs[tegra.KnobCPU]],
		GPU: s.o.Space.GPU[rungs[tegra.KnobGPU]], EMC: s.o.Space.EMC[rungs[tegra.KnobEMC]]}
	if i, ok := s.o.Space.Index(mode); ok {
		return i
	}
	nearest := newArgmax()
	for i, m := range s.o.Space.All() {
		steps := 0.0
		for k, r := range l.rungs(m) {
			d := l.level(tegra.Knob(k), r) - l.level(tegra.Knob(k), rungs[k])
			steps += d * d
		}
		nearest.offer(i, -steps, 0)
	}
	return nearest.index
}
