package tegra

import "fmt"

// What a measurement on a Jetson can be, with room to spare: modules draw between a few hundred
// milliwatts and 130 W, a minibatch takes microseconds to minutes, and some published files hold
// whole epochs of two hours as times.
const (
	leastPlausibleMS = 1e-3
	mostPlausibleMS  = 1e8 // a day
	leastPlausibleW  = 0.05
	mostPlausibleW   = 1000
)

// Plausible returns an error that names the likely cause when the time or the power cannot have
// been measured on a Jetson. A power that is absent (NaN) is none. Every file's rows pass here.
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
