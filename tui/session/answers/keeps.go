package answers

import (
	"math"
	"slices"

	"jtune/internal/report"
	"jtune/internal/stats"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

func powerOf(m tegra.Measured) float64 { return m.PowerW }

func timeOf(m tegra.Measured) float64 { return m.TimeMS }

// band returns the 95 % band of the true value of a mean by the readings behind it; NaN without a value.
func band(mean float64, readings []tegra.Measured, of func(tegra.Measured) float64) (lo, hi float64) {
	var x []float64
	for _, m := range readings {
		x = append(x, math.Log(of(m)))
	}
	wide := stats.ErrorOf(x, metric.Scatter).Quantile(0.975)
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
		{"chance_over", standing.RoundedUp(1 - m.Chance).V}}, size(m.Measured)...)
}

// ChanceOver returns the chance that the answer exceeds its limit, if it was measured and no load is calculated: by its
// search, else by its readings.
func (a *Answer) ChanceOver() tegra.Val[float64] {
	if s := a.Standing; s.ChanceOver.OK || !s.Limited || !a.Measured() {
		return s.ChanceOver
	}
	return a.terms().chanceOver()
}
