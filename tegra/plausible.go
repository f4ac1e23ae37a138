package tegra

import "fmt"

// Plausible ranges of a measurement on a Jetson, with ample margin: modules draw between a few hundred milliwatts and
// 130 W, and a minibatch takes microseconds to minutes. Some published files hold epochs of two hours as times.
const (
	leastPlausibleMS = 1e-3
	mostPlausibleMS  = 1e8 // about a day
	leastPlausibleW  = 0.05
	mostPlausibleW   = 1000
)

// Plausible returns an error with the likely cause if time or power cannot come from a Jetson. Absent power (NaN)
// passes. Rows of every file are checked.
func (m Measured) Plausible() error {
	switch {
	case m.TimeMS < leastPlausibleMS:
		return fmt.Errorf("time_ms is %g: too short for a minibatch; are the times seconds?", m.TimeMS)
	case m.TimeMS > mostPlausibleMS:
		return fmt.Errorf("time_ms is %g: more than a day; are the times microseconds?", m.TimeMS)
	case m.PowerW < leastPlausibleW:
		return fmt.Errorf("power_w is %g: too little for a Jetson; is the power in kW?", m.PowerW)
	case m.PowerW > mostPlausibleW:
		return fmt.Errorf("power_w is %g: too much for a Jetson; is the power in mW?", m.PowerW)
	}
	return nil
}
