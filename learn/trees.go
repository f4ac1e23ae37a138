package learn

import (
	"context"
	"math"

	"jtune/learn/forest"
	"jtune/tegra"
)

// trees is the methods tree and forest: the logarithm of a quantity from those
// of core count and frequencies. Logarithms of the inputs change only where a
// cut lies between two measured settings.
type trees struct{ *forest.Forest }

func logKnobs(m tegra.Mode) []float64 {
	x := make([]float64, tegra.NumKnobs)
	for k := range x {
		x[k] = math.Log(max(m.Value(tegra.Knob(k)), math.SmallestNonzeroFloat64))
	}
	return x
}

// growing fits trees with these settings but for the seed.
func growing(c forest.Config) fitTarget {
	return func(_ context.Context, modes []tegra.Mode, y []float64, seed uint64) (target, error) {
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

func (t trees) at(modes []tegra.Mode) []float64 {
	out := make([]float64, len(modes))
	parallel(len(modes), func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = math.Exp(t.At(logKnobs(modes[i])))
		}
	})
	return out
}
