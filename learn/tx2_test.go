package learn

import (
	"fmt"
	"testing"

	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// tx2 is a sweep of InceptionV3 inference on a Jetson TX2 at an image size, of
// time alone.
func tx2(t testing.TB, pixels int) sweepOf {
	t.Helper()
	var s sweepOf
	var modes []tegra.Mode
	s.rows = sweeptest.LoadTimes(
		t,
		fmt.Sprintf("data/sweeps/flexibo-tx2/tx2_sampled_output_inceptionv3_%dx%d.csv", pixels, pixels),
	)
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
