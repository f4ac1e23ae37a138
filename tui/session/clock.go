package session

import (
	"math"

	"jtune/profiles/record"
	"jtune/tegra"
)

// ClockOff is a locked clock that does not run at its set frequency.
type ClockOff struct {
	Name        string // "GPU"
	Actual, Set tegra.Freq
	Why         string
}

// SlowClock returns the first locked clock that does not run as set, and why; false if all do. Free clocks are
// ignored.
func SlowClock(r tegra.Reading) (ClockOff, bool) {
	if !r.Locked.Or(false) {
		return ClockOff{}, false
	}
	for _, c := range []struct {
		name string
		tegra.ClockReading
	}{{"CPU", r.CPU}, {"GPU", r.GPU}, {"EMC", r.EMC}} {
		off := math.Abs(c.Actual.V.GHz() - c.Max.V.GHz())
		if !c.Actual.OK || !c.Max.OK || off <= record.MissetTolerance*c.Max.V.GHz() {
			continue
		}
		found := ClockOff{c.name, c.Actual.V, c.Max.V, "cause unknown"}
		switch {
		case r.Heat.Or(false):
			found.Why = "thermal throttling"
		case r.Throttled.Or(false):
			found.Why = "throttled"
		case c.Cap.OK && c.Cap.V < c.Max.V:
			found.Why = "capped"
		}
		return found, true
	}
	return ClockOff{}, false
}
