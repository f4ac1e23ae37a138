package export

import (
	"io"
	"slices"

	"jtune/internal/report"
	"jtune/optimize/mix"
	"jtune/optimize/standing"
	"jtune/tegra"
)

// ServedCSV writes how settings serve a load, one per line. Unknown values are empty: the latency if the queue only
// grows, mean power and energy without the idle power.
func ServedCSV(to io.Writer, a mix.Ask, list []mix.Outcome, standings []standing.Standing,
	virtual bool) error {
	float := func(key string, of func(o mix.Outcome) float64) report.Column[int] {
		return report.Column[int]{Key: key, Of: func(i int) any { return of(list[i]) }}
	}
	all := make([]int, len(list))
	for i := range all {
		all[i] = i
	}
	return slices.Concat(ModeColumns(func(i int) tegra.Mode { return list[i].Mode }), report.Table[int]{
		{Key: "batch", Of: func(i int) any { return list[i].Batch }},
		float("time_ms", func(o mix.Outcome) float64 { return o.TimeMS }),
		float("latency_ms", func(o mix.Outcome) float64 { return o.LatencyMS }),
		{Key: "quantile", Of: func(int) any { return a.Quantile }},
		{Key: "rate_per_s", Of: func(int) any { return a.Load.MeanRate() }},
		{Key: "arrivals", Of: func(int) any { return a.Load.Pattern }},
		float("served_per_s", func(o mix.Outcome) float64 { return o.ServedPerS }),
		float("peak_w", func(o mix.Outcome) float64 { return o.PeakW }),
		float("mean_w", func(o mix.Outcome) float64 { return o.MeanW }),
		float("unit_j", func(o mix.Outcome) float64 { return o.JPerUnit }),
		float("busy_unit_j", func(o mix.Outcome) float64 { return o.BusyJPerUnit }),
		float("busy_share", func(o mix.Outcome) float64 { return min(o.Rho, 1) }),
	}, standingColumns(func(i int) standing.Standing { return standings[i] }), virtualColumn[int](virtual)).CSV(to, all)
}
