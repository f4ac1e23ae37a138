package learn

import (
	"math"

	"jtune/learn/forest"
	"jtune/tegra"
)

// trees is the methods tree and forest: logarithms of minibatch time and of
// power from those of core count and frequencies. Logarithms of the inputs
// change only where a cut lies between two measured settings.
type trees struct{ time, power *forest.Forest }

func logKnobs(m tegra.Mode) []float64 {
	x := make([]float64, tegra.NumKnobs)
	for k := range x {
		x[k] = math.Log(max(m.Value(tegra.Knob(k)), math.SmallestNonzeroFloat64))
	}
	return x
}

func fitTrees(samples []tegra.Measured, method Method, seed uint64) (pointPredictor, error) {
	c := forest.Config{Seed: seed}
	if method == Tree {
		c = forest.Tree
	}
	x := make([][]float64, len(samples))
	lnTime, lnPower := make([]float64, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		x[i], lnTime[i], lnPower[i] = logKnobs(s.Mode), math.Log(s.TimeMS), math.Log(s.PowerW)
	}
	var t trees
	var err error
	if t.time, err = forest.Grow(x, lnTime, c); err != nil {
		return nil, err
	}
	c.Seed++ // another draw of rows for power
	t.power, err = forest.Grow(x, lnPower, c)
	return &t, err
}

func (t *trees) predict(modes []tegra.Mode) (timeMS, powerW []float64) {
	timeMS, powerW = make([]float64, len(modes)), make([]float64, len(modes))
	parallel(len(modes), func(from, to int) {
		for i := from; i < to; i++ {
			x := logKnobs(modes[i])
			timeMS[i], powerW[i] = math.Exp(t.time.At(x)), math.Exp(t.power.At(x))
		}
	})
	return timeMS, powerW
}
