package learn

import (
	"math"
	"path/filepath"
	"testing"

	"jtune/internal/must"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// withoutPower forgets the power of measured modes.
func withoutPower(samples []tegra.Measured) []tegra.Measured {
	out := append([]tegra.Measured(nil), samples...)
	for i := range out {
		out[i].PowerW = math.NaN()
	}
	return out
}

// Without any power every method predicts the very time that it does with
// power, no power at all, and the same from its file.
func TestFitWithoutPowerGivesAModelOfTime(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(16, 5))
	brief := nn.Config{Epochs: 2, MinSteps: -1}
	for _, method := range Methods() {
		if testing.Short() && (method == PowerTrain || method == NN || method == MLP) {
			continue // trains networks
		}
		o := Options{Method: method, Space: space, Network: &brief, Seed: 4}
		m, both := mustFit(t, withoutPower(samples), o), mustFit(t, samples, o)
		if m.HasPower() || !both.HasPower() || !hasWarning(m, "power was not measured") {
			t.Errorf("%s: has power %t, with power %t, warnings %q", method, m.HasPower(), both.HasPower(), m.Warnings)
		}
		if !math.IsNaN(m.CV.PowerMAPEPct) || m.CV.TimeMAPEPct != both.CV.TimeMAPEPct {
			t.Errorf("%s: errors %+v, want those of %+v in time and none in power", method, m.CV, both.CV)
		}
		want, got := both.Predict(space.Modes()), m.Predict(space.Modes())
		for i, p := range got {
			if p.TimeMS != want[i].TimeMS || p.TimeHiMS != want[i].TimeHiMS {
				t.Fatalf("%s: predicts %+v, with power %+v", method, p, want[i])
			}
			for _, v := range []float64{p.PowerW, p.PowerLoW, p.PowerHiW, p.LnPowerSD, p.EnergyJ()} {
				if !math.IsNaN(v) {
					t.Fatalf("%s: made up power: %+v", method, p)
				}
			}
		}
		path := filepath.Join(t.TempDir(), "m.model")
		must.NoError(t, m.Save(path))
		again := must.Get(Load(path))(t)
		if again.HasPower() || !math.IsNaN(again.CV.PowerMAPEPct) || !math.IsNaN(again.Samples[3].PowerW) {
			t.Errorf("%s: the file made up power: %+v, %+v", method, again.CV, again.Samples[3])
		}
		for i, p := range again.Predict(space.Modes()) {
			if p.TimeMS != got[i].TimeMS || p.TimeLoMS != got[i].TimeLoMS || !math.IsNaN(p.PowerW) {
				t.Fatalf("%s: the file predicts %+v, the model %+v", method, p, got[i])
			}
		}
		if _, err := LoadReference(path); err == nil {
			t.Errorf("%s: taken as a reference", method)
		}
	}
}

func TestFitRejectsPowerOfSomeSamplesOnly(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(5, 5))
	samples[2].PowerW = math.NaN()
	for _, method := range Methods() {
		if _, err := Fit(t.Context(), samples, Options{Method: method, Space: space}); err == nil {
			t.Errorf("%s: no error", method)
		}
	}
	if _, err := FitSurrogate(space, samples, SurrogateOptions{}); err == nil {
		t.Error("surrogate: no error")
	}
}

// A reference helps with time alone too.
func TestFitWithoutPowerUsesAReference(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	r := &Reference{Name: "other", Samples: truths(space.Sample(120, 4))}
	samples := truths(space.Sample(16, 5))
	m, both := mustFit(t, withoutPower(samples), Options{Space: space, Reference: r}), mustFit(t, samples,
		Options{Space: space, Reference: r})
	for i, p := range m.Predict(space.Modes()) {
		if want := both.Predict([]tegra.Mode{p.Mode})[0]; math.Abs(p.TimeMS/want.TimeMS-1) > 1e-12 {
			t.Fatalf("mode %d: %g ms, with power %g", i, p.TimeMS, want.TimeMS)
		}
	}
	if left, err := m.LeaveOut(t.Context()); err != nil || len(left) != len(samples) ||
		!math.IsNaN(left[0].Prediction.PowerW) {
		t.Errorf("left out: %d, %v", len(left), err)
	}
	got, want := Importance(m, space, space.Max(), 1), Importance(both, space, space.Max(), 1)
	if math.Abs(got[0].TimeX/want[0].TimeX-1) > 1e-12 || !math.IsNaN(got[0].PowerX) {
		t.Errorf("importance %+v, with power %+v", got, want)
	}
}
