package answers

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"jtune/internal/stats"
	"jtune/optimize"
	"jtune/tegra"
)

// Scatter is the relative standard deviation of a reading of a mode from run to run: two readings differ by 1 or 2 %.
const Scatter = 0.01

// scatterReadings is how many readings the belief in Scatter is worth. The scatter of the readings themselves is added;
// their mean then follows Student's distribution (Gelman et al., Bayesian Data Analysis, section 3.3).
const scatterReadings = 4

// ChanceOver returns the chance, 0 to 1, that the true values of a setting exceed a limit on power, time or energy, from
// repeated readings. Several limits count as independent. NaN without a reading of what is limited; 0 without a limit.
func ChanceOver(l optimize.Limit, readings []tegra.Measured) float64 {
	keeps := 1.0
	for _, limited := range []struct {
		most float64
		of   func(tegra.Measured) float64
	}{
		{l.PowerW, func(m tegra.Measured) float64 { return m.PowerW }},
		{l.TimeMS, func(m tegra.Measured) float64 { return m.TimeMS }},
		{l.EnergyJ, tegra.Measured.SampleJ},
	} {
		if limited.most > 0 {
			var room []float64
			for _, m := range readings {
				room = append(room, math.Log(limited.most/limited.of(m)))
			}
			keeps *= 1 - chanceBelow(room)
		}
	}
	return 1 - keeps
}

// chanceBelow returns the chance that the true mean of readings is below 0.
func chanceBelow(x []float64) float64 {
	n, mean, square := float64(len(x)), stats.Mean(x), scatterReadings*Scatter*Scatter
	if len(x) == 0 || math.IsNaN(mean) || math.IsInf(mean, 0) {
		return math.NaN()
	}
	for _, v := range x {
		square += (v - mean) * (v - mean)
	}
	freedom := scatterReadings + n - 1
	return distuv.StudentsT{Sigma: math.Sqrt(square / freedom / n), Nu: freedom}.CDF(-mean)
}
