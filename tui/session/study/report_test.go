package study

import (
	"math"
	"testing"

	"jtune/optimize/energy"
	"jtune/tegra"
)

// "More than any clock saves" counts cores and memory clocks too.
func TestEnergyReportComparesBatchesWithTheMostThatClocksSave(t *testing.T) {
	t.Parallel()
	at := func(energyJ float64) energy.Point {
		return energy.Point{Measured: tegra.Measured{TimeMS: 100, PowerW: 10 * energyJ}, N: 2}
	}
	r := EnergyReport{PerBatch: 1, Baselines: []EnergyBaseline{{Point: at(1), Name: "defaults", PerBatch: 1}}}
	if most := r.mostSaved(); most.OK {
		t.Errorf("nothing was measured, and %g %% are saved", most.V)
	}
	r.Least = tegra.Some(at(0.954))
	if most := r.mostSaved(); !most.OK || math.Abs(most.V+4.6) > 1e-9 {
		t.Errorf("%v, want -4.6 by the clocks of CPU and GPU", most)
	}
	r.Beyond = tegra.Some(at(0.897))
	if most := r.mostSaved(); !most.OK || math.Abs(most.V+10.3) > 1e-9 {
		t.Errorf("%v, want -10.3 by cores or memory clocks", most)
	}
}
