package sessiontest

import (
	"testing"

	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
)

// PhysicsOf returns the time and power of a workload in a mode of the virtual board, without noise.
func PhysicsOf(t *testing.T, workload string, m tegra.Mode) tegra.Measured {
	t.Helper()
	w, ok := physics.Find(workload)
	if !ok {
		t.Fatalf("no workload %s", workload)
	}
	s := w.Steady(physics.On(virtual.AGXOrin), physics.At(m))
	return tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: s.TimeMS, PowerW: s.Power.Total()}
}
