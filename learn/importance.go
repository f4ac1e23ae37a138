package learn

import (
	"math"
	"slices"

	"jtune/tegra"
)

// KnobEffect is the effect of one knob on a workload.
type KnobEffect struct {
	Knob tegra.Knob
	// TimeX and PowerX are the ratios of largest to smallest predicted value while only this knob varies; 1: no effect.
	// PowerX is NaN for a model of time alone.
	TimeX, PowerX float64
}

// Importance returns the effect of each knob around one mode, usually the chosen one. It varies one knob at a time over
// the listed values within octaves of near's, and at least the next value on either side; math.Inf(1) takes
// all, where the lowest values dominate. Effects are ratios of medians. Two knobs that help only together both look
// small.
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

// within returns the values (ascending) at most octaves from v, and at least the neighbours of v.
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
