package metric

import (
	"iter"
	"math"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/tegra"
)

// Reads yields the values of a setting that a bound is compared with, and the standard deviations of their logarithms:
// those of time and power are given, those of further quantities are with them. An unknown value is NaN.
func (b Bound) Reads(m tegra.Measured, sdTime, sdPower float64) iter.Seq2[float64, float64] {
	return func(yield func(float64, float64) bool) {
		known := b.Metric.Of != nil
		if known && !yield(b.Metric.Of(m), b.SD(sdTime, sdPower)) {
			return
		}
		for _, v := range m.Further() {
			if v.Metric == b.Key && (b.On == "" || b.On == v.On) {
				if known = true; !yield(v.V, v.LnSD) {
					return
				}
			}
		}
		if !known {
			yield(math.NaN(), 0)
		}
	}
}

// Of returns the value of a setting that a bound is compared with, of several rails the worst; NaN if it is unknown.
func (b Bound) Of(m tegra.Measured) float64 {
	worst := math.NaN()
	for v := range b.Reads(m, 0, 0) {
		if math.IsNaN(worst) || b.Over(v) > b.Over(worst) {
			worst = v
		}
	}
	return worst
}

// Further returns the bounds on quantities other than those that time and power give.
func (l Limits) Further() (list []Bound) {
	for b := range l.Each() {
		if b.Metric.Of == nil {
			list = append(list, b)
		}
	}
	return list
}

// Further prints the values that the further bounds are compared with: ", 4.81 A VDD_IN"; "" without such a bound.
func (g Goal) Further(m tegra.Measured) string {
	var s strings.Builder
	for _, b := range g.Limits.Further() {
		s.WriteString(", " + strings.TrimSpace(text.Of(b.Of(m))+" "+string(b.Unit)+" "+b.On))
	}
	return s.String()
}

// Values returns what the rails and the other sensors of a reading show, as further quantities of a setting.
func Values(r tegra.Reading) (list []tegra.Value) {
	for _, m := range All {
		add := func(on string, v tegra.Val[float64]) {
			if v.OK && v.V > 0 && !m.Least {
				list = append(list, tegra.Value{Metric: m.Key, On: on, V: v.V})
			}
		}
		switch {
		case m.Rail != nil:
			for _, rail := range r.Rails {
				add(rail.Name, m.Rail(rail))
			}
		case slices.Contains(Sensed, m):
			add("", m.Board(r))
		}
	}
	return list
}

// Heat is how a board warms: in the steady state its hottest zone is warmer than the air in proportion to power.
type Heat struct {
	AirC  float64
	PerW  float64 // °C per watt
	LnSD  float64 // standard deviation of the logarithm of the rise
	Soaks int     // that it was read from; 0: of boards in general
}

// At returns the steady temperature at a power, given with the standard deviation of its logarithm.
func (h Heat) At(powerW, sdPower float64) tegra.Value {
	rise := h.PerW * powerW
	c := h.AirC + rise
	return tegra.Value{Metric: Temperature.Key, V: c, LnSD: rise * math.Hypot(sdPower, h.LnSD) / c}
}

// Watts returns the power of a steady temperature; 0 if the air is as warm.
func (h Heat) Watts(c float64) float64 { return max(0, c-h.AirC) / h.PerW }
