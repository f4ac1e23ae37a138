package session

import (
	"testing"

	"jtune/tegra"
)

func TestSlowClockNamesTheLockedClockThatLags(t *testing.T) {
	clock := func(actual, asked, most tegra.Freq) tegra.ClockReading {
		return tegra.ClockReading{Actual: tegra.Some(actual), Max: tegra.Some(asked), Cap: tegra.Some(most)}
	}
	full := clock(tegra.GHz, tegra.GHz, tegra.GHz)
	slow := clock(tegra.GHz/2, tegra.GHz, tegra.GHz)
	locked := tegra.Some(true)
	for name, c := range map[string]struct {
		r    tegra.Reading
		want string
	}{
		"all run as asked":    {tegra.Reading{Locked: locked, CPU: full, GPU: full}, ""},
		"a clock that scales": {tegra.Reading{CPU: full, GPU: slow}, ""},
		"no reason known":     {tegra.Reading{Locked: locked, CPU: full, GPU: slow}, "GPU: cause unknown"},
		"heat before the rest": {tegra.Reading{Locked: locked, CPU: slow, Heat: locked, Throttled: locked},
			"CPU: thermal throttling"},
		"a cap below the wish": {tegra.Reading{Locked: locked, EMC: clock(tegra.GHz/2, tegra.GHz, tegra.GHz/2)},
			"EMC: capped"},
	} {
		got := ""
		if off, is := SlowClock(c.r); is {
			got = off.Name + ": " + off.Why
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
