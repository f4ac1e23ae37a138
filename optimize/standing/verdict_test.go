package standing_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jtune/learn"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Whatever the readings are, a mode is within only if their mean keeps the limit, and over only if it does not.
// Readings far from the limit decide, and more of the same never unsay a verdict.
func TestVerdictOfNoModeWhoseMeanIsOverItsLimitIsWithin(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[standing.Verdict]int{}
	for range 4000 {
		limits := []metric.Goal{metric.Watts(30), metric.Millis(80),
			{Limits: metric.Power.Max(30).And(metric.Time.Max(80))}}
		l, off, scatter := limits[rng.IntN(3)], 0.02*rng.NormFloat64(), 0.03*rng.Float64()
		var list []tegra.Measured
		sumMS, sumW := 0.0, 0.0
		for range 1 + rng.IntN(standing.MostReadings) {
			m := tegra.Measured{TimeMS: 80 * math.Exp(off+scatter*rng.NormFloat64()),
				PowerW: 30 * math.Exp(off+scatter*rng.NormFloat64())}
			list, sumMS, sumW = append(list, m), sumMS+m.TimeMS, sumW+m.PowerW
		}
		n := float64(len(list))
		over := l.Of(metric.Power) > 0 && sumW/n > l.Of(metric.Power) || l.Of(metric.Time) > 0 &&
			sumMS/n > l.Of(metric.Time)
		got := standing.VerdictOf(l, list)
		seen[got]++
		if got == standing.Keeps && over || got == standing.Exceeds && !over || got == standing.NoVerdict {
			t.Fatalf("%v of %v: %v", got, l, list)
		}
		if twice := standing.VerdictOf(l, append(list, list...)); got != standing.AtLimit && twice != got {
			t.Errorf("%v, then %v: %v", got, twice, list)
		}
	}
	for _, v := range []standing.Verdict{standing.Keeps, standing.AtLimit, standing.Exceeds} {
		if seen[v] < 100 {
			t.Errorf("%q was tried %d times", v, seen[v])
		}
	}
	for _, c := range []struct {
		watts []float64
		want  standing.Verdict
	}{
		{[]float64{30.1, 30.5, 30.1}, standing.AtLimit},
		{[]float64{30.3, 30.1, 30.1, 30.4, 30.5, 30.4}, standing.Exceeds},
		{[]float64{15.2, 15.2, 15.2}, standing.Keeps}, {[]float64{29}, standing.Keeps},
		{[]float64{31}, standing.Exceeds},
		{[]float64{30}, standing.AtLimit}, {[]float64{29, 29.3, 29.7}, standing.Keeps}, {nil, standing.AtLimit},
	} {
		var list []tegra.Measured
		for _, w := range c.watts {
			list = append(list, tegra.Measured{TimeMS: 80, PowerW: w})
		}
		if got := standing.VerdictOf(metric.Watts(30), list); got != c.want {
			t.Errorf("%v W: %q, want %q", c.watts, got, c.want)
		}
		for _, m := range list { // a card, which knows the standing of the mean, says the same
			of := learn.Prediction{Measured: m}
			equal := standing.VerdictOf(metric.Watts(30), slices.Repeat([]tegra.Measured{m}, len(list)))
			if got := standing.Stand(metric.Watts(30), of, len(list)).Verdict(); got != equal {
				t.Errorf("%d readings of %v W: standing %q, verdict %q", len(list), m.PowerW, got, equal)
			}
		}
	}
	if got := standing.VerdictOf(metric.LeastEnergy, nil); got != standing.NoVerdict {
		t.Errorf("without a limit: %q", got)
	}
}
