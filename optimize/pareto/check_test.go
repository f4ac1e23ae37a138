package pareto

import (
	"math"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/tegra"
)

func TestCheckMeasuresTheMostChosenAndLeastSure(t *testing.T) {
	t.Parallel()
	at := func(cores int, timeMS, powerW float64) tegra.Measured {
		mode := tegra.Mode{Cores: cores, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}
		return tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: timeMS, PowerW: powerW}
	}
	four := []tegra.Measured{at(1, 400, 10), at(2, 200, 18), at(3, 150, 25), at(4, 100, 35.5)}
	space := must.Get(tegra.NewSubspace(tegra.ModesOf(tegra.SettingsOf(four))))(t)
	var preds []learn.Prediction
	for i, m := range four {
		preds = append(preds, learn.Prediction{
			Measured:  tegra.Measured{Setting: tegra.Setting{Mode: m.Mode}, TimeMS: m.TimeMS, PowerW: m.PowerW},
			LnPowerSD: []float64{0.01, 0.02, 0.1, 0.03}[i]})
	}
	// One deviation above: 10.1, 18.4, 27.6 and 36.6 W. The choices are 0 for
	// two budgets, 1 for three, 2 for one, 3 for two.
	c := Check{Space: space, BudgetsW: []float64{9, 12, 17, 20, 22, 26, 30, 40, 50}}
	var done []tegra.Measured
	// 1 × 0.1 is first; once measured, mode 2 takes over 26 W from mode 1, leaving it 2 × 0.02 against 2 × 0.03 and 2 ×
	// 0.01.
	for step, want := range []int{2, 3, 1, 0} {
		got, ok := c.Next(preds, done)
		if i, _ := space.Index(got); !ok || i != want {
			t.Fatalf("step %d: got mode %d, %v, want %d", step, i, ok, want)
		}
		done = append(done, four[want])
	}
	if got, ok := c.Next(preds, done); ok {
		t.Errorf("all choices are measured, yet %v is to be", got)
	}
	preds[0].TimeMS, preds[1].PowerW = math.NaN(), 0
	if _, ok := c.Next(preds[:2], nil); ok {
		t.Error("predictions without a value were chosen")
	}
}
