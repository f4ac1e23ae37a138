package answers

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"jtune/internal/report"
	"jtune/internal/stats"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Scatter is the relative standard deviation of a reading of a mode from run to run: two readings differ by 1 or 2 %.
const Scatter = 0.01

// scatterReadings is how many readings the belief in Scatter is worth. The scatter of the readings themselves is added;
// their mean then follows Student's distribution (Gelman et al., Bayesian Data Analysis, section 3.3).
const scatterReadings = 4

// ChanceOver returns the chance, 0 to 1, that the true values of a setting exceed a limit on power, time or energy,
// from
// repeated readings. Several limits count as independent. NaN without a reading of what is limited; 0 without a limit.
func ChanceOver(l metric.Goal, readings []tegra.Measured) float64 {
	keeps := 1.0
	for b := range l.Limits.Each() {
		var room []float64
		for _, m := range readings {
			room = append(room, -b.Over(b.Of(m)))
		}
		keeps *= 1 - chanceBelow(room)
	}
	return 1 - keeps
}

func powerOf(m tegra.Measured) float64 { return m.PowerW }

func timeOf(m tegra.Measured) float64 { return m.TimeMS }

// chanceBelow returns the chance that the true mean of readings is below 0.
func chanceBelow(x []float64) float64 {
	mean := stats.Mean(x)
	if len(x) == 0 || math.IsNaN(mean) || math.IsInf(mean, 0) {
		return math.NaN()
	}
	return errorOf(x).CDF(-mean)
}

// errorOf returns the distribution of the error of the mean of readings.
func errorOf(x []float64) distuv.StudentsT {
	n, mean, square := float64(len(x)), stats.Mean(x), scatterReadings*Scatter*Scatter
	for _, v := range x {
		square += (v - mean) * (v - mean)
	}
	freedom := scatterReadings + n - 1
	return distuv.StudentsT{Sigma: math.Sqrt(square / freedom / n), Nu: freedom}
}

// band returns the 95 % band of the true value of a mean by the readings behind it; NaN without a value.
func band(mean float64, readings []tegra.Measured, of func(tegra.Measured) float64) (lo, hi float64) {
	var x []float64
	for _, m := range readings {
		x = append(x, math.Log(of(m)))
	}
	wide := errorOf(x).Quantile(0.975)
	return mean * math.Exp(-wide), mean * math.Exp(wide)
}

// readings returns the readings of the answer that count. Where they are not kept one by one, their mean stands for
// each.
func (a *Answer) readings() []tegra.Measured {
	n := max(1, a.Reading.N)
	if list := a.probed(a.Setting); len(list) >= n {
		return list[len(list)-n:]
	}
	return slices.Repeat([]tegra.Measured{a.Read().V}, n)
}

// probed returns the search's readings of a setting.
func (a *Answer) probed(at tegra.Setting) (list []tegra.Measured) {
	for _, p := range a.Probes {
		if p.Err == nil && p.TimeMS > 0 && p.Setting == at {
			list = append(list, p.Measured)
		}
	}
	return list
}

// alternative returns a better mode at the limit, with its chance of exceeding it; null in JSON if there is none.
func (a *Answer) alternative() any {
	m := a.Alternative.V
	if !a.Alternative.OK || !a.Feasible || a.Served != nil {
		return nil
	}
	return append(report.Object{{"mode", m.Mode}, {"time_ms", m.TimeMS}, {"power_w", m.PowerW},
		{"chance_over", roundedUp(1 - m.Chance).V}}, size(m.Measured)...)
}

// chanceOver returns the chance that the answer exceeds its limit, if it was measured and no load is calculated: by its
// search, else by its readings.
func (a *Answer) chanceOver() tegra.Val[float64] {
	if s := a.Standing; s.ChanceOver.OK || !s.Limited || a.Served != nil || !a.Measured() {
		return s.ChanceOver
	}
	if a.Chance.OK {
		return roundedUp(1 - a.Chance.V)
	}
	return roundedUp(ChanceOver(a.Limit, a.readings()))
}

// roundedUp rounds a chance up to a ten-thousandth, as those of predictions are.
func roundedUp(chance float64) tegra.Val[float64] { return tegra.Finite(math.Ceil(1e4*chance) / 1e4) }
