package learn

import (
	"testing"

	"jtune/internal/stats"
	"jtune/tegra/sweep/sweeptest"
)

// Quartiles of scikit-learn's random forest of logarithms on the ten samples per size of
// PowerTrain's authors, and ours there.
func TestForestErrorsAreThoseOfScikitLearn(t *testing.T) {
	if testing.Short() {
		t.Skip("grows hundreds of forests")
	}
	t.Parallel()
	const slack = 1.03 // ties between cuts fall otherwise where multiply-adds are fused
	s := loadSweep(t, sweeptest.MobileNet)
	for _, c := range []struct {
		modes                            int
		timeQ1, timeQ3, powerQ1, powerQ3 float64
	}{
		{10, 36.6, 42.6, 15.5, 18.5},
		{20, 27.6, 30.8, 12.2, 15.2},
		{50, 15.4, 18.1, 8.2, 11.1},
		{100, 8.6, 10.1, 5.6, 6.2},
	} {
		var time, power []float64
		for k, modes := range authorsSamples(t, c.modes) {
			var places []int
			for _, text := range modes {
				places = append(places, s.place(t, text))
			}
			in, out := s.split(places)
			m := mustFit(t, in, Options{Method: Forest, Space: s.space, Seed: uint64(k), SkipCV: true})
			a, b := errorsOn(m, out)
			time, power = append(time, a), append(power, b)
		}
		mt, mp := stats.Median(time), stats.Median(power)
		t.Logf("%d modes: %.1f %% time, %.1f %% power", c.modes, mt, mp)
		if mt < c.timeQ1/slack || mt > c.timeQ3*slack || mp < c.powerQ1/slack || mp > c.powerQ3*slack {
			t.Errorf("%d modes: %.1f / %.1f %%, want %g–%g / %g–%g",
				c.modes, mt, mp, c.timeQ1, c.timeQ3, c.powerQ1, c.powerQ3)
		}
	}
}
