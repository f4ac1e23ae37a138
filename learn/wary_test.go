package learn

import (
	"math"
	"testing"

	"jtune/tegra/sweep/sweeptest"
)

// A wary reference gives a third family of fits a weight, with the prior's deviations wide: from two modes it is less
// sure of
// power than the unchanged reference, and the weights add up to one.
func TestWaryReferenceIsLessSure(t *testing.T) {
	t.Parallel()
	s := loadSweep(t, sweeptest.LSTM)
	r, err := ProfileReference("agx-orin-without-lstm").Residual(s.space)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := s.split(randomPlaces(len(s.rows), 2, 1))
	fit := func(r *Residual) *Surrogate {
		got, err := FitSurrogate(s.space, in, SurrogateOptions{Grid: true, Reference: r})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	sure, wary := fit(r), fit(r.Wary())
	for _, m := range []mixture{wary.time, wary.power} {
		sum, families := 0.0, map[*family]bool{}
		for i, w := range m.weights {
			sum += w
			families[m.curves[i].family] = true
		}
		if len(families) < 2 || math.Abs(sum-1) > 1e-9 {
			t.Errorf(
				"%d families with weights %.3g, want the board's and the widened, adding up to 1",
				len(families),
				m.weights,
			)
		}
	}
	mean := func(v []float64) (sum float64) {
		for _, x := range v {
			sum += x / float64(len(v))
		}
		return sum
	}
	a, b := sure.Posterior(), wary.Posterior()
	if x, y := mean(a.SdPower), mean(b.SdPower); y <= x {
		t.Errorf("deviations of power %.3f, %.3f without the third family", y, x)
	}
	all := make([]int, len(b.SdPower))
	for i := range all {
		all[i] = i
	}
	cov := wary.CovPower(all[:3], all[:3])
	for i := range 3 {
		if v := cov.At(i, i); math.Abs(v/square(b.SdPower[i])-1) > 1e-6 {
			t.Errorf("mode %d: variance %g by covariance, %g by deviation", i, v, square(b.SdPower[i]))
		}
	}
}
