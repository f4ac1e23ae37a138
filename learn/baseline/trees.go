package baseline

import (
	"context"
	"math"

	"jtune/learn/baseline/forest"
	"jtune/learn/internal/parallel"
	"jtune/tegra"
)

// trees are the methods tree and forest: the logarithm of a quantity by the
// logarithms of core count and frequencies. Logarithms of the inputs change only
// where a cut lies between two measured values.
type trees struct{ *forest.Forest }

func logKnobs(m tegra.Mode) []float64 {
	x := make([]float64, tegra.NumKnobs)
	for k := range x {
		x[k] = math.Log(max(m.Value(tegra.Knob(k)), math.SmallestNonzeroFloat64))
	}
	return x
}

// growing fits trees with these settings but for the seed.
func growing(c forest.Config) Fit {
	return func(_ context.Context, modes []tegra.Mode, y []float64, seed uint64) (Predictor, error) {
		x, lnY := make([][]float64, len(modes)), make([]float64, len(modes))
		for i, m := range modes {
			x[i], lnY[i] = logKnobs(m), math.Log(y[i])
		}
		c := c
		c.Seed = seed
		f, err := forest.Grow(x, lnY, c)
		return trees{f}, err
	}
}

func (t trees) At(modes []tegra.Mode) []float64 {
	out := make([]float64, len(modes))
	parallel.Ranges(len(modes), func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = math.Exp(t.Forest.At(logKnobs(modes[i])))
		}
	})
	return out
}
