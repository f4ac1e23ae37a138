package baseline

import (
	"context"

	"jtune/learn/baseline/mlp"
	"jtune/learn/internal/parallel"
	"jtune/tegra"
)

// perceptron is the method mlp: a small network (package mlp), never below
// floor.
type perceptron struct {
	*mlp.Net
	floor float64
}

func fitPerceptron(ctx context.Context, modes []tegra.Mode, y []float64, seed uint64) (Predictor, error) {
	n, err := mlp.Fit(ctx, rawKnobs(modes), y, mlp.Config{Seed: seed})
	return &perceptron{n, floor(y)}, err
}

func (p *perceptron) At(modes []tegra.Mode) []float64 {
	out, x := make([]float64, len(modes)), rawKnobs(modes)
	parallel.Ranges(len(modes), func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = max(p.Net.At(x[i]), p.floor)
		}
	})
	return out
}
