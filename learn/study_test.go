package learn

import "testing"

func TestModelLeaveOutJudgesEachSampleOnce(t *testing.T) {
	space := smallSpace(t)
	for _, method := range []Method{GP, Linear, Forest} {
		m, err := Fit(t.Context(), truths(space.Sample(20, 3)), Options{Method: method, Space: space, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		left, err := m.LeaveOut(t.Context())
		if err != nil || len(left) != len(m.Samples) {
			t.Fatalf("%s: %d modes judged (%v), want all %d", method, len(left), err, len(m.Samples))
		}
		var pred, obs []float64
		for _, l := range left {
			pred, obs = append(pred, l.Prediction.TimeMS), append(obs, l.Measured.TimeMS)
		}
		if got, want := MAPE(pred, obs), m.CV.TimeMAPEPct; got < want*0.999 || got > want*1.001 {
			t.Errorf("%s: error of the left-out modes %.3f %%, cross-validation said %.3f %%", method, got, want)
		}
	}
}

func TestModelCurveFallsAndSkipsWhatCannotBeJudged(t *testing.T) {
	space := smallSpace(t)
	m, err := Fit(t.Context(), truths(space.Sample(30, 3)), Options{Method: GP, Space: space, Seed: 1, SkipCV: true})
	if err != nil {
		t.Fatal(err)
	}
	curve, err := m.Curve(t.Context(), []int{0, 4, 20, 29, 30, 99})
	if err != nil || len(curve) != 2 {
		t.Fatalf("curve %v (%v), want the two sizes that leave three modes to judge by", curve, err)
	}
	if curve[1].TimeMAPEPct >= curve[0].TimeMAPEPct {
		t.Errorf("error %.2f %% with 4 modes, %.2f %% with 20: it does not fall",
			curve[0].TimeMAPEPct, curve[1].TimeMAPEPct)
	}
	if _, err := (&Model{Method: GP}).LeaveOut(t.Context()); err == nil {
		t.Error("a model without samples was studied")
	}
}
