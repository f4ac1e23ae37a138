package optimize

// The yardstick of the recipe's §8.3 beside the raw one. A sweep holds one
// reading per mode, and the best of thousands of readings within a limit is
// often a lucky one: a third of the power that its neighbours draw. A method
// that misses it did nothing wrong. So picks are also held against the best
// mode whose reading a fit to a part of the sweep bears out. Cost: one fit and
// one pass over the space, one or two seconds.

import (
	"errors"
	"math"

	"jtune/learn"
)

const (
	cleanSample  = 400 // modes that are fitted to; a smaller sweep has no such yardstick
	cleanSeed    = 7   // of their draw
	cleanPowerBy = 0.1 // share of the fit by which a reading's power may lie below it
	cleanTimeBy  = 0.25
)

// borneOut lists the indexes of the sweep whose readings are not far below a
// fit to cleanSample of them; nil where the sweep is too small to tell.
func (f *field) borneOut() ([]int, error) {
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
		if r.PowerW >= (1-cleanPowerBy)*math.Exp(fit.LnPower[i]) && r.TimeMS >= (1-cleanTimeBy)*math.Exp(fit.LnTime[i]) {
			out = append(out, i)
		}
	}
	return out, nil
}

// solveClean finds the best time for each limit among the readings that are
// borne out.
func (f *field) solveClean() error {
	kept, err := f.borneOut()
	if err != nil || kept == nil {
		return err
	}
	f.lucky = len(f.rows) - len(kept)
	candidates := f.measured(kept)
	for _, l := range f.limits {
		c, err := Choose(candidates, l)
		best := PredictedPoint(c.Prediction).SampleMS()
		if errors.Is(err, ErrInfeasible) {
			best = math.NaN()
		} else if err != nil {
			return err
		}
		f.clean = append(f.clean, best)
	}
	return nil
}
