package baseline

import (
	"context"
	"math"

	"jtune/learn/baseline/forest"
	"jtune/learn/baseline/linear"
	"jtune/learn/baseline/nn"
	"jtune/learn/internal/parallel"
	"jtune/tegra"
)

// each predicts a single mode.
type each func(m tegra.Mode) float64

// At predicts on all processors.
func (f each) At(modes []tegra.Mode) []float64 {
	out := make([]float64, len(modes))
	parallel.Ranges(len(modes), func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = f(modes[i])
		}
	})
	return out
}

// inputs returns the inputs of several modes.
func inputs(modes []tegra.Mode, of func(m tegra.Mode) []float64) [][]float64 {
	out := make([][]float64, len(modes))
	for i, m := range modes {
		out[i] = of(m)
	}
	return out
}

// floor is the lowest prediction of linear, which could otherwise be negative: half the lowest measured value.
func floor(y []float64) float64 {
	least := math.Inf(1)
	for _, v := range y {
		least = min(least, v/2)
	}
	return least
}

// line is the method linear: linear in core count and raw MHz (package linear), but at least floor.
type line struct {
	each
	fit linear.Regression
}

// Warning describes the limitations of the fit; "" for none.
func (l line) Warning() string { return l.fit.Warning() }

func fitLine(_ context.Context, modes []tegra.Mode, y []float64, _ uint64) (Predictor, error) {
	r, err := linear.Fit(inputs(modes, linear.Knobs), y)
	least := floor(y)
	return line{func(m tegra.Mode) float64 { return max(r.At(linear.Knobs(m)), least) }, r}, err
}

// perceptron is the method mlp, which PowerTrain's authors tried and rejected: a network of one hidden layer, without
// dropout and held-out modes, in scikit-learn's number of passes. On MobileNet it has errors of about 62 / 9 % in time
// and power from 10 modes and 27 / 6 % from 50; the authors' runs have 50.6 / 22.9 and 25.6 / 8.3 %.
type perceptron struct{ network }

var perceptrons = nn.Config{Layers: nn.Layers{104}, Dropout: -1, Holdout: -1, Batch: 200, Epochs: 200, MinSteps: 5000}

func fitPerceptron(ctx context.Context, modes []tegra.Mode, y []float64, seed uint64) (Predictor, error) {
	c := perceptrons
	c.Seed = seed
	n, err := nn.Train(ctx, nn.Inputs(modes), y, c)
	return perceptron{network{n}}, err
}

func logKnobs(m tegra.Mode) []float64 {
	x := make([]float64, tegra.NumKnobs)
	for k := range x {
		x[k] = math.Log(max(m.Value(tegra.Knob(k)), math.SmallestNonzeroFloat64))
	}
	return x
}

// growing returns the methods tree and forest for a configuration without its seed: the logarithm of a quantity as a
// function of the logarithms of core count and frequencies. Logarithms of inputs only move a split between two measured
// values.
func growing(c forest.Config) Fit {
	return func(_ context.Context, modes []tegra.Mode, y []float64, seed uint64) (Predictor, error) {
		lnY := make([]float64, len(y))
		for i, v := range y {
			lnY[i] = math.Log(v)
		}
		c := c
		c.Seed = seed
		f, err := forest.Grow(inputs(modes, logKnobs), lnY, c)
		return each(func(m tegra.Mode) float64 { return math.Exp(f.At(logKnobs(m))) }), err
	}
}
