package serving

import (
	"fmt"
	"math"
	"strings"

	"jtune/internal/figure"
	"jtune/internal/text"
	"jtune/optimize/mix"
)

// QuantileText returns the usual name of a quantile: "p99".
func QuantileText(q float64) string { return fmt.Sprintf("p%.4g", 100*q) }

// Says describes what a setting does under a load, and which limits it does not keep.
func Says(a mix.Ask, o mix.Outcome) string {
	late := "the queue only grows"
	if !math.IsInf(o.LatencyMS, 1) {
		late = QuantileText(a.Quantile) + " " + text.Of(o.LatencyMS) + " ms"
	}
	parts := []string{late, text.Of(o.ServedPerS) + "/s served", fmt.Sprintf("busy %.0f %%", 100*min(1, o.Rho)),
		text.Of(o.PeakW) + " W peak"}
	if !math.IsNaN(o.MeanW) {
		parts = append(parts, text.Of(o.MeanW)+" W mean")
	}
	energy, while := o.JPerUnit, ""
	if math.IsNaN(energy) {
		energy, while = o.BusyJPerUnit, " while it serves"
	}
	parts = append(parts, text.Of(energy)+" J per request"+while)
	return strings.Join(text.Said(a.Load.String()+": "+strings.Join(parts, ", "), o.Why()), "; ")
}

// ServedCost returns the axis of a front under load other than latency, and its value.
func ServedCost(a mix.Ask, energy bool) (of figure.Axis, cost func(mix.Outcome) float64) {
	switch {
	case energy && math.IsNaN(a.IdleW) && a.Load.Open():
		return figure.Axis{Key: "busy_unit_j", Name: "energy per request, serving alone", Unit: "J"},
			func(v mix.Outcome) float64 { return v.BusyJPerUnit }
	case energy:
		return figure.Axis{Key: "unit_j", Name: "energy per request", Unit: "J"},
			func(v mix.Outcome) float64 { return v.JPerUnit }
	case a.PowerAs == mix.Mean:
		return figure.Axis{Key: "mean_w", Name: "mean power", Unit: "W"},
			func(v mix.Outcome) float64 { return v.MeanW }
	}
	return figure.Axis{Key: "peak_w", Name: "peak power", Unit: "W"},
		func(v mix.Outcome) float64 { return v.PeakW }
}
