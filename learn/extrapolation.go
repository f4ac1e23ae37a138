package learn

import (
	"fmt"
	"math"
	"slices"

	"jtune/tegra"
)

// farOctaves is how far beyond the measured values of a knob predictions depend more
// on the mean function than on measurements: the shortest lengthscale of the model is
// an octave and a half.
const farOctaves = 1

// extrapolated is a warning about values of a knob farther than that from any measured
// one; "" when there are none.
func (m *Model) extrapolated(k tegra.Knob) string {
	var measured []float64
	for _, s := range m.Samples {
		measured = append(measured, s.Mode.Value(k))
	}
	lo, hi := slices.Min(measured), slices.Max(measured)
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
	return fmt.Sprintf("%s was measured from %s to %s: predictions for the %s %s are extrapolated",
		k, shown(lo), shown(hi), count(below+above, "setting", "settings"), where)
}
