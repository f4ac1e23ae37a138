package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"jtune/learn/internal/parallel"
	"jtune/tegra"
)

const (
	mostLeaveOneOut = 20  // samples; above, folds
	foldCount       = 10  // for gp and linear
	networkFolds    = 5   // for networks, which train for a second each
	mostFoldedNets  = 300 // samples; above, only one fold is held out
	leastDoF        = 3
	unknownSD       = 0.7 // of ln errors that could not be estimated: a factor of two
	leastSD         = 0.01
	mostSD          = 20 // upper bound for ln errors
)

// validate computes m.CV if there are enough samples: it predicts each sample with a model fitted without it. gp keeps
// the hyper-parameters chosen on all samples.
func (m *Model) validate(ctx context.Context, t *fitter) error {
	samples := m.Samples
	if m.Method == GP {
		samples = thin(samples, mostSamples, m.Seed)
	}
	folds, how := t.folds(len(samples))
	left, preds, err := t.leaveOut(ctx, samples, folds)
	if err != nil || len(left) == 0 {
		return err
	}
	errors, timeSD, powerSD := errorsOf(preds, left)
	if errors.How = how; len(left) >= LeastJudged {
		m.CV = errors
	}
	if b, ok := m.predictor.(*banded); ok {
		b.timeSD, b.powerSD, b.dof = timeSD, powerSD, max(len(left)-5, leastDoF)
	}
	return nil
}

// leaveOut predicts each fold's samples from all others. Folds run in parallel, because training networks takes many
// seconds.
func (t *fitter) leaveOut(ctx context.Context, samples []tegra.Measured, folds [][]int) (
	left []tegra.Measured, preds []Prediction, err error) {
	outs, byFold := make([][]tegra.Measured, len(folds)), make([][]Prediction, len(folds))
	err = parallel.Each(len(folds), func(i int) error {
		var rest []tegra.Measured
		rest, outs[i] = split(samples, folds[i])
		p, err := t.fit(ctx, rest)
		if err == nil {
			byFold[i] = predictSamples(p, outs[i])
		}
		return err
	})
	return slices.Concat(outs...), slices.Concat(byFold...), err
}

// folds returns the sets of sample indices to hold out together, and their name; none if too few samples would remain.
func (t *fitter) folds(n int) ([][]int, string) {
	least, want := 2, foldCount
	nets := t.options.Method == NN || t.options.Method == PowerTrain || t.options.Method == MLP
	if nets {
		least, want = 3, networkFolds
	}
	switch {
	case n < least:
		return nil, ""
	case nets && n < want, !nets && n <= mostLeaveOneOut:
		folds := make([][]int, n)
		for i := range folds {
			folds[i] = []int{i}
		}
		return folds, "leave-one-out"
	}
	folds := make([][]int, want)
	for i, s := range rand.New(rand.NewPCG(t.options.Seed, 0x666f6c6473)).Perm(n) {
		folds[i%want] = append(folds[i%want], s)
	}
	if nets && n > mostFoldedNets {
		return folds[:1], fmt.Sprintf("%d modes held out", len(folds[0]))
	}
	return folds, fmt.Sprintf("%d folds", want)
}

// split divides samples into those outside and those inside the fold.
func split(samples []tegra.Measured, fold []int) (rest, out []tegra.Measured) {
	leave := make([]bool, len(samples))
	for _, i := range fold {
		leave[i] = true
	}
	for i, s := range samples {
		if leave[i] {
			out = append(out, s)
		} else {
			rest = append(rest, s)
		}
	}
	return rest, out
}

// predictSamples predicts the settings of samples.
func predictSamples(p Predictor, samples []tegra.Measured) []Prediction {
	list := tegra.SettingsOf(samples)
	if s, ok := p.(*Surrogate); ok {
		return s.PredictSettings(list)
	}
	return p.Predict(tegra.ModesOf(list))
}

// errorsOf returns the errors of predictions, and the standard deviations of their ln errors.
func errorsOf(preds []Prediction, samples []tegra.Measured) (e Errors, timeSD, powerSD float64) {
	var tp, to, pp, po []float64
	for i, p := range preds {
		tp, to = append(tp, p.TimeMS), append(to, samples[i].TimeMS)
		pp, po = append(pp, p.PowerW), append(po, samples[i].PowerW)
	}
	return Errors{TimeMAPEPct: MAPE(tp, to), PowerMAPEPct: MAPE(pp, po)}, lnSD(tp, to), lnSD(pp, po)
}

// lnSD returns the root mean square error of logarithms; NaN without measurements.
func lnSD(pred, obs []float64) float64 {
	sum := 0.0
	for i, o := range obs {
		sum += square(math.Log(pred[i] / o))
	}
	return max(math.Sqrt(sum/float64(len(obs))), leastSD)
}
