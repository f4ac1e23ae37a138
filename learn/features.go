package learn

import (
	"math"

	"jtune/learn/internal/parallel"
	"jtune/tegra"
)

// point is the features of a setting: octaves below the device's largest value of
// each knob, so values are ≤ 0 inside the space, and last the batch size's, 0 where
// that is not an input.
type point = [batchInput + 1]float64

const batchInput = int(tegra.NumKnobs)

// scale turns modes into points.
type scale struct {
	least     [tegra.NumKnobs]float64 // smallest listed values
	log2Max   [tegra.NumKnobs]float64
	log2Batch float64 // of the largest batch size
}

func newScale(space *tegra.Space) scale {
	var s scale
	for k := range tegra.NumKnobs {
		values := space.Values(k)
		s.least[k] = values[0]
		s.log2Max[k] = math.Log2(values[len(values)-1])
	}
	return s
}

// maxOctavesAbove and maxOctavesBelow bound how far outside the space a mode is taken unchanged; the mean functions
// mean nothing out there.
const (
	maxOctavesAbove = 2
	maxOctavesBelow = 12
)

func (s scale) point(m tegra.Mode) point {
	var x point
	for k := range tegra.NumKnobs {
		x[k] = s.octaves(k, m.Value(k))
	}
	return x
}

func (s scale) octaves(k tegra.Knob, v float64) float64 {
	if !(v > 0) {
		v = s.least[k]
	}
	return min(max(math.Log2(v)-s.log2Max[k], -maxOctavesBelow), maxOctavesAbove)
}

func (s scale) points(modes []tegra.Mode) []point {
	out := make([]point, len(modes))
	for i, m := range modes {
		out[i] = s.point(m)
	}
	return out
}

// settings are points with the batch size as their last input, where it is one.
func (s scale) settings(list []tegra.Setting) []point {
	out := make([]point, len(list))
	parallel.Ranges(len(list), func(from, to int) { s.among(list, from, to, out) })
	return out
}

// among writes the points of the settings from ≤ i < to.
func (s scale) among(list []tegra.Setting, from, to int, out []point) {
	for i := from; i < to; i++ {
		a := list[i]
		for k := range tegra.NumKnobs {
			if v := a.Mode.Value(k); i > from && v == list[i-1].Mode.Value(k) { // as in most of a space's modes
				out[i][k] = out[i-1][k]
			} else {
				out[i][k] = s.octaves(k, v)
			}
		}
		if a.Batch > 0 {
			out[i][batchInput] = max(math.Log2(float64(a.Batch))-s.log2Batch, -mostBatchOctaves)
		}
	}
}
