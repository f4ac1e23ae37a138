package learn

import (
	"math"

	"jtune/tegra"
)

// Prediction is the expected time and power of a workload in one setting.
type Prediction struct {
	// Measured is the expected measurement: the medians of time and power. The
	// power is NaN where none was measured, and so are its band and LnPowerSD.
	tegra.Measured
	// The Lo and Hi fields are the ends of the 95 % bands for a new measurement.
	TimeLoMS, TimeHiMS float64
	PowerLoW, PowerHiW float64
	// LnTimeSD and LnPowerSD are standard deviations of the logarithms,
	// measurement noise included. The bands are wider than ±1.96 of them when
	// few modes were measured.
	LnTimeSD, LnPowerSD float64
	// Clamped: a network's time or power was no possible value, and the least that it gives replaces it. Such a mode is
	// never chosen.
	Clamped bool
}

// Predictor predicts any modes of a device, in the order they are given.
// Every value is finite and positive, but for the power of a workload
// whose power was not measured.
type Predictor interface {
	Predict(modes []tegra.Mode) []Prediction
}

// MAPE is the mean absolute percentage error of pred against obs in percent (PowerTrain, section 4; docs/method.md,
// Scores). The slices have equal length; NaN when they are empty.
func MAPE(pred, obs []float64) float64 {
	if len(pred) != len(obs) {
		panic("learn: MAPE of slices of different length")
	}
	sum := 0.0
	for i, o := range obs {
		sum += math.Abs(pred[i]-o) / o
	}
	return 100 * sum / float64(len(obs))
}
