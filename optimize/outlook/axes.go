package outlook

import (
	"jtune/internal/figure"
	"jtune/internal/text"
	"jtune/optimize/pareto"
	"jtune/tegra"
)

// Names of series: measured and predicted values are never mixed.
const (
	PredictedSeries = "predicted"
	MeasuredSeries  = "measured"
)

// QuantityAxis is an axis of time, power or energy.
func QuantityAxis(a pareto.Axis, several bool) figure.Axis {
	per := " per minibatch"
	if several {
		per = " per sample"
	}
	return map[pareto.Axis]figure.Axis{
		pareto.Time:   {Key: "time_ms", Name: "time" + per, Unit: "ms", Log: true, Text: text.Of},
		pareto.Power:  {Key: "power_w", Name: "power", Unit: "W", Text: text.Of},
		pareto.Energy: {Key: "energy_j", Name: "energy" + per, Unit: "J", Log: true, Text: text.Of},
	}[a]
}

// ModeText prints a mode in the notation of the outlook's space.
func (o *Outlook) ModeText(m tegra.Mode) string {
	if o.space != nil {
		return o.space.Format(m)
	}
	return m.String()
}
