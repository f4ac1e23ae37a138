package mix

import (
	"math"
	"math/rand/v2"
	"testing"

	"jtune/internal/arrivals"
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
		mean, some := 0.0, 0.0
		const draws = 20000
		for range draws {
			room := c.window - c.serve*(1+c.sdServe*rng.NormFloat64())
			n := max(0, math.Floor(room/(c.train*max(0.05, 1+c.sdTrain*rng.NormFloat64()))+1e-9))
			if c.most > 0 {
				n = min(n, float64(c.most))
			}
			mean += n / draws
			some += min(n, 1) / draws
		}
		near := 0.05
		if c.sdTrain*mean > 4 { // the mean of 1/t differs from 1/mean of t
			near += 1.2 * c.sdTrain * c.sdTrain * mean
		}
		if got := float64(o.Tau) + o.more; math.Abs(got-mean) > near {
			t.Errorf("%+v: %.2f minibatches expected, %.2f in the mean", c, got, mean)
		}
		if math.Abs(o.trains-some) > 0.02 {
			t.Errorf("%+v: one fits with a chance of %.3f, %.3f in the mean", c, o.trains, some)
		}
	}
}

// A search does not end with an answer that trains nothing while a mix that may train is open and probes are left.
func TestSearchDoesNotConvergeOnAnAnswerThatTrainsNothing(t *testing.T) {
	t.Parallel()
	slow, fast := modeOf(1), modeOf(2)
	s := &search{o: Options{Ask: Ask{Want: MostTraining, Load: arrivals.Load{Pattern: arrivals.Uniform, RatePerS: 1}}},
		train: &Phase{}}
	best := Outcome{Setting: tegra.Setting{Mode: slow}, Policy: Strict}
	open := func(trains float64) Outcome {
		return Outcome{Setting: tegra.Setting{Mode: fast}, Policy: Strict, trains: trains, more: trains, windowS: 1,
			serve: &noPhase, train: &learn.Prediction{}}
	}
	for trains, want := range map[float64]bool{0: false, 0.02: false, 0.06: true, 0.4: true} {
		if got := s.worth(open(trains), best); got != want {
			t.Errorf("a mix that trains with a chance of %g is worth a measurement: %v", trains, got)
		}
	}
}

func modeOf(n int) tegra.Mode {
	return tegra.Mode{Cores: n, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}
}
