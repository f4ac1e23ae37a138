package profiles

import (
	"math"

	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
)

// steadyBy is how the beginning of what counts is found: by the power, or after
// a fixed time.
func steadyBy(s record.Settings) telemetry.Steady {
	if s.FixedWait > 0 {
		return telemetry.Steady{
			Window:  1,
			Spread:  math.Inf(1),
			MinWait: s.FixedWait,
			GiveUp:  s.FixedWait + s.SteadyGiveUp,
		}
	}
	return telemetry.Steady{GiveUp: s.SteadyGiveUp}
}

// request is a mode with the settings of the campaign.
func request(s record.Settings, m tegra.Mode) tegra.Request {
	r := tegra.Request{Mode: m, DVFS: s.DVFS, Fan: tegra.FanMax}
	if s.KeepFan {
		r.Fan = tegra.FanUntouched
	}
	return r
}
