package learn

import (
	"context"
	"math"

	"jtune/learn/mlp"
	"jtune/learn/nn"
	"jtune/tegra"
)

// perceptron is the mlp method: minibatch time and power each by a small
// network, from core count and raw MHz. Like straight lines it may fall below
// zero, so values below floors are cut off.
type perceptron struct {
	time, power           *mlp.Net
	timeFloor, powerFloor float64
}

func fitPerceptron(ctx context.Context, samples []tegra.Measured, seed uint64) (pointPredictor, error) {
	p := perceptron{timeFloor: math.Inf(1), powerFloor: math.Inf(1)}
	x := make([][]float64, len(samples))
	timeMS, powerW := make([]float64, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		row := nn.Features(s.Mode)
		x[i], timeMS[i], powerW[i] = row[:], s.TimeMS, s.PowerW
		p.timeFloor, p.powerFloor = min(p.timeFloor, linearFloor*s.TimeMS), min(p.powerFloor, linearFloor*s.PowerW)
	}
	var err error
	if p.time, err = mlp.Fit(ctx, x, timeMS, mlp.Config{Seed: seed}); err != nil {
		return nil, err
	}
	p.power, err = mlp.Fit(ctx, x, powerW, mlp.Config{Seed: seed + 1}) // other weights to begin with
	return &p, err
}

func (p *perceptron) predict(modes []tegra.Mode) (timeMS, powerW []float64) {
	timeMS, powerW = make([]float64, len(modes)), make([]float64, len(modes))
	parallel(len(modes), func(from, to int) {
		for i := from; i < to; i++ {
			x := nn.Features(modes[i])
			timeMS[i], powerW[i] = max(p.time.At(x[:]), p.timeFloor), max(p.power.At(x[:]), p.powerFloor)
		}
	})
	return timeMS, powerW
}
