package nn

import (
	"jtune/tegra"
)

func timeMS(m tegra.Measured) float64 { return m.TimeMS }
func powerW(m tegra.Measured) float64 { return m.PowerW }

func columns(samples []tegra.Measured, value func(tegra.Measured) float64) (x [][inputs]float64, y []float64) {
	for _, s := range samples {
		x, y = append(x, Features(s.Mode)), append(y, value(s))
	}
	return x, y
}
