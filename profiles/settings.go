package profiles

import (
	"cmp"
	"math"
	"time"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
)

// A server's power varies with each request, so jtune waits a fixed time after a change of mode, until heat and clocks
// are steady. Eight requests of a few seconds hold enough samples.
const (
	serverWait     = 5 * time.Second
	serverRequests = 8
)

// wholeSamples is the interval between power samples of a job of which a whole run is the reading: that may take a
// second.
const wholeSamples = 200 * time.Millisecond

// SettingsFor fills in the defaults for a workload.
func SettingsFor(w workload.Workload, s record.Settings) record.Settings {
	if w.Restarts() {
		s.SampleEvery = cmp.Or(s.SampleEvery, wholeSamples)
	}
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

// steadyBy returns how the start of the counted readings is found: by power, or after a fixed time. change is the
// expected change of power, in logarithms, absent when unknown.
func steadyBy(s record.Settings, change tegra.Val[float64]) telemetry.Steady {
	if s.FixedWait > 0 {
		return telemetry.Steady{
			Window:  1,
			Spread:  math.Inf(1),
			MinWait: s.FixedWait,
			GiveUp:  s.FixedWait + s.SteadyGiveUp,
		}
	}
	wait := (telemetry.SteadyWindow - 1) * s.SampleEvery
	if s.Precision > 0 || s.SampleEvery <= wholeSamples { // samples come faster than power settles
		wait = settlingTime(change)
	}
	return telemetry.Steady{GiveUp: s.SteadyGiveUp, MinWait: wait}
}

// Power follows a change of mode within mostSettling (published: 2 to 3 s). The remaining change falls by a factor of e
// every settlingTau; leftToSettle of the power is lost in a reading's scatter.
const (
	mostSettling  = 3 * time.Second
	leastSettling = time.Second
	settlingTau   = 600 * time.Millisecond
	leftToSettle  = 0.005
)

// settlingTime returns how long power takes to settle after an expected change, in logarithms.
func settlingTime(change tegra.Val[float64]) time.Duration {
	if !change.OK || math.IsNaN(change.V) {
		return mostSettling
	}
	left := math.Abs(math.Expm1(change.V)) / leftToSettle
	return min(max(leastSettling, time.Duration(float64(settlingTau)*math.Log(max(left, 1)))), mostSettling)
}

// request is a mode with the settings of the campaign.
func request(s record.Settings, m tegra.Mode) tegra.Request {
	r := tegra.Request{Mode: m, DVFS: s.DVFS, Fan: tegra.FanMax}
	if s.KeepFan {
		r.Fan = tegra.FanUntouched
	}
	return r
}
