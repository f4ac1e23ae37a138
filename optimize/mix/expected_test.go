package mix

import (
	"math"
	"math/rand/v2"
	"testing"

	"jtune/learn"
	"jtune/tegra"
)

// The whole minibatches to expect are those that fit in the mean where the times scatter about their medians.
func TestExpectedMinibatchesAreTheMeanOfThoseThatFit(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		window, serve, train, sdServe, sdTrain float64 // s
		most                                   int
	}{
		{1, 0.2, 0.9, 0.05, 0.15, 0}, {1, 0.2, 0.7, 0.02, 0.05, 0}, {1, 0.1, 0.28, 0.1, 0.08, 0},
		{1, 0.1, 0.28, 0.1, 0.08, 2},
		{10, 1, 0.1, 0.05, 0.1, 0}, {30, 1, 0.1, 0.05, 0.02, 0}, {1, 0.3, 0.5, 0, 0, 0}, {1, 0.2, 1, 0.05, 0.2, 0},
		{1, 0.2, 0.9, 0.05, 0.15, 1}, {1, 0.1, 0.28, 0.1, 0.08, 1},
	} {
		o := Outcome{serve: &learn.Prediction{LnTimeSD: c.sdServe},
			train: &learn.Prediction{Measured: tegra.Measured{TimeMS: 1000 * c.train}, LnTimeSD: c.sdTrain}}
		o.Tau = int((c.window-c.serve)/c.train + 1e-9)
		if c.most > 0 {
			o.Tau = min(o.Tau, c.most)
		}
		o.expect(c.most, c.window, c.serve)
		mean := 0.0
		const draws = 20000
		for range draws {
			room := c.window - c.serve*(1+c.sdServe*rng.NormFloat64())
			n := max(0, math.Floor(room/(c.train*max(0.05, 1+c.sdTrain*rng.NormFloat64()))+1e-9))
			if c.most > 0 {
				n = min(n, float64(c.most))
			}
			mean += n / draws
		}
		near := 0.05
		if c.sdTrain*mean > 4 { // the mean of 1/t differs from 1/mean of t
			near += 1.2 * c.sdTrain * c.sdTrain * mean
		}
		if got := float64(o.Tau) + o.more; math.Abs(got-mean) > near {
			t.Errorf("%+v: %.2f minibatches expected, %.2f in the mean", c, got, mean)
		}
	}
}

func modeOf(n int) tegra.Mode {
	return tegra.Mode{Cores: n, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}
}
