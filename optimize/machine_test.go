package optimize

import (
	"math"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Processors that fuse multiply and add (arm64 does, amd64 does not) round
// differently; the searches must not. The values are amd64's. Predictions may
// differ by machineTolerance, relative; the modes probed not at all.
// .ci/arm64 runs this under emulation.
const machineTolerance = 1e-8

func TestTuneIsTheSameOnEveryMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		o              TuneOptions
		probes         string
		timeMS, powerW float64 // predicted at the end for the answer
	}{
		{"fastest within a power limit", TuneOptions{Limit: metric.Watts(25), Seed: 1},
			"2c/0.30C/0.15G/0.80M 4c/0.80C/0.63G/3.20M 4c/1.05C/0.95G/3.20M " +
				"4c/1.30C/0.95G/3.20M 4c/1.55C/0.95G/3.20M 4c/1.30C/0.79G/1.60M " +
				"6c/1.55C/0.95G/3.20M 8c/1.80C/0.79G/3.20M 6c/1.80C/0.95G/1.60M " +
				"8c/1.80C/0.95G/1.60M 4c/2.05C/0.95G/1.60M 8c/1.80C/0.95G/1.60M",
			86.102340152688058, 24.620399963493036},
		{"least power within a time limit", TuneOptions{Limit: metric.Millis(90), Seed: 2},
			"4c/0.55C/0.47G/0.80M 4c/1.30C/1.11G/3.20M 6c/1.55C/0.95G/3.20M 2c/2.05C/0.79G/1.60M " +
				"6c/1.55C/0.79G/3.20M 6c/1.55C/0.95G/1.60M 4c/1.80C/0.95G/1.60M 4c/2.05C/0.95G/1.60M " +
				"6c/1.55C/0.95G/1.60M 6c/1.55C/0.95G/1.60M",
			90.272608227405016, 22.889614091947514},
		{"least energy", TuneOptions{Limit: metric.LeastEnergy, Seed: 3},
			"6c/1.30C/0.95G/3.20M 8c/0.55C/0.95G/3.20M 4c/1.55C/1.11G/1.60M " +
				"2c/1.30C/1.11G/3.20M 8c/1.30C/0.95G/1.60M 8c/1.30C/0.63G/1.60M " +
				"8c/1.30C/0.79G/1.60M 8c/1.05C/0.79G/1.60M 6c/1.30C/0.79G/1.60M " +
				"8c/1.30C/0.79G/0.80M 8c/1.30C/0.79G/1.60M",
			104.86703991466845, 19.348989779846448},
	} {
		b := optimizetest.New(t)
		c.o.Space = b.Space
		res, err := tuneModes(t.Context(), b.Measure, c.o)
		must.NoError(t, err)
		var probes []string
		for _, m := range b.Probed {
			probes = append(probes, m.String())
		}
		if got := strings.Join(probes, " "); got != c.probes {
			t.Errorf("%s: probed\n%s\nwant\n%s", c.name, got, c.probes)
		}
		p := res.Model.Predict([]tegra.Mode{res.Mode})[0]
		alike(t, c.name+": time", p.TimeMS, c.timeMS)
		alike(t, c.name+": power", p.PowerW, c.powerW)
	}
}

func TestFitIsTheSameOnEveryMachine(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	var rows []tegra.Measured
	for _, m := range b.Space.Sample(40, 5) {
		rows = append(rows, b.Answer(m))
	}
	for _, c := range []struct {
		method         learn.Method
		timeMS, powerW float64 // in the highest mode
	}{{learn.GP, 62.758827126014587, 38.774220887165512}, {learn.Linear, 36.426162826503152, 31.882921253628396},
		{learn.Tree, 72.852325653006304, 33.395783090473053}, {learn.Forest, 83.514930710068967, 29.321993362794636}} {
		m, err := learn.Fit(t.Context(), rows, learn.Options{Method: c.method, Space: b.Space, Seed: 1, SkipCV: true})
		must.NoError(t, err)
		p := m.Predict([]tegra.Mode{b.Space.Max()})[0]
		alike(t, string(c.method)+": time", p.TimeMS, c.timeMS)
		alike(t, string(c.method)+": power", p.PowerW, c.powerW)
	}
}

func alike(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got/want-1) <= machineTolerance) {
		t.Errorf("%s: got %.17g, want %.17g within %g", what, got, want, machineTolerance)
	}
}
