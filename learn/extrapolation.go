package learn

import (
	"fmt"
	"math"

	"jtune/tegra"
)

// farOctaves is the distance from the measured values of a knob beyond which predictions count as extrapolated: a third
// of the model's shortest lengthscale.
const farOctaves = 0.5

// Extrapolates reports whether a knob of m lies more than farOctaves outside the measured range.
func Extrapolates(measured []tegra.Measured, m tegra.Mode) bool {
	for k := range tegra.NumKnobs {
		lo, hi := valuesOf(measured, k)
		if v := m.Value(k); math.Log2(lo/v) > farOctaves || math.Log2(v/hi) > farOctaves {
			return true
		}
	}
	return false
}

// valuesOf returns the range in which a knob was measured.
func valuesOf(measured []tegra.Measured, k tegra.Knob) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range measured {
		lo, hi = min(lo, s.Mode.Value(k)), max(hi, s.Mode.Value(k))
	}
	return lo, hi
}

// extrapolated returns a warning about extrapolated values of a knob; "" if there are none.
func (m *Model) extrapolated(k tegra.Knob) string {
	lo, hi := valuesOf(m.Samples, k)
	below, above := 0, 0
	for _, v := range m.Space.Values(k) {
		switch {
		case math.Log2(lo/v) > farOctaves:
			below++
		case math.Log2(v/hi) > farOctaves:
			above++
		}
	}
	where := ""
	switch {
	case below > 0 && above > 0:
		where = "far below and far above"
	case below > 0:
		where = "far below"
	case above > 0:
		where = "far above"
	default:
		return ""
	}
	shown := func(v float64) string {
		if k == tegra.KnobCores {
			return fmt.Sprint(v)
		}
		return tegra.Freq(v).String()
	}
	return fmt.Sprintf("%s was measured from %s to %s: predictions for the %s %s are guesses",
		k, shown(lo), shown(hi), count(below+above, "setting", "settings"), where)
}
