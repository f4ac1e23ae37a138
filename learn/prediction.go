package learn

import (
	"math"

	"jtune/tegra"
)

// Prediction is the expected time and power of a workload in one setting.
type Prediction struct {
	// Measured holds the predicted medians of time and power. Without measured power, PowerW, its band and LnPowerSD
	// are NaN.
	tegra.Measured
	// The Lo and Hi fields are the ends of the 95 % bands for a new measurement.
	TimeLoMS, TimeHiMS float64
	PowerLoW, PowerHiW float64
	// LnTimeSD and LnPowerSD are standard deviations of the logarithms, measurement noise included. With few measured
	// modes the bands are wider than ±1.96 of them.
	LnTimeSD, LnPowerSD float64
	// Clamped marks an impossible time or power that was replaced by the smallest possible value. Such a mode is never
	// chosen.
	Clamped bool
}

// Predictor predicts any modes of a device, in the given order. Every value is finite and positive, except the power of
// a workload without measured power.
type Predictor interface {
	Predict(modes []tegra.Mode) []Prediction
}

// MAPE is the mean absolute percentage error of pred against obs in percent (PowerTrain, section 4; docs/method.md,
// Scores). The slices have equal length; NaN if they are empty.
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
