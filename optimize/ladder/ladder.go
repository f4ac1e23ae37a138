// Package ladder places settings in the ascending lists of each knob's values, for searches that halve these lists: a
// binary search, and those for a mix.
package ladder

import (
	"math"
	"slices"

	"jtune/tegra"
)

// BatchKnob stands for the batch size in the turns of a binary search.
const BatchKnob = tegra.NumKnobs

// Rungs is a place in each knob's list of values and, last, in that of the batch
// sizes.
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

// Whole is all that there is, with that many batch sizes; 0: the size is no knob.
func (l *Ladder) Whole(sizes int) (b Box) {
	for k, list := range l {
		b.Hi[k] = len(list) - 1
	}
	b.Hi[BatchKnob] = max(1, sizes) - 1
	return b
}

// Rungs is the place of each knob of a listed mode in its list, from 0.
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

// Nearest is the setting at these rungs or, where it is none that can be measured, the one fewest steps away: its index
// among the places; -1 where all are absent.
func (l *Ladder) Nearest(at Rungs, places tegra.Places, absent map[int]bool) int {
	var values [tegra.NumKnobs]int64
	for k := range values {
		values[k] = int64(l[k][at[k]])
	}
	setting := tegra.Setting{Mode: tegra.ModeOfValues(values)}
	sizes := places.Batches
	if sizes != nil {
		setting.Batch = sizes[at[BatchKnob]]
	}
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
		if sizes != nil {
			r, _ := slices.BinarySearch(sizes, a.Batch)
			d := float64(r-at[BatchKnob]) / float64(max(1, len(sizes)-1))
			steps += d * d
		}
		if steps < least {
			nearest, least = i, steps
		}
	}
	return nearest
}
