package learn

import (
	"math"
	"slices"

	"jtune/tegra"
)

// KnobEffect is what one knob alone does to a workload.
type KnobEffect struct {
	Knob tegra.Knob
	// TimeX and PowerX are the largest over the smallest predicted value while
	// the knob walks and the others stand still; 1 for a knob without effect. PowerX
	// is NaN for a model of time alone, and its share 0.
	TimeX, PowerX float64
	// TimeShare and PowerShare are ln of these over their sum for all four
	// knobs: 0 to 1, together 1, or all 0 when no knob changes anything.
	TimeShare, PowerShare float64
}

// Importance tells which knob matters for a workload around one mode, usually
// the chosen one: each knob walks alone through the settings that the space
// lists within so many octaves of its place in near, and the next beyond on
// either side; math.Inf(1) walks all, where the lowest settings decide. It
// speaks of medians, and of the knobs one by one: two that only help together
// both look small.
func Importance(p Predictor, space *tegra.Space, near tegra.Mode, octaves float64) [tegra.NumKnobs]KnobEffect {
	var out [tegra.NumKnobs]KnobEffect
	var time, power float64
	for k := range tegra.NumKnobs {
		var walk []tegra.Mode
		for _, v := range within(space.Values(k), near.Value(k), octaves) {
			walk = append(walk, turned(near, k, v))
		}
		lo := Prediction{TimeMS: math.Inf(1), PowerW: math.Inf(1)}
		var hi Prediction
		for _, q := range p.Predict(walk) {
			lo.TimeMS, hi.TimeMS = min(lo.TimeMS, q.TimeMS), max(hi.TimeMS, q.TimeMS)
			lo.PowerW, hi.PowerW = min(lo.PowerW, q.PowerW), max(hi.PowerW, q.PowerW)
		}
		out[k] = KnobEffect{Knob: k, TimeX: hi.TimeMS / lo.TimeMS, PowerX: hi.PowerW / lo.PowerW}
		time, power = time+math.Log(out[k].TimeX), power+math.Log(out[k].PowerX)
	}
	for k := range out {
		if time > 0 {
			out[k].TimeShare = math.Log(out[k].TimeX) / time
		}
		if power > 0 {
			out[k].PowerShare = math.Log(out[k].PowerX) / power
		}
	}
	return out
}

// within keeps of ascending values those at most so many octaves from v, and at
// least the neighbours of v.
func within(values []float64, v, octaves float64) []float64 {
	from, to := len(values), 0
	for i, w := range values {
		if math.Abs(math.Log2(w/v)) <= octaves {
			from, to = min(from, i), max(to, i+1)
		}
	}
	place, _ := slices.BinarySearch(values, v)
	from = min(from, max(place-1, 0))
	if place < len(values) && values[place] == v {
		place++
	}
	return values[from:max(to, min(place+1, len(values)))]
}

// turned is a mode with one knob set to v, in the units of Mode.Value.
func turned(m tegra.Mode, k tegra.Knob, v float64) tegra.Mode {
	switch k {
	case tegra.KnobCores:
		m.Cores = int(v)
	case tegra.KnobCPU:
		m.CPU = tegra.Freq(v)
	case tegra.KnobGPU:
		m.GPU = tegra.Freq(v)
	case tegra.KnobEMC:
		m.EMC = tegra.Freq(v)
	}
	return m
}
