package record

import (
	"jtune/internal/stats"
	"jtune/tegra"
)

// MostCVPct is how much the energies of repeated work may vary before they are in doubt, in percent of their mean.
const MostCVPct = 5

// Repetitions counts those of fixed work, and gives the standard deviation of their energies in percent of the mean;
// absent with fewer than two.
func Repetitions(parts []Part) (n int, cvPct tegra.Val[float64]) {
	var joules []float64
	for _, p := range parts {
		if p.EnergyJ.OK {
			joules = append(joules, p.EnergyJ.V*float64(p.Minibatches))
		}
	}
	return len(parts), tegra.Finite(stats.VariationPct(joules))
}
