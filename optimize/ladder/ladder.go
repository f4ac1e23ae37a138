// Package ladder locates settings in the ascending lists of each knob's values, for searches that halve these lists:
// the binary search, and searches for a mix.
package ladder

import (
	"math"
	"slices"

	"jtune/tegra"
)

// BatchKnob is the batch size as a knob of a binary search.
const BatchKnob = tegra.NumKnobs

// Rungs holds an index in each knob's list of values and, last, in the list of batch sizes.
type Rungs [BatchKnob + 1]int

// Ladder is the ascending list of each knob's settings.
type Ladder [tegra.NumKnobs][]float64

// New lists the values of a space.
func New(s *tegra.Space) Ladder {
	var l Ladder
	for k := range tegra.NumKnobs {
		l[k] = s.Values(k)
	}
	return l
}

// Whole returns the full range, with that many batch sizes.
func (l *Ladder) Whole(sizes int) (b Box) {
	for k, list := range l {
		b.Hi[k] = len(list) - 1
	}
	b.Hi[BatchKnob] = sizes - 1
	return b
}

// Rungs returns the index of each knob of a listed mode, from 0.
func (l *Ladder) Rungs(m tegra.Mode) [tegra.NumKnobs]int {
	var out [tegra.NumKnobs]int
	for k, list := range l {
		out[k], _ = slices.BinarySearch(list, m.Value(tegra.Knob(k)))
	}
	return out
}

// Level scales a rung to 0..1; 0 for a list of one value.
func (l *Ladder) Level(k tegra.Knob, rung int) float64 {
	return float64(rung) / float64(max(1, len(l[k])-1))
}

// Nearest returns the index among places of the setting at these rungs or, if it is absent, of the one fewest steps
// away; -1 if all are absent.
func (l *Ladder) Nearest(at Rungs, places tegra.Places, absent map[int]bool) int {
	var values [tegra.NumKnobs]int64
	for k := range values {
		values[k] = int64(l[k][at[k]])
	}
	sizes := places.Batches
	setting := tegra.Setting{Mode: tegra.ModeOfValues(values), Batch: sizes[at[BatchKnob]]}
	if i, ok := places.Index(setting); ok && !absent[i] {
		return i
	}
	nearest, least := -1, math.Inf(1)
	for i, a := range places.All() {
		if absent[i] {
			continue
		}
		steps := 0.0
		for k, r := range l.Rungs(a.Mode) {
			d := l.Level(tegra.Knob(k), r) - l.Level(tegra.Knob(k), at[k])
			steps += d * d
		}
		r, _ := slices.BinarySearch(sizes, a.Batch)
		d := float64(r-at[BatchKnob]) / float64(max(1, len(sizes)-1))
		steps += d * d
		if steps < least {
			nearest, least = i, steps
		}
	}
	return nearest
}
