package baseline

import (
	"context"

	"jtune/learn/baseline/linear"
	"jtune/tegra"
)

// line is the method linear: a straight line in core count and raw MHz
// (package linear), never below floor.
type line struct {
	linear.Regression
	floor float64
}

func fitLine(_ context.Context, modes []tegra.Mode, y []float64, _ uint64) (Predictor, error) {
	r, err := linear.Fit(rawKnobs(modes), y)
	return &line{r, floor(y)}, err
}

func (f *line) At(modes []tegra.Mode) []float64 {
	out := make([]float64, len(modes))
	for i, x := range rawKnobs(modes) {
		out[i] = max(f.Regression.At(x), f.floor)
	}
	return out
}
