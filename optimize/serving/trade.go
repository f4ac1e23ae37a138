package serving

import (
	"math"
	"slices"

	"jtune/internal/axis"
	"jtune/internal/figure"
	"jtune/internal/text"
	"jtune/optimize/outlook"
	"jtune/optimize/pareto"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Quantity is one number per mode of an outlook, for display on an axis.
type Quantity struct {
	figure.Axis
	Word   string    // in a sentence: "latency"
	Label  string    // at the end of the axis
	Values []float64 // by index; not drawn unless finite
	Span   []float64 // smallest and largest usable value
	Limit  float64   // 0: none
	// Band is the uncertainty of a predicted value.
	Band func(i int) [2]float64
	// Of returns the value for another model's prediction; nil if a prediction alone does not determine it.
	Of func(tegra.Measured) float64
}

// Names of quantities; the axis names time.
const (
	wordPower   = "power"
	wordEnergy  = "energy"
	wordSpeed   = "speed"
	wordLatency = "latency"
)

// Trade is two quantities with a trade-off, and the modes of their front.
type Trade struct {
	Across, Up *Quantity
	Plane      int // index in Planes of its front; -1 under a load
	// Front lists the Pareto front of some modes by index; nil: of all.
	Front func(among []int) []int
}

// Unit is the counting unit of inference: a sample, or a token of a server's answer.
type Unit struct {
	Name     string  // "" for training
	PerBatch float64 // units in a batch of the outlook's size
}

// infers reports whether the outlook describes inference.
func (u Unit) infers() bool { return u.Name != "" }

// Trades returns the comparisons for the modes of an outlook, the default first; for inference they include latency
// under the load, if there is one, units per second and energy per unit.
func Trades(o *outlook.Outlook, u Unit, l metric.Goal, served *LoadView) []Trade {
	var of [outlook.NumAxes]*Quantity
	for a := range outlook.NumAxes {
		of[a] = quantity(o, a, l)
	}
	front := func(plane int) func([]int) []int {
		return func(among []int) []int {
			if among == nil {
				return o.Front(plane)
			}
			return o.FrontAmong(plane, among)
		}
	}
	if !u.infers() {
		out := make([]Trade, len(outlook.Planes))
		for i, p := range outlook.Planes {
			out[i] = Trade{of[p.Across], of[p.Up], i, front(i)}
		}
		return out
	}
	speed, energy := speed(o, u), unitEnergy(o, u)
	out := []Trade{
		{of[pareto.Time], of[pareto.Power], 0, front(0)},
		{speed, of[pareto.Power], 0, front(0)},
		{of[pareto.Time], energy, 1, front(1)},
		{speed, energy, 1, front(1)},
		{of[pareto.Power], energy, 2, front(2)},
	}
	if !served.Of(o) {
		return out
	}
	if speed.Limit = 0; served.Load.Open() {
		speed.Limit = served.Load.RatePerS * served.UnitsPerRequest(u)
	}
	latency := served.latency()
	power, perUnit := served.cost(u, false), served.cost(u, true)
	under := func(energy bool) func([]int) []int {
		return func(among []int) []int { return served.frontAmong(energy, among) }
	}
	loaded := []Trade{{latency, power, -1, under(false)}, {latency, perUnit, -1, under(true)}}
	return append(loaded, out[1], out[3], out[4])
}

// quantity returns time, power or energy.
func quantity(o *outlook.Outlook, a pareto.Axis, l metric.Goal) *Quantity {
	q := &Quantity{Axis: outlook.QuantityAxis(a, o.Several()), Word: a.String(), Label: a.Unit(),
		Values: o.Columns()[a], Span: o.Span()[a], Of: a.Of}
	q.Band = exactly(q.Values)
	switch a {
	case pareto.Time:
		q.Limit = l.Of(metric.Time)
		q.Band = func(i int) [2]float64 { return [2]float64{o.Known[i].TimeLoMS, o.Known[i].TimeHiMS} }
	case pareto.Power:
		q.Limit = l.Of(metric.Power)
		q.Band = func(i int) [2]float64 { return [2]float64{o.Known[i].PowerLoW, o.Known[i].PowerHiW} }
	}
	return q
}

// exactly returns zero-width bands.
func exactly(values []float64) func(int) [2]float64 {
	return func(i int) [2]float64 { return [2]float64{values[i], values[i]} }
}

// made returns a quantity computed from others.
func made(o *outlook.Outlook, a figure.Axis, word string, of func(i int) float64) *Quantity {
	q := &Quantity{Axis: a, Word: word, Label: a.Unit, Values: make([]float64, len(o.Known))}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range q.Values {
		q.Values[i] = of(i)
		if x := q.Values[i]; x > 0 && axis.Finite(x) {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	q.Span, q.Band = []float64{lo, hi}, exactly(q.Values)
	return q
}

// speed returns the units per second that a mode can answer.
func speed(o *outlook.Outlook, u Unit) *Quantity {
	n, unit := u.PerBatch, u.Name+"s/s"
	of := func(m tegra.Measured) float64 { return 1000 * n / m.TimeMS }
	q := made(o, figure.Axis{Key: "units_per_s", Name: unit, Unit: unit, Log: true, Text: text.Of}, wordSpeed,
		func(i int) float64 { return of(o.Known[i].Measured) })
	q.Of = of
	q.Band = func(i int) [2]float64 {
		p := o.Known[i]
		return [2]float64{1000 * n / p.TimeHiMS, 1000 * n / p.TimeLoMS}
	}
	return q
}

// unitEnergy returns the energy per unit while a batch is served.
func unitEnergy(o *outlook.Outlook, u Unit) *Quantity {
	of := func(m tegra.Measured) float64 { return m.EnergyJ() / u.PerBatch }
	q := made(o, unitAxis(u), wordEnergy, func(i int) float64 { return of(o.Known[i].Measured) })
	q.Label, q.Of = "J", of
	q.milli()
	return q
}

// unitAxis returns the axis of the energy per unit in joules.
func unitAxis(u Unit) figure.Axis {
	return figure.Axis{Key: "unit_j", Name: "energy of a unit", Unit: "J/" + u.Name, Log: true, Text: text.Of}
}

// milli converts joules to millijoules if the smallest value is below one.
func (q *Quantity) milli() {
	if !(q.Span[0] < 1) {
		return
	}
	q.Unit, q.Label, q.Per = "m"+q.Unit, "m"+q.Label, 1e-3
	q.Values, q.Span = slices.Clone(q.Values), slices.Clone(q.Span)
	for _, list := range [][]float64{q.Values, q.Span} {
		for i := range list {
			list[i] *= 1000
		}
	}
	values := q.Values
	q.Band = func(i int) [2]float64 { return [2]float64{values[i], values[i]} }
	if of := q.Of; of != nil {
		q.Of = func(m tegra.Measured) float64 { return 1000 * of(m) }
	}
}

// latency returns the latency of a request under the load, at the quantile.
func (v *LoadView) latency() *Quantity {
	q := made(v.view, figure.Axis{Key: "latency_ms", Name: v.Title(), Unit: "ms", Log: true, Text: text.Of},
		wordLatency,
		func(i int) float64 { o, _ := v.Rough(i); return o.LatencyMS })
	q.Label, q.Limit = QuantileText(v.Quantile)+" ms", v.LatencyMS
	return q
}

// cost returns the cost of a mode under the load: watts, or joules per unit.
func (v *LoadView) cost(u Unit, energy bool) *Quantity {
	a, of := ServedCost(v.Ask, energy)
	a.Text = text.Of
	if !energy {
		q := made(v.view, a, wordPower, func(i int) float64 { o, _ := v.Rough(i); return of(o) })
		q.Limit = v.Goal.Of(metric.Power)
		return q
	}
	perRequest := v.UnitsPerRequest(u)
	a.Unit, a.Log = "J/"+u.Name, true
	q := made(v.view, a, wordEnergy, func(i int) float64 { o, _ := v.Rough(i); return of(o) / perRequest })
	q.Label = "J"
	q.milli()
	return q
}
