package metric

import (
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/tegra"
)

// DefaultRisk is the chance, at most, that the true values of an answer exceed a limit.
const DefaultRisk = 0.05

// Scatter is the relative standard deviation of a reading of a mode from run to run: two readings differ by 1 or 2 %.
const Scatter = 0.01

// ChanceOver returns the chance, 0 to 1, that the true values of a setting exceed a limit, from repeated readings.
// Several limits count as independent. NaN without a reading of what is limited; 0 without a limit.
func (g Goal) ChanceOver(readings []tegra.Measured) float64 {
	keeps := 1.0
	for b := range g.Limits.Each() {
		var over []float64
		for _, m := range readings {
			over = append(over, b.Over(b.Of(m)))
		}
		mean := stats.Mean(over)
		if len(over) == 0 || math.IsNaN(mean) || math.IsInf(mean, 0) {
			return math.NaN()
		}
		keeps *= stats.ErrorOf(over, max(b.SD(Scatter, Scatter), Scatter)).CDF(-mean)
	}
	return 1 - keeps
}

// keeps reports whether the true values of a measured setting keep the limits with the chance that the risk asks for.
func (g Goal) keeps(m tegra.Mean) bool {
	return g.Met(m.Measured) && g.ChanceOver(slices.Repeat([]tegra.Measured{m.Measured}, m.N)) <= g.atRisk()
}

// atRisk returns the risk, or the default.
func (g Goal) atRisk() float64 {
	if g.Risk == 0 {
		return DefaultRisk
	}
	return g.Risk
}
