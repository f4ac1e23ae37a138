package optimize

import (
	"context"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// bestOf returns the best measured mode for a limit.
func bestOf(rows []tegra.Measured, l metric.Goal) (learn.Prediction, error) {
	preds := make([]learn.Prediction, len(rows))
	for i, r := range rows {
		preds[i] = MeasuredPrediction(r)
	}
	i, err := Choose(preds, l)
	return preds[i], err
}

// found is what a search found, and its first answer.
type found struct {
	Result
	Answer
}

// tuneModes is Tune over modes alone.
func tuneModes(
	ctx context.Context,
	measure func(context.Context, tegra.Mode) (tegra.Measured, error),
	o TuneOptions,
) (found, error) {
	r, err := Tune(ctx, optimizetest.OfModes(measure), o)
	return found{r, r.Answers[0]}, err
}

// tuneOn searches the modes of a toy board.
func tuneOn(t *testing.T, b *optimizetest.Board, o TuneOptions) (found, error) {
	if o.Space == nil {
		o.Space = b.Space
	}
	return tuneModes(t.Context(), b.Measure, o)
}

// fourModes is a board of four modes; index and core count go together.
func fourModes() []tegra.Measured {
	at := func(cores int, timeMS, powerW float64) tegra.Measured {
		return tegra.Measured{
			Setting: tegra.Setting{Mode: tegra.Mode{Cores: cores, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}},
			TimeMS:  timeMS, PowerW: powerW}
	}
	return []tegra.Measured{at(1, 400, 10), at(2, 200, 18), at(3, 150, 25), at(4, 100, 35.5)}
}
func searchOn(t *testing.T, o TuneOptions) (*search, *optimizetest.Board) {
	t.Helper()
	b := optimizetest.New(t)
	o.Space = b.Space
	s := must.Get(newSearch(t.Context(), optimizetest.OfModes(b.Measure), o))(t)
	return s, b
}
func knownOf(t *testing.T, b *optimizetest.Board, l metric.Goal) []tegra.Measured {
	t.Helper()
	res := must.Get(tuneOn(t, b, TuneOptions{Limits: goals(l), Seed: 4}))(t)
	var out []tegra.Measured
	for _, p := range res.Probes {
		out = append(out, p.Measured)
	}
	return out
}

// goals lists goals.
func goals(list ...metric.Goal) []metric.Goal { return list }
