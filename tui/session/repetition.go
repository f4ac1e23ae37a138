package session

import (
	"jtune/internal/stats"
	"jtune/profiles/record"
	"jtune/tegra"
)

// mostCVPct is how much the energies of repeated work may vary before they are in doubt, in percent of their mean.
const mostCVPct = 5

// repetitions counts those of fixed work, and gives the standard deviation of their energies in percent of the mean;
// absent with fewer than two.
func repetitions(parts []record.Part) (n int, cvPct tegra.Val[float64]) {
	var joules []float64
	for _, p := range parts {
		if p.EnergyJ.OK {
			joules = append(joules, p.EnergyJ.V*float64(p.Minibatches))
		}
	}
	return len(parts), tegra.Finite(stats.VariationPct(joules))
}
