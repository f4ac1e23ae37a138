package learn

import (
	"math"

	"jtune/learn/baseline"
	"jtune/tegra"
)

// banded adds error bars to a baseline's predictions from the spread of ln errors on held-out modes.
type banded struct {
	*baseline.Pair
	timeSD  float64 // of ln time
	powerSD float64 // NaN where power was not measured
	dof     int
}

func (b *banded) Predict(modes []tegra.Mode) []Prediction {
	t := studentQuantile(0.95, b.dof)
	timeMS := b.Time.At(modes)
	var powerW []float64
	if b.Power != nil {
		powerW = b.Power.At(modes)
	}
	out := make([]Prediction, len(modes))
	for i, m := range modes {
		lnPower := math.NaN()
		if powerW != nil {
			lnPower = math.Log(clampTo(powerW[i], leastPowerW, mostPowerW))
		}
		lnTime := math.Log(clampTo(timeMS[i], leastTimeMS, mostTimeMS))
		out[i] = logBands(m, lnTime, b.timeSD, t, lnPower, b.powerSD, t)
		out[i].Clamped = clamps(b.Time, timeMS[i]) || powerW != nil && clamps(b.Power, powerW[i])
	}
	return out
}

// clamps reports whether a baseline's value v is impossible and is replaced.
func clamps(of baseline.Predictor, v float64) bool {
	n, ok := of.(interface{ Clamps(v float64) bool })
	return ok && n.Clamps(v)
}

// clampTo limits v to the bounds; NaN becomes the lower one.
func clampTo(v, least, most float64) float64 {
	if !(v > least) {
		return least
	}
	return min(v, most)
}
