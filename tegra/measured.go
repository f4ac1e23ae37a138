package tegra

import "math"

// Measured is what one power mode did with one workload.
type Measured struct {
	Mode   Mode
	Batch  int     // samples per minibatch where that is an input beside the mode; 0 where it is none
	TimeMS float64 // per minibatch, median of the clean minibatches
	PowerW float64 // module, median of the valid samples of those minibatches; NaN where power was not measured
}

// HasPower tells whether power was measured.
func (m Measured) HasPower() bool { return !math.IsNaN(m.PowerW) }

// EnergyJ is the energy of a minibatch in joules; NaN without power.
func (m Measured) EnergyJ() float64 { return m.TimeMS * m.PowerW / 1000 }
