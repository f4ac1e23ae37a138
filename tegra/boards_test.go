package tegra_test

import (
	"math"
	"testing"

	"jtune/tegra"
	"jtune/tegra/tegratest"
)

func TestOtherBoardsAreFoundByTheSameLook(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tree       *tegratest.Tree
		name, rule string
		totalW     float64
		modes      int
	}{
		// Totals: recorded values of the fake roots' notes; counts: cores × CPU × GPU × EMC lists.
		{tegratest.NewXavier32(), "AGX Xavier", "SUM:GPU,CPU,SOC,CV,VDDRQ,SYS5V", 3.346, 8 * 29 * 14 * 9},
		{tegratest.NewNano32(), "Nano", "POM_5V_IN", 2.132, 4 * 15 * 12 * 2},
		{tegratest.NewTX2(), "TX2", "VDD_IN", 3.056, 6 * 12 * 13 * 11},
		{tegratest.NewOrinNano36(), "Orin Nano", "VDD_IN", 4.78464, 6 * 22 * 8 * 4},
	} {
		s := open(t, c.tree)
		r := read(t, s)
		b := s.Board()
		if b.Name != c.name || b.TotalRule != c.rule || math.Abs(r.TotalW.V-c.totalW) > 1e-9 {
			t.Errorf("%s: %s, rule %q, %v W", c.name, b.Name, b.TotalRule, r.TotalW)
		}
		if got := s.Space().Len(); got != c.modes {
			t.Errorf("%s: %d modes, want %d", c.name, got, c.modes)
		}
		if !r.Mode.OK || r.Mode.V != s.Space().Max() {
			t.Errorf("%s: mode %v, want the top one", c.name, r.Mode)
		}
	}
}

func TestTheTX2TakesItsA57CoresFirst(t *testing.T) {
	t.Parallel()
	root := tegratest.NewTX2().Write(t)
	s := openRoot(t, root)
	c := s.Control()
	st, err := c.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	m := s.Space().Max()
	m.Cores = 4
	writes, err := c.Plan(st, tegra.Request{Mode: m}, tegra.State{})
	if err != nil {
		t.Fatal(err)
	}
	online := map[string]string{}
	for _, w := range writes {
		online[w.Path] = w.Value
	}
	for core, want := range []string{"", "0", "0", "1", "1", "1"} {
		if got := online[tegratest.CPU+"/cpu"+string(rune('0'+core))+"/online"]; got != want {
			t.Errorf("core %d: %q, want %q", core, got, want)
		}
	}
	if _, ok := online[tegratest.CPU+"/cpu1/cpufreq/scaling_max_freq"]; ok {
		t.Error("limits are written to the Denver cluster, which is off")
	}
}

func TestTheNanoLocksItsMemoryThroughTheClockFramework(t *testing.T) {
	t.Parallel()
	s := open(t, tegratest.NewNano32())
	st, err := s.Control().Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	m := s.Space().Max()
	m.EMC = s.Space().EMC[0]
	writes, err := s.Control().Plan(st, tegra.Request{Mode: m, Fan: tegra.FanMax}, tegra.State{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, w := range writes {
		got[w.Path] = w.Value
	}
	for path, want := range map[string]string{
		"/sys/kernel/debug/clk/override.emc/clk_update_rate": "204000000", "/sys/kernel/debug/clk/override.emc/clk_state": "1",
		"/sys/devices/pwm-fan/target_pwm": "255", "/sys/devices/pwm-fan/temp_control": "0",
	} {
		if got[path] != want {
			t.Errorf("%s = %q, want %q", path, got[path], want)
		}
	}
}
