package serving

import (
	"fmt"

	"jtune/internal/arrivals"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/optimize/mix"
	"jtune/tegra"
)

// Columns are what a setting does under the load of an ask, for text, CSV and JSON. The latency is absent if the queue
// only grows, the mean power if the idle power is unknown, the rate in a closed loop and for requests that users send.
func Columns(a mix.Ask) report.Table[mix.Outcome] {
	float := func(key, title string, of func(mix.Outcome) float64) report.Column[mix.Outcome] {
		return report.Column[mix.Outcome]{Key: key, Title: title, Of: func(o mix.Outcome) any { return of(o) }}
	}
	pattern := arrivals.Closed
	if a.Load.Open() {
		pattern = a.Load.Pattern
	}
	rate := tegra.Val[float64]{V: a.Load.RatePerS, OK: a.Load.Open()}
	return report.Table[mix.Outcome]{
		float("latency_ms", QuantileText(a.Quantile)+" ms", func(o mix.Outcome) float64 { return o.LatencyMS }),
		{Key: "quantile", Of: func(mix.Outcome) any { return a.Quantile }},
		{Key: "rate_per_s", Of: func(mix.Outcome) any { return rate }},
		{Key: "arrivals", Of: func(mix.Outcome) any { return pattern }},
		float("served_per_s", "", func(o mix.Outcome) float64 { return o.ServedPerS }),
		float("peak_w", "W peak", func(o mix.Outcome) float64 { return o.PeakW }),
		float("mean_w", "W mean", func(o mix.Outcome) float64 { return o.MeanW }),
		float("unit_j", "J per request", func(o mix.Outcome) float64 { return o.JPerUnit }),
		float("busy_unit_j", "", func(o mix.Outcome) float64 { return o.BusyJPerUnit }),
		{Key: "busy_share", Title: "busy", Of: func(o mix.Outcome) any { return min(o.Rho, 1) },
			Text: func(o mix.Outcome) string { return fmt.Sprintf("%.0f %%", 100*min(o.Rho, 1)) }},
		{Key: "idle_share", Form: report.JSON, Of: func(o mix.Outcome) any { return o.IdleShare }},
		{Key: "meets", Form: report.JSON, Of: func(o mix.Outcome) any { return o.Meets }},
		{Key: "why", Form: report.JSON, Of: func(o mix.Outcome) any { return text.Optional(o.Why()) }},
	}
}
