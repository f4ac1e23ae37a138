package optimize

import (
	"math"

	"jtune/learn"
	"jtune/tegra"
)

// Known gives the predictions with those of measured modes replaced by their
// measurements (recipe §7): what is measured needs no model, and no margin.
func Known(preds []learn.Prediction, measured []tegra.Measured) []learn.Prediction {
	at := make(map[learn.Setting]tegra.Measured, len(measured))
	for _, m := range measured {
		at[learn.SettingOf(m)] = m
	}
	out := make([]learn.Prediction, len(preds))
	for i, p := range preds {
		if m, ok := at[learn.Setting{Mode: p.Mode, Batch: p.Batch}]; ok {
			p = MeasuredPrediction(m)
		}
		out[i] = p
	}
	return out
}

// MeasuredPrediction is a measurement as a prediction that leaves nothing to
// doubt: deviations of zero, and NaN for the ends of bands that it has not.
func MeasuredPrediction(m tegra.Measured) learn.Prediction {
	nan := math.NaN()
	return learn.Prediction{Mode: m.Mode, Batch: m.Batch, TimeMS: m.TimeMS, TimeLoMS: nan, TimeHiMS: nan, PowerW: m.PowerW, PowerLoW: nan, PowerHiW: nan}
}
