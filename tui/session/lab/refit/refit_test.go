package refit

import (
	"math"
	"testing"

	"jtune/internal/must"
)

// Two equal readings of one number leave each other out only together: half of it is known from the other, all from
// both, and without both nothing is.
func TestRefitIsAFitWithoutTheFact(t *testing.T) {
	t.Parallel()
	readings := func(slope float64, at ...float64) Refit {
		f, err := New(1, func(x []float64) (r []float64, err error) {
			for _, off := range at {
				r = append(r, off+slope*x[0])
			}
			return r, nil
		})
		must.NoError(t, err)
		return f
	}
	off := func(f Refit, those ...int) float64 {
		r := must.Get(f.Without(those))(t)
		return r[0]
	}
	two := readings(1e3, 0.4, -0.4)
	if got := off(two, 0); math.Abs(got-0.8) > 1e-3 {
		t.Errorf("without the first it is %.3f off, want twice as far: the second's value", got)
	}
	if got := two.Effective(); math.Abs(got-1) > 1e-3 {
		t.Errorf("%.3f constants are effective, want the one", got)
	}
	if got := off(readings(1, 0.5), 0); math.Abs(got-0.5*(1+priorWidth*priorWidth)) > 1e-9 {
		t.Errorf("a figure that a constant hardly moves is %.4f off without it", got)
	}
}

// A residual that is not linear in the constants: the fit without a reading uses the other alone, which the linear
// answer misses.
func TestRefitFollowsWhatIsNotLinear(t *testing.T) {
	t.Parallel()
	for _, renew := range []bool{false, true} {
		f, err := New(1, func(x []float64) ([]float64, error) {
			return []float64{200 * (math.Exp(x[0]) - 1.1), 200 * (math.Exp(x[0]) - 0.9)}, nil
		})
		must.NoError(t, err)
		f.Renew = renew
		got, err := f.Without([]int{0})
		if err != nil || math.Abs(got[0]+40) > 0.1 { // the other's optimum is 0.9
			t.Errorf("slopes renewed: %v: it is %.2f off, want -40 (%v)", renew, got[0], err)
		}
	}
}
