package learn

import (
	"fmt"
	"os"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// Bars on MobileNet by the modes that the paper's authors drew, and on LSTM by random ones: alone, and with the
// sweep of ResNet as reference.
func TestReferenceHelpsAndNeverHurtsMuch(t *testing.T) {
	if testing.Short() {
		t.Skip("fits sixty models")
	}
	t.Parallel()
	resnet := &Reference{Samples: sweeptest.Load(t, sweeptest.ResNet)}
	mobile, lstm := loadSweep(t, sweeptest.MobileNet), loadSweep(t, sweeptest.LSTM)
	residual, err := resnet.Residual(mobile.space) // LSTM's sweep has the same grid
	must.NoError(t, err)
	leaned := finally
	leaned.Reference = residual
	for n, bar := range map[int][2]float64{10: {9, 4.2}, 20: {8, 3.6}, 50: {5.5, 2.5}} {
		if n == 20 && os.Getenv("JTUNE_LONG") == "" {
			continue
		}
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
			var leaning, alone []score
			for _, places := range c.samples {
				in, out := c.s.split(places)
				leaning = append(leaning, scoreOf(t, c.s, in, out, leaned))
				alone = append(alone, scoreOf(t, c.s, in, out, finally))
			}
			got, plain := medians(leaning), medians(alone)
			what := fmt.Sprintf("%s from %d modes", name, n)
			t.Logf("%s: with %.2f / %.2f, without %.2f / %.2f",
				what, got.timeMAPE, got.powerMAPE, plain.timeMAPE, plain.powerMAPE)
			if name == "MobileNet" {
				atMost(t, what+": time MAPE % alone", plain.timeMAPE, bar[0])
				atMost(t, what+": power MAPE % alone", plain.powerMAPE, bar[1])
			}
			atMost(t, what+": time MAPE % against none", got.timeMAPE, 1.15*plain.timeMAPE)
			atMost(t, what+": power MAPE % against none", got.powerMAPE, 1.15*plain.powerMAPE)
			if name == "MobileNet" && n == 50 {
				atMost(t, what+": time MAPE %", got.timeMAPE, 4.8)
				atMost(t, what+": power MAPE %", got.powerMAPE, 2.1)
			}
			if got.time95 < 84 || got.power95 < 84 || got.time80 < 70 || got.power80 < 70 {
				t.Errorf("%s: bands cover %+v", what, got)
			}
		}
	}
}

// tx2 is a sweep of InceptionV3 inference on a Jetson TX2 at an image size, of
// time alone.
func tx2(t testing.TB, pixels int) sweepOf {
	t.Helper()
	var s sweepOf
	var modes []tegra.Mode
	s.rows = sweeptest.LoadTimes(t,
		fmt.Sprintf("data/sweeps/flexibo-tx2/tx2_sampled_output_inceptionv3_%dx%d.csv", pixels, pixels))
	for _, m := range s.rows {
		modes = append(modes, m.Mode)
	}
	var err error
	if s.space, err = tegra.NewSubspace(modes); err != nil {
		t.Fatal(err)
	}
	return s
}

// The Orin's priors hold for another SoC, framework and inference. The bounds are the results of the method's
// prototype, with a margin for other samples: from ten modes, medians over a dozen samples differ by up to 40 %.
func TestFitPredictsTimesOfATX2FromFewModes(t *testing.T) {
	t.Parallel()
	for pixels, want := range map[int]map[int]float64{
		200: {10: 7.8, 20: 5.6, 50: 4.7},
		400: {10: 8.0, 20: 5.6, 50: 4.1},
		600: {10: 5.4, 20: 4.7, 50: 3.4},
		800: {10: 4.3, 20: 3.5, 50: 2.3},
	} {
		s := tx2(t, pixels)
		for n, bar := range want {
			var scores []score
			for seed := range seeds() {
				in, out := s.split(randomPlaces(len(s.rows), n, uint64(seed)))
				scores = append(scores, scoreOf(t, s, in, out, finally))
			}
			got := medians(scores)
			t.Logf("%d px, %d modes: %.1f %%, 80 %% bands cover %.0f %%", pixels, n, got.timeMAPE, got.time80)
			slack := 1.4
			if testing.Short() {
				slack = 1.7 // a median of three
			}
			atMost(t, fmt.Sprintf("%d px, time MAPE %% from %d modes", pixels, n), got.timeMAPE, bar*slack)
		}
	}
}
