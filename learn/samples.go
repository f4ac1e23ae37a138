package learn

import (
	"fmt"
	"math"
	"slices"

	"jtune/tegra"
)

// Values outside these are mistakes of units or of parsing: no minibatch
// takes a nanosecond or a month, no module 10 kW.
const (
	leastTimeMS, mostTimeMS = 1e-6, 1e9
	leastPowerW, mostPowerW = 1e-3, 1e4
)

// checkSample tells why a measured mode cannot be learned from.
func checkSample(space *tegra.Space, m tegra.Measured) error {
	if !space.Contains(m.Mode) {
		return fmt.Errorf("power mode %s is not one of the %d modes of this device; fit with the space of the device it was measured on", m.Mode, space.Len())
	}
	if !inside(m.TimeMS, leastTimeMS, mostTimeMS) {
		return fmt.Errorf("power mode %s has a time of %g ms; want a positive number of milliseconds", space.Format(m.Mode), m.TimeMS)
	}
	if !inside(m.PowerW, leastPowerW, mostPowerW) {
		return fmt.Errorf("power mode %s has a power of %g W; want a positive number of watts", space.Format(m.Mode), m.PowerW)
	}
	return nil
}

func inside(v, least, most float64) bool { return !math.IsNaN(v) && v >= least && v <= most }

// listed tells whether every knob of m has a value that the space lists.
func listed(space *tegra.Space, m tegra.Mode) bool {
	return slices.Contains(space.Cores, m.Cores) && slices.Contains(space.CPU, m.CPU) && slices.Contains(space.GPU, m.GPU) && slices.Contains(space.EMC, m.EMC)
}
