package tegra

import "math"

// Measured is what a workload did in one setting.
type Measured struct {
	Setting
	TimeMS float64 // per minibatch, median of the clean minibatches
	PowerW float64 // module, median of the valid samples of those minibatches; NaN where power was not measured
}

// HasPower reports whether power was measured.
func (m Measured) HasPower() bool { return !math.IsNaN(m.PowerW) }

// EnergyJ is the energy of a minibatch in joules; NaN without power.
func (m Measured) EnergyJ() float64 { return m.TimeMS * m.PowerW / 1000 }

// SampleMS is the time per sample where the batch size is an input, which decides
// what is faster. Else it is the time of a minibatch.
func (m Measured) SampleMS() float64 { return m.TimeMS / float64(max(1, m.Batch)) }

// SampleJ is the energy per sample, as SampleMS is the time.
func (m Measured) SampleJ() float64 { return m.EnergyJ() / float64(max(1, m.Batch)) }
