package bench

// The oracle, a bound for searches: the loss due only to the luck of single readings. It ranks the modes by a fit that
// has not seen the mode's own reading, probes the best oracleProbes for each limit, and answers with the best of these
// readings. A search that measures few modes cannot be expected to come closer to the optimum. Cost: two fits to up to
// 400 modes each and their predictions, some seconds.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// oracleProbes is the number of modes the oracle measures per limit.
const oracleProbes = 3

// newOracle returns nil and a note if the sweep is too small to fit.
func newOracle(f *truth) (*method, string, error) {
	if len(f.rows) < cleanSample {
		return nil, fmt.Sprintf("left out, it needs a sweep of at least %d modes", cleanSample), nil
	}
	known, err := f.smoothed()
	if err != nil {
		return nil, "", err
	}
	return &method{run: func(ctx context.Context, f *truth, _ int, _ uint64) (outcome, error) {
		var o outcome
		for _, l := range f.limits {
			if err := ctx.Err(); err != nil {
				return o, err
			}
			left, index, probes, hot := slices.Clone(known), slices.Clone(f.rows), []int(nil), false
			for range oracleProbes {
				k, _, err := pick(left, l)
				if err != nil {
					return o, err
				}
				probes = append(probes, index[k])
				hot = hot || f.truth[index[k]].PowerW > optimize.MaxOvershoot*l.Of(metric.Power)
				left, index = slices.Delete(left, k, k+1), slices.Delete(index, k, k+1)
			}
			k, within, err := pick(f.measured(probes), l)
			if err != nil {
				return o, err
			}
			if !within {
				o.unsure++
			}
			o.picks, o.hot = append(o.picks, probes[k]), append(o.hot, hot)
			o.probes, o.profilingMn = append(o.probes, oracleProbes), append(o.profilingMn, f.minutes(probes))
		}
		return o, nil
	}}, "", nil
}

// smoothed predicts the sweep by two fits to different parts of it, in the order of rows: a mode in one fit's data is
// predicted by the other, the rest by the geometric mean of both.
func (f *truth) smoothed() ([]learn.Prediction, error) {
	index, rows := f.draw(min(2*cleanSample, len(f.rows)), cleanSeed)
	half := len(rows) / 2
	o := learn.SurrogateOptions{Robust: 1, Batches: f.places.Batches}
	var fits [2]*learn.Posterior
	for k, part := range [][]tegra.Measured{rows[:half], rows[half:]} {
		model, err := learn.FitSurrogate(f.places.Space, part, o)
		if err != nil {
			return nil, err
		}
		fits[k] = model.Posterior()
	}
	weight := make([]float64, len(f.all)) // weight of the first fit
	for i := range weight {
		weight[i] = 0.5
	}
	for k, i := range index {
		weight[i] = 0
		if k >= half {
			weight[i] = 1
		}
	}
	out := make([]learn.Prediction, len(f.rows))
	for k, i := range f.rows {
		w := weight[i]
		out[k] = optimize.MeasuredPrediction(tegra.Measured{
			Setting: f.all[i],
			TimeMS:  math.Exp(w*fits[0].LnTime[i] + (1-w)*fits[1].LnTime[i]),
			PowerW:  math.Exp(w*fits[0].LnPower[i] + (1-w)*fits[1].LnPower[i]),
		})
	}
	return out, nil
}
