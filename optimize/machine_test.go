package optimize

import (
	"math"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

// Processors that fuse multiply and add (arm64 does, amd64 does not) round
// differently; predictions may differ by machineTolerance, relative, and the
// searches' golden list not at all. The values are amd64's. .ci/arm64 runs
// this under emulation.
const machineTolerance = 1e-8

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
