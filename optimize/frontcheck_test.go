package optimize

import (
	"math"
	"testing"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

func TestFrontCheckMeasuresTheMostChosenAndLeastSure(t *testing.T) {
	t.Parallel()
	var modes []tegra.Mode
	for _, m := range fourModes() {
		modes = append(modes, m.Mode)
	}
	space, err := tegra.NewSubspace(modes)
	if err != nil {
		t.Fatal(err)
	}
	var preds []learn.Prediction
	for i, m := range fourModes() {
		preds = append(preds, learn.Prediction{Mode: m.Mode, TimeMS: m.TimeMS, PowerW: m.PowerW, LnPowerSD: []float64{0.01, 0.02, 0.1, 0.03}[i]})
	}
	// One deviation above: 10.1, 18.4, 27.6 and 36.6 W. The choices are 0 for
	// two budgets, 1 for three, 2 for one, 3 for two.
	c := FrontCheck{Space: space, BudgetsW: []float64{9, 12, 17, 20, 22, 26, 30, 40, 50}, Margin: 1}
	var done []tegra.Measured
	// 1 × 0.1 comes first; once measured, mode 2 takes 26 W from mode 1, which
	// is left with 2 × 0.02 against 2 × 0.03 and 2 × 0.01.
	for step, want := range []int{2, 3, 1, 0} {
		got, ok := c.Next(preds, done)
		if i, _ := space.Index(got); !ok || i != want {
			t.Fatalf("step %d: got mode %d, %v, want %d", step, i, ok, want)
		}
		done = append(done, fourModes()[want])
	}
	if got, ok := c.Next(preds, done); ok {
		t.Errorf("all choices are measured, yet %v is to be", got)
	}
	preds[0].TimeMS, preds[1].PowerW = math.NaN(), 0
	if _, ok := c.Next(preds[:2], nil); ok {
		t.Error("predictions without a value were chosen")
	}
}

// Recipe §10: front of 30 modes with one deviation of margin and 10 checks.
func TestAVerifiedFrontKeepsItsLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of work")
	}
	t.Parallel()
	r, err := Evaluate(t.Context(), EvaluateOptions{Truth: sweeptest.Load(t, sweeptest.MobileNet), Sizes: []int{30}, Seeds: 10, Methods: []string{EvalGPVerify, EvalGP}})
	if err != nil {
		t.Fatal(err)
	}
	rows := byMethod(r)
	got, plain := rows[EvalGPVerify], rows[EvalGP]
	t.Logf("verified %+v\nplain %+v", got, plain)
	if got.PenaltyPct.V.Median > 3.5 || got.Over1WPct.V > 2 || got.Probes > 40 {
		t.Errorf("penalty %.2f %%, %.1f %% over by more than a watt, %g modes; want 3.5, 2 and 40 at most", got.PenaltyPct.V.Median, got.Over1WPct.V, got.Probes)
	}
	if got.AreaW.V > plain.AreaW.V {
		t.Errorf("verified choices are over by %.3f W on average, unverified ones by %.3f", got.AreaW.V, plain.AreaW.V)
	}
}
