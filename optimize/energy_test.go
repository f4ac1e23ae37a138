package optimize_test

import (
	"testing"

	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// studyOf replays an energy study on readings by mode, each setting read once.
func studyOf(t *testing.T, truth map[tegra.Mode]tegra.Measured) (optimize.EnergyResult, int) {
	t.Helper()
	var modes []tegra.Mode
	for m := range truth {
		modes = append(modes, m)
	}
	space, err := tegra.NewSubspace(modes)
	if err != nil {
		t.Fatal(err)
	}
	s := optimize.NewEnergyStudy(space, 1, true)
	var readings []tegra.Measured
	for {
		m, ok := s.Next(readings, nil)
		if !ok {
			return s.Sum(readings), len(readings)
		}
		readings = append(readings, truth[m])
	}
}

func TestEnergyStudyFindsTheLeastOfTheMeasuredSweeps(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"infer/mobnet_infer", "infer/resnet_infer"} {
		rows := sweeptest.Settings(t, name)
		for _, batch := range []int{1, 4, 16, 32, 64} {
			truth := map[tegra.Mode]tegra.Measured{}
			for _, m := range rows {
				if m.Batch == batch {
					m.Batch = 0
					truth[m.Mode] = m
				}
			}
			least, of := 1e9, 1e9
			var at tegra.Mode
			for _, m := range truth {
				if m.EnergyJ() < least {
					least, at = m.EnergyJ(), m.Mode
				}
				if m.Mode.Cores == 12 && m.Mode.EMC.GHz() > 3 {
					of = min(of, m.EnergyJ())
				}
			}
			r, n := studyOf(t, truth)
			found := r.Least.V
			t.Logf("%s %d: %d read: pairs %s %.1f mJ (%.3f of the pairs, %.3f of all, %s), beyond %v", name, batch, n, found.Mode,
				1000*found.EnergyJ()/float64(batch), found.EnergyJ()/of, found.EnergyJ()/least, at, r.Beyond.OK)
			if r.Beyond.OK {
				t.Logf("   beyond %s %.3f", r.Beyond.V.Mode, r.Beyond.V.EnergyJ()/least)
			}
			for _, d := range r.Doubted() {
				t.Logf("   doubted %s %.3f", d.Mode, d.EnergyJ()/least)
			}
		}
	}
}
