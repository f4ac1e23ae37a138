package learn

import (
	"context"

	"jtune/learn/mlp"
	"jtune/tegra"
)

// perceptron is the mlp method: a small network (package mlp), cut off at
// floor.
type perceptron struct {
	*mlp.Net
	floor float64
}

func fitPerceptron(ctx context.Context, modes []tegra.Mode, y []float64, seed uint64) (target, error) {
	n, err := mlp.Fit(ctx, rawKnobs(modes), y, mlp.Config{Seed: seed})
	return &perceptron{n, lowest(y)}, err
}

func (p *perceptron) at(modes []tegra.Mode) []float64 {
	out, x := make([]float64, len(modes)), rawKnobs(modes)
	parallel(len(modes), func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = max(p.At(x[i]), p.floor)
		}
	})
	return out
}
