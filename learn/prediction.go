package learn

import (
	"math"

	"jtune/tegra"
)

// Prediction is what one power mode is expected to do with the workload.
type Prediction struct {
	Mode  tegra.Mode
	Batch int // samples per minibatch where that is an input; else 0
	// TimeMS is the median expected time of a minibatch; the Lo and Hi fields
	// are the ends of its 95 % band for a new measurement.
	TimeMS, TimeLoMS, TimeHiMS float64
	// PowerW is the median expected power of the module, with its band; NaN,
	// and LnPowerSD too, where power was not measured.
	PowerW, PowerLoW, PowerHiW float64
	// LnTimeSD and LnPowerSD are standard deviations of the logarithms,
	// measurement noise included. The bands are wider than ±1.96 of them when
	// few modes were measured.
	LnTimeSD, LnPowerSD float64
}

// EnergyJ is the energy of a minibatch in joules.
func (p Prediction) EnergyJ() float64 { return p.TimeMS * p.PowerW / 1000 }

// Measured drops the bands.
func (p Prediction) Measured() tegra.Measured {
	return tegra.Measured{Mode: p.Mode, Batch: p.Batch, TimeMS: p.TimeMS, PowerW: p.PowerW}
}

// Predictor predicts any modes of a device, in the order they are given.
// Every value it gives is finite and positive, but for the power of a workload
// whose power was not measured.
type Predictor interface {
	Predict(modes []tegra.Mode) []Prediction
}

// MAPE is the mean absolute percentage error of pred against obs (method note
// e.4), in percent. The slices are of equal length; NaN when they are empty.
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
