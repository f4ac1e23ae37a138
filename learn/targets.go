package learn

import (
	"context"
	"math"

	"jtune/tegra"
)

// target predicts one quantity, time or power, without error bars.
type target interface {
	at(modes []tegra.Mode) []float64
}

// targets is a baseline's two predictors; power is nil where none was
// measured.
type targets struct{ time, power target }

// fitTarget learns one quantity of the given modes; all its values are
// positive. Time and power have different seeds.
type fitTarget func(ctx context.Context, modes []tegra.Mode, y []float64, seed uint64) (target, error)

// fitTargets learns time, then power by itself.
func fitTargets(ctx context.Context, samples []tegra.Measured, seed uint64, fit fitTarget) (*targets, error) {
	modes := modesIn(settingsOf(samples))
	timeMS, powerW := make([]float64, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		timeMS[i], powerW[i] = s.TimeMS, s.PowerW
	}
	var t targets
	var err error
	if t.time, err = fit(ctx, modes, timeMS, seed); err != nil || !hasPower(samples) {
		return &t, err
	}
	t.power, err = fit(ctx, modes, powerW, seed+1)
	return &t, err
}

// banded puts error bars around predictions that have none: the spread of ln
// errors on modes left out.
type banded struct {
	*targets
	timeSD  float64 // of ln time
	powerSD float64 // NaN where power was not measured
	dof     int
}

func (b *banded) Predict(modes []tegra.Mode) []Prediction {
	t := studentQuantile(0.95, b.dof)
	timeMS := b.time.at(modes)
	var powerW []float64
	if b.power != nil {
		powerW = b.power.at(modes)
	}
	out := make([]Prediction, len(modes))
	for i, m := range modes {
		lnPower := math.NaN()
		if powerW != nil {
			lnPower = math.Log(clampTo(powerW[i], leastPowerW, mostPowerW))
		}
		out[i] = logBands(m, math.Log(clampTo(timeMS[i], leastTimeMS, mostTimeMS)), b.timeSD, t, lnPower, b.powerSD, t)
	}
	return out
}

// clampTo keeps v within bounds; what is not a number becomes the lower one.
func clampTo(v, least, most float64) float64 {
	if !(v > least) {
		return least
	}
	return min(v, most)
}

// lowest is where straight lines and small networks, which may fall below zero
// where no time or power can, are cut off: half the least measured value.
func lowest(y []float64) float64 {
	least := math.Inf(1)
	for _, v := range y {
		least = min(least, v/2)
	}
	return least
}
