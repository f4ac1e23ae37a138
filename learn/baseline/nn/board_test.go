package nn

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

func timeMS(m tegra.Measured) float64 { return m.TimeMS }

// columns splits samples into a network's inputs and targets.
func columns(samples []tegra.Measured, value func(tegra.Measured) float64) (x [][inputs]float64, y []float64) {
	for _, s := range samples {
		x, y = append(x, Features(s.Mode)), append(y, value(s))
	}
	return x, y
}

// board is a made-up one: time falls with every knob by shares of a slow mode,
// power grows with each. slow scales the time, as another workload would.
func board(n int, seed uint64, slow float64) []tegra.Measured {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]tegra.Measured, n)
	for i := range out {
		m := tegra.Mode{Cores: 1 + r.IntN(12), CPU: tegra.Freq(200+r.IntN(2000)) * tegra.MHz,
			GPU: tegra.Freq(110+r.IntN(1200)) * tegra.MHz, EMC: tegra.Freq(200+r.IntN(3000)) * tegra.MHz}
		cpu, gpu, mem := m.CPU.GHz(), m.GPU.GHz(), m.EMC.GHz()
		out[i] = tegra.Measured{Setting: tegra.Setting{Mode: m},
			TimeMS: slow * (20/gpu + 15/cpu/math.Sqrt(float64(m.Cores)) + 10/mem),
			PowerW: 10 + 0.8*float64(m.Cores)*cpu + 12*gpu*gpu + 2*mem}
	}
	return out
}

// brief is a training long enough to learn something and no longer.
var brief = Config{Epochs: 30, MinSteps: -1, Batch: 16, Seed: 7}

// hundred is a brief training on a hundred modes, for tests that do not change it.
var hundred = sync.OnceValues(func() (*Net, error) {
	x, y := columns(board(100, 1, 1), timeMS)
	return Train(context.Background(), x, y, brief)
})

func trainedOnHundred(t *testing.T) *Net {
	t.Helper()
	return must.Get(hundred())(t)
}

func mustTrain(t *testing.T, samples []tegra.Measured, c Config) *Net {
	t.Helper()
	x, y := columns(samples, timeMS)
	return must.Get(Train(t.Context(), x, y, c))(t)
}

func mustTransfer(t *testing.T, n *Net, samples []tegra.Measured, c Config) *Net {
	t.Helper()
	x, y := columns(samples, timeMS)
	return must.Get(n.Transfer(t.Context(), x, y, c))(t)
}

// score returns the mean absolute percentage errors over samples.
func score(p Pair, samples []tegra.Measured) (timePct, powerPct float64) {
	modes := make([]tegra.Mode, len(samples))
	for i, s := range samples {
		modes[i] = s.Mode
	}
	times, powers := p.Predict(modes)
	for i, s := range samples {
		timePct += math.Abs(times[i]-s.TimeMS) / s.TimeMS
		powerPct += math.Abs(powers[i]-s.PowerW) / s.PowerW
	}
	n := float64(len(samples)) / 100
	return timePct / n, powerPct / n
}
