package telemetry

import (
	"testing"
	"time"

	"jtune/tegra"
)

func TestResidencyIsTheDifferenceOfTwoReadings(t *testing.T) {
	const unused = 3 * tegra.GHz
	before := map[tegra.Freq]time.Duration{1 * tegra.GHz: 5 * time.Second, 2 * tegra.GHz: time.Second, unused: 1}
	after := map[tegra.Freq]time.Duration{1 * tegra.GHz: 6 * time.Second, 2 * tegra.GHz: 4 * time.Second, unused: 1}
	r := ResidencyBetween(before, after)
	if len(r.Shares) != 2 || r.Shares[0] != (ClockShare{2 * tegra.GHz, 0.75}) || r.Source != KernelCounted {
		t.Fatalf("got %+v, want 75 %% at 2 GHz first", r)
	}
	if got := r.Mean().V; got != 1750*tegra.MHz {
		t.Errorf("mean clock %s, want 1.75 GHz", got)
	}
	one := map[tegra.Freq]time.Duration{tegra.GHz: time.Second}
	if r := ResidencyBetween(one, map[tegra.Freq]time.Duration{tegra.GHz: 3 * time.Second}); !r.OK() ||
		r.Mean() != tegra.Some(1*tegra.GHz) {
		t.Errorf("a locked clock: %+v, want all time at 1 GHz", r)
	}
	for name, pair := range map[string][2]map[tegra.Freq]time.Duration{
		"a counter that went back": {after, before},
		"a counter that vanished":  {after, {2 * tegra.GHz: 9 * time.Second}},
		"no time passed":           {after, after},
		"no counters at the end":   {before, nil},
		"no counters at the begin": {nil, after},
	} {
		if r := ResidencyBetween(pair[0], pair[1]); r.OK() || r.Mean().OK {
			t.Errorf("%s: %+v, want nothing known", name, r)
		}
	}
}

func TestTallyCountsSamples(t *testing.T) {
	var c Tally
	if c.Residency().OK() {
		t.Error("an empty tally knows something")
	}
	for range 3 {
		c.Add(tegra.Some(tegra.GHz))
	}
	c.Add(tegra.Some(2 * tegra.GHz))
	c.Add(tegra.Val[tegra.Freq]{})
	r := c.Residency()
	if len(r.Shares) != 2 || r.Shares[1] != (ClockShare{tegra.GHz, 0.75}) || r.Source != SampleCounted {
		t.Errorf("got %+v, want 75 %% at 1 GHz by samples", r)
	}
}
