package learn

import (
	"math"
	"slices"

	"jtune/tegra"
)

// KnobEffect is what one knob alone does to a workload.
type KnobEffect struct {
	Knob tegra.Knob
	// TimeX and PowerX are the largest over the smallest predicted value while the
	// knob varies and the others are fixed; 1 for a knob without effect. PowerX
	// is NaN for a model of time alone.
	TimeX, PowerX float64
}

// Importance returns the effect of each knob around one mode, usually the chosen one. Each knob varies alone through
// the values that the space lists within that many octaves of its value in near, and the next beyond on either side;
// math.Inf(1) takes all, where the lowest values decide. Effects are ratios of medians, knob by knob: two knobs that
// only help together both look small.
func Importance(p Predictor, space *tegra.Space, near tegra.Mode, octaves float64) [tegra.NumKnobs]KnobEffect {
	var out [tegra.NumKnobs]KnobEffect
	for k := range tegra.NumKnobs {
		var varied []tegra.Mode
		for _, v := range within(space.Values(k), near.Value(k), octaves) {
			turned := near.Values()
			turned[k] = int64(v)
			varied = append(varied, tegra.ModeOfValues(turned))
		}
		lo := Prediction{Measured: tegra.Measured{TimeMS: math.Inf(1), PowerW: math.Inf(1)}}
		var hi Prediction
		for _, q := range p.Predict(varied) {
			lo.TimeMS, hi.TimeMS = min(lo.TimeMS, q.TimeMS), max(hi.TimeMS, q.TimeMS)
			lo.PowerW, hi.PowerW = min(lo.PowerW, q.PowerW), max(hi.PowerW, q.PowerW)
		}
		out[k] = KnobEffect{Knob: k, TimeX: hi.TimeMS / lo.TimeMS, PowerX: hi.PowerW / lo.PowerW}
	}
	return out
}

// within keeps of ascending values those at most that many octaves from v, and at least the neighbours of v.
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
