package optimize

import (
	"math"
	"slices"

	"jtune/learn"
	"jtune/tegra"
)

// Known replaces the predictions of measured settings by their measurements, which need no model and no margin.
func Known(preds []learn.Prediction, measured []tegra.Measured) []learn.Prediction {
	at := make(map[tegra.Setting]tegra.Measured, len(measured))
	for _, m := range measured {
		at[m.Setting] = m
	}
	out := slices.Clone(preds)
	for i := range out {
		if m, ok := at[out[i].Setting]; ok {
			out[i] = MeasuredPrediction(m)
		}
	}
	return out
}

// MeasuredPrediction returns a measurement as a prediction without uncertainty: zero deviations, and NaN for the ends
// of bands.
func MeasuredPrediction(m tegra.Measured) learn.Prediction {
	nan := math.NaN()
	return learn.Prediction{Measured: m, TimeLoMS: nan, TimeHiMS: nan, PowerLoW: nan, PowerHiW: nan}
}
