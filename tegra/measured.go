package tegra

import "math"

// Measured is the measured time and power of a workload in one setting.
type Measured struct {
	Setting
	TimeMS float64 // per minibatch, median of the clean minibatches
	PowerW float64 // module, median of the valid samples of those minibatches; NaN if power was not measured
}

// HasPower reports whether power was measured.
func (m Measured) HasPower() bool { return !math.IsNaN(m.PowerW) }

// EnergyJ returns the energy per minibatch in joules; NaN without power.
func (m Measured) EnergyJ() float64 { return m.TimeMS * m.PowerW / 1000 }

// SampleMS returns the time per sample, by which settings of several batch sizes are compared; the time per minibatch
// if there is no batch size.
func (m Measured) SampleMS() float64 { return m.TimeMS / float64(max(1, m.Batch)) }

// SampleJ returns the energy per sample; the energy per minibatch if there is no batch size.
func (m Measured) SampleJ() float64 { return m.EnergyJ() / float64(max(1, m.Batch)) }
