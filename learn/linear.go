package learn

import (
	"context"

	"jtune/learn/linear"
	"jtune/learn/nn"
	"jtune/tegra"
)

// line is the linear method: a straight line in core count and raw MHz
// (package linear), cut off at floor.
type line struct {
	linear.Regression
	floor float64
}

func fitLine(_ context.Context, modes []tegra.Mode, y []float64, _ uint64) (target, error) {
	r, err := linear.Fit(rawKnobs(modes), y)
	return &line{r, lowest(y)}, err
}

func (f *line) at(modes []tegra.Mode) []float64 {
	out := make([]float64, len(modes))
	for i, x := range rawKnobs(modes) {
		out[i] = max(f.At(x), f.floor)
	}
	return out
}

// rawKnobs are the modes as the baselines see them: core count and MHz.
func rawKnobs(modes []tegra.Mode) [][]float64 {
	out := make([][]float64, len(modes))
	for i, m := range modes {
		x := nn.Features(m)
		out[i] = x[:]
	}
	return out
}
