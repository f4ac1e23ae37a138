package bench

// The clean optimum, besides the raw one. A sweep holds one reading per mode, and the best of thousands of readings
// within a limit is often an outlier: a third of its neighbours' power. Missing it is no fault of a method. So picks
// are also compared with the best mode whose reading is confirmed by a fit to a part of the sweep (docs/method.md,
// Scores). Cost: one fit and one pass over the space, one or two seconds.

import (
	"errors"
	"math"

	"jtune/learn"
	"jtune/optimize"
)

const (
	cleanSample  = 400 // modes to fit; a smaller sweep has no clean optimum
	cleanSeed    = 7   // seed for drawing them
	cleanPowerBy = 0.1 // relative amount by which a reading's power may be below the fit
	cleanTimeBy  = 0.25
)

// confirmed lists the indices of readings not far below a fit to cleanSample of them; nil if the sweep is too small.
func (f *truth) confirmed() ([]int, error) {
	if !f.powered || len(f.rows) < cleanSample {
		return nil, nil
	}
	_, rows := f.draw(cleanSample, cleanSeed)
	model, err := learn.FitSurrogate(f.places.Space, rows, learn.SurrogateOptions{Robust: 1, Batches: f.places.Batches})
	if err != nil {
		return nil, err
	}
	fit := model.Posterior()
	var out []int
	for _, i := range f.rows {
		r := f.truth[i]
		if r.PowerW >= (1-cleanPowerBy)*math.Exp(fit.LnPower[i]) &&
			r.TimeMS >= (1-cleanTimeBy)*math.Exp(fit.LnTime[i]) {
			out = append(out, i)
		}
	}
	return out, nil
}

// solveClean finds the best time for each limit among the confirmed readings.
func (f *truth) solveClean() error {
	kept, err := f.confirmed()
	if err != nil || kept == nil {
		return err
	}
	f.lucky = len(f.rows) - len(kept)
	candidates := f.measured(kept)
	for _, l := range f.limits {
		i, err := optimize.Choose(candidates, l)
		switch {
		case errors.Is(err, optimize.ErrInfeasible):
			f.clean = append(f.clean, math.NaN())
		case err != nil:
			return err
		default:
			f.clean = append(f.clean, candidates[i].SampleMS())
		}
	}
	return nil
}
