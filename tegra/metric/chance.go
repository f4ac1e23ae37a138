package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"jtune/internal/stats"
	"jtune/tegra"
)

// DefaultRisk is the chance, at most, that the true values of an answer exceed a limit.
const DefaultRisk = 0.05

// Scatter is the relative standard deviation of a reading of a mode from run to run: two readings differ by 1 or 2 %.
const Scatter = 0.01

// scatterReadings is how many readings the belief in Scatter is worth. The scatter of the readings themselves is added;
// their mean then follows Student's distribution (Gelman et al., Bayesian Data Analysis, section 3.3).
const scatterReadings = 4

// ErrorOf returns the distribution of the error of the mean of readings, of the logarithms of a quantity whose readings
// scatter by sd.
func ErrorOf(ln []float64, sd float64) distuv.StudentsT {
	n, mean, square := float64(len(ln)), stats.Mean(ln), scatterReadings*sd*sd
	for _, v := range ln {
		square += (v - mean) * (v - mean)
	}
	freedom := scatterReadings + n - 1
	return distuv.StudentsT{Sigma: math.Sqrt(square / freedom / n), Nu: freedom}
}

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
		keeps *= ErrorOf(over, max(b.SD(Scatter, Scatter), Scatter)).CDF(-mean)
	}
	return 1 - keeps
}

// Keeps reports whether the true values of a measured setting keep the limits with the chance that the risk asks for.
func (g Goal) Keeps(m tegra.Mean) bool {
	return g.Met(m.Measured) && g.ChanceOver(slices.Repeat([]tegra.Measured{m.Measured}, m.N)) <= g.AtRisk()
}

// AtRisk returns the risk, or the default.
func (g Goal) AtRisk() float64 {
	if g.Risk == 0 {
		return DefaultRisk
	}
	return g.Risk
}
