package learn

import (
	"fmt"
	"math"
	"slices"

	"jtune/tegra"
)

// Values outside these bounds are errors of units or parsing: no minibatch takes a nanosecond or a month, no module
// draws 10 kW.
const (
	leastTimeMS, mostTimeMS = 1e-6, 1e9
	leastPowerW, mostPowerW = 1e-3, 1e4
)

// hasPower reports whether power was measured. checkPower ensures that all samples have power or none has.
func hasPower(samples []tegra.Measured) bool {
	return slices.ContainsFunc(samples, tegra.Measured.HasPower)
}

// checkPower returns an error if only some samples have power.
func checkPower(samples []tegra.Measured) error {
	with := 0
	for _, m := range samples {
		if m.HasPower() {
			with++
		}
	}
	if with != 0 && with != len(samples) {
		return fmt.Errorf("%d of %d measured modes have no power: leave these out, or the power of all",
			len(samples)-with, len(samples))
	}
	return nil
}

// checkSample returns an error for a measurement that cannot be fitted. Power may be missing.
func checkSample(space *tegra.Space, m tegra.Measured) error {
	if !space.Contains(m.Mode) {
		return fmt.Errorf("power mode %s is not one of the %d modes of this device; fit with the space of the "+
			"device it was measured on",
			m.Mode, space.Len())
	}
	if !inside(m.TimeMS, leastTimeMS, mostTimeMS) {
		return fmt.Errorf("power mode %s has a time of %g ms; want %g to %g",
			space.Format(m.Mode), m.TimeMS, leastTimeMS, mostTimeMS)
	}
	if m.HasPower() && !inside(m.PowerW, leastPowerW, mostPowerW) {
		return fmt.Errorf("power mode %s has a power of %g W; want %g to %g",
			space.Format(m.Mode), m.PowerW, leastPowerW, mostPowerW)
	}
	return nil
}

// Possible reports whether a minibatch can have this time and power. Power may be missing.
func Possible(m tegra.Measured) bool {
	return inside(m.TimeMS, leastTimeMS, mostTimeMS) && (!m.HasPower() || inside(m.PowerW, leastPowerW, mostPowerW))
}

func inside(v, least, most float64) bool { return !math.IsNaN(v) && v >= least && v <= most }

// listed reports whether every knob of m has a value that the space lists.
func listed(space *tegra.Space, m tegra.Mode) bool {
	return slices.Contains(space.Cores, m.Cores) && slices.Contains(space.CPU, m.CPU) &&
		slices.Contains(space.GPU, m.GPU) && slices.Contains(space.EMC, m.EMC)
}
