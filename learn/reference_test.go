package learn

import (
	"fmt"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/sweep/sweeptest"
)

// Bars with the sweep of ResNet as reference, on MobileNet by the modes that the paper's authors drew.
func TestReferenceHelpsAndNeverHurtsMuch(t *testing.T) {
	if testing.Short() {
		t.Skip("fits sixty models")
	}
	t.Parallel()
	o := SurrogateOptions{Grid: true, Robust: 2}
	resnet := &Reference{Samples: sweeptest.Load(t, sweeptest.ResNet)}
	mobile, lstm := loadSweep(t, sweeptest.MobileNet), loadSweep(t, sweeptest.LSTM)
	leanOn := map[string]*Residual{} // of each sweep's board
	for name, s := range map[string]sweepOf{"MobileNet": mobile, "LSTM": lstm} {
		residual, err := resnet.Residual(s.space)
		must.NoError(t, err)
		leanOn[name] = residual
	}
	for _, n := range []int{10, 20, 50} {
		var authors, drawn [][]int
		for _, modes := range authorsSamples(t, n) {
			var places []int
			for _, text := range modes {
				places = append(places, mobile.place(t, text))
			}
			authors = append(authors, places)
		}
		for seed := range seeds() {
			drawn = append(drawn, randomPlaces(len(lstm.rows), n, uint64(seed)))
		}
		for name, c := range map[string]struct {
			s       sweepOf
			samples [][]int
		}{"MobileNet": {mobile, authors}, "LSTM": {lstm, drawn}} {
			with := o
			with.Reference = leanOn[name]
			var leaning, alone []score
			for _, places := range c.samples {
				in, out := c.s.split(places)
				leaning = append(leaning, scoreOf(t, c.s, in, out, with))
				alone = append(alone, scoreOf(t, c.s, in, out, o))
			}
			got, plain := medians(leaning), medians(alone)
			what := fmt.Sprintf("%s from %d modes", name, n)
			t.Logf("%s: with %.2f / %.2f, without %.2f / %.2f",
				what, got.timeMAPE, got.powerMAPE, plain.timeMAPE, plain.powerMAPE)
			atMost(t, what+": time MAPE % against none", got.timeMAPE, 1.15*plain.timeMAPE)
			atMost(t, what+": power MAPE % against none", got.powerMAPE, 1.15*plain.powerMAPE)
			if name == "MobileNet" && n == 50 {
				atMost(t, what+": time MAPE %", got.timeMAPE, 4.8)
				atMost(t, what+": power MAPE %", got.powerMAPE, 2.1)
			}
			if !testing.Short() && (got.time95 < 84 || got.power95 < 84 || got.time80 < 70 || got.power80 < 70) {
				t.Errorf("%s: bands cover %+v", what, got)
			}
		}
	}
}
