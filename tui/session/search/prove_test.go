package search

import (
	"testing"

	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry/hold"
	"jtune/tui/session/answers"
)

// A soak that held, or broke the limit in °C, decides it; any other says nothing of the temperature.
func TestDecideFollowsTheSoak(t *testing.T) {
	t.Parallel()
	limit, _ := metric.Temperature.Max(60).On(metric.Temperature)
	steady := func(c float64) hold.Steady {
		return hold.Steady{TjC: tegra.Some(c), LoC: tegra.Some(c - 1), HiC: tegra.Some(c + 1)}
	}
	peak := func(c float64) hold.Peak { return hold.Peak{TjC: tegra.Some(c)} }
	for name, c := range map[string]struct {
		verdict  hold.Verdict
		soak     hold.State
		feasible bool
		state    standing.State
		at       float64 // 0: as predicted
	}{
		"well within": {hold.Holds, hold.State{Steady: steady(55)}, true, standing.Measured, 55},
		"close below": {hold.Holds, hold.State{Steady: steady(59.7)}, true, standing.Doubtful, 59.7},
		"above":       {hold.DoesNotHold, hold.State{Steady: steady(75), Peak: peak(60.5)}, false, standing.Over, 60.5},
		"ended hot":   {hold.DoesNotHold, hold.State{Peak: peak(60.5)}, false, standing.Over, 60.5},
		"not read":    {hold.Holds, hold.State{}, true, standing.Likely, 0},
		"interrupted": {hold.NotSeen, hold.State{Peak: peak(45)}, true, standing.Likely, 0},
		"throttled":   {hold.DoesNotHold, hold.State{Steady: steady(55)}, true, standing.Likely, 0},
	} {
		a := answers.Answer{Limit: metric.Within(metric.Temperature.Max(60)), Feasible: true,
			Soak:     &hold.Result{Verdict: c.verdict, State: c.soak},
			Standing: standing.Standing{State: standing.Likely, N: 2}}
		a.Reading.N = 2
		decide(&a, 0, limit)
		if at := a.Reading.Value("temperature", "").V; a.Feasible != c.feasible || a.Standing.State != c.state ||
			at != c.at {
			t.Errorf("%s: feasible %v, %v at %g °C", name, a.Feasible, a.Standing.State, at)
		}
	}
}
