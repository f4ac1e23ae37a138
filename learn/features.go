package learn

import (
	"math"

	"jtune/learn/internal/parallel"
	"jtune/tegra"
)

// point holds the inputs of a setting: octaves below the device's largest value of each knob, so ≤ 0 inside the space,
// and last the batch size's octaves.
type point = [batchInput + 1]float64

const (
	gpuInput   = int(tegra.KnobGPU)
	batchInput = int(tegra.NumKnobs)
)

// scale converts modes to points.
type scale struct {
	least     [tegra.NumKnobs]float64 // smallest listed values
	log2Max   [tegra.NumKnobs]float64
	log2Batch float64 // largest batch size
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

// maxOctavesAbove and maxOctavesBelow limit how far outside the space a mode is used unchanged; the mean functions are
// meaningless beyond.
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

// log2Batch returns the octaves of a batch size above a single sample.
func log2Batch(size int) float64 { return math.Log2(float64(max(1, size))) }

// settings returns points, with the batch size as the last input.
func (s scale) settings(list []tegra.Setting) []point {
	out := make([]point, len(list))
	parallel.Ranges(len(list), func(from, to int) { s.write(list, from, to, out) })
	return out
}

// lookBack is the number of earlier settings in which write looks for a value: a space lists them in turn.
const lookBack = 4

// write writes the points of settings from ≤ i < to.
func (s scale) write(list []tegra.Setting, from, to int, out []point) {
	for i := from; i < to; i++ {
		a := list[i]
		for k := range tegra.NumKnobs {
			v, j := a.Mode.Value(k), i-1
			for j >= max(from, i-lookBack) && list[j].Mode.Value(k) != v {
				j--
			}
			if j >= max(from, i-lookBack) {
				out[i][k] = out[j][k]
			} else {
				out[i][k] = s.octaves(k, v)
			}
		}
		out[i][batchInput] = max(log2Batch(a.Batch)-s.log2Batch, -mostBatchOctaves)
	}
}
