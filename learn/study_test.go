package learn

import (
	"os"
	"testing"

	"jtune/internal/must"
	"jtune/learn/baseline/nn"
)

func TestModelLeaveOutJudgesEachSampleOnce(t *testing.T) {
	space := smallSpace(t)
	for _, method := range []Method{GP, Linear, Forest} {
		m := must.Get(Fit(t.Context(), truths(space.Sample(20, 3)), Options{Method: method, Space: space, Seed: 1}))(t)
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
	must.NoError(t, err)
	curve, err := m.Curve(t.Context(), []int{0, 4, 20, 29, 30, 99})
	if err != nil || len(curve) != 2 {
		t.Fatalf("curve %v (%v), want the two sizes that leave three modes to judge by", curve, err)
	}
	for _, p := range curve {
		if !(p.TimeRange[0] <= p.TimeMAPEPct && p.TimeMAPEPct <= p.TimeRange[1]) ||
			!(p.PowerRange[0] <= p.PowerMAPEPct && p.PowerMAPEPct <= p.PowerRange[1]) {
			t.Errorf("a median lies outside of its draws: %+v", p)
		}
	}
	if curve[1].TimeMAPEPct >= curve[0].TimeMAPEPct {
		t.Errorf("error %.2f %% with 4 modes, %.2f %% with 20: it does not fall",
			curve[0].TimeMAPEPct, curve[1].TimeMAPEPct)
	}
	curve = must.Get(m.Curve(t.Context(), []int{6, 8, 10, 12, 15, 20, 25}))(t)
	for i := 1; i < len(curve); i++ {
		if at, before := curve[i], curve[i-1]; at.TimeMAPEPct > 1.3*before.TimeMAPEPct {
			t.Errorf("error %.2f %% with %d modes, %.2f %% with %d: it rises", before.TimeMAPEPct, before.Modes,
				at.TimeMAPEPct, at.Modes)
		}
	}
	if _, err := (&Model{Method: GP}).LeaveOut(t.Context()); err == nil {
		t.Error("a model without samples was studied")
	}
}

func TestModelLossesFallAndBelongToNetworksAlone(t *testing.T) {
	t.Parallel()
	if _, err := (&Model{Method: GP}).Losses(t.Context()); err == nil {
		t.Error("a model without networks has losses")
	}
	if os.Getenv("JTUNE_LONG") == "" {
		return // trains two networks; of one training TestHistory in learn/baseline/nn
	}
	space := smallSpace(t)
	m := &Model{Method: NN, Space: space, Samples: truths(space.Sample(6, 3)), Seed: 1}
	nets := must.Get(m.Losses(t.Context()))(t)
	for _, n := range []*nn.Net{nets.Time, nets.Power} {
		r := n.Report
		if len(r.History) != r.Epochs {
			t.Fatalf("%d losses of %d passes", len(r.History), r.Epochs)
		}
		if kept := r.History[r.BestEpoch-1].Held; kept != r.BestLoss || kept >= r.History[0].Held {
			t.Errorf("kept pass %d of loss %g, reported %g; the first pass left %g", r.BestEpoch, kept, r.BestLoss,
				r.History[0].Held)
		}
	}
}
