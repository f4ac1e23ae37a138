package record

import (
	"jtune/internal/stats"
	"jtune/tegra"
)

// MostCVPct is how much the energies of repeated work may vary, in percent of their mean, before they are doubtful.
const MostCVPct = 5

// Repetitions counts the repetitions of fixed work, and returns the standard deviation of their energies in percent of
// the mean; absent with fewer than two.
func Repetitions(parts []Part) (n int, cvPct tegra.Val[float64]) {
	var joules []float64
	for _, p := range parts {
		if p.EnergyJ.OK {
			joules = append(joules, p.EnergyJ.V*float64(p.Minibatches))
		}
	}
	return len(parts), tegra.Finite(stats.VariationPct(joules))
}
