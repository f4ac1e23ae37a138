package serving

import (
	"fmt"
	"math"

	"jtune/internal/figure"
	"jtune/optimize/mix"
)

// QuantileText returns the usual name of a quantile: "p99".
func QuantileText(q float64) string { return fmt.Sprintf("p%.4g", 100*q) }

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
