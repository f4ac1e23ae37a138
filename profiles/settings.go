package profiles

import (
	"math"
	"time"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
)

// A server's power goes up and down with each request, which is not waited for to be steady: after a change of mode
// its heat and clocks are. Eight requests of a few seconds hold enough samples.
const (
	serverWait     = 5 * time.Second
	serverRequests = 8
)

// SettingsFor fills in the defaults for a workload.
func SettingsFor(w workload.Workload, s record.Settings) record.Settings {
	if w.Serves() {
		if s.Minibatches <= 0 {
			s.Minibatches = serverRequests
		}
		if s.FixedWait <= 0 {
			s.FixedWait = serverWait
		}
	}
	return s.WithDefaults()
}

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
