package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"jtune/tegra"
)

const (
	mostLeaveOneOut = 20  // samples; above, folds
	foldCount       = 10  // of gp and linear
	networkFolds    = 5   // of networks, which train for a second each
	mostFoldedNets  = 300 // samples; above, one fold alone is held out
	leastDoF        = 3
	unknownSD       = 0.7 // of ln errors that could not be estimated: a factor of two
	leastSD         = 0.01
	mostSD          = 20 // of ln errors
)

// validate fills m.CV: predictions of samples by models fitted without them.
// gp keeps the hyper-parameters it chose on all samples.
func (m *Model) validate(ctx context.Context, t *teacher) error {
	samples := m.Samples
	if m.Method == GP {
		samples = thin(samples, mostSamples, m.Seed)
	}
	folds, how := t.folds(len(samples))
	left, preds, err := t.leaveOut(ctx, samples, folds)
	if err != nil || len(left) == 0 {
		return err
	}
	var tp, to, pp, po []float64
	for i, p := range preds {
		tp, to, pp, po = append(tp, p.TimeMS), append(to, left[i].TimeMS), append(pp, p.PowerW), append(po, left[i].PowerW)
	}
	m.CV = Errors{TimeMAPEPct: MAPE(tp, to), PowerMAPEPct: MAPE(pp, po), How: how}
	if b, ok := m.predictor.(*banded); ok {
		b.timeSD, b.powerSD, b.dof = lnSD(tp, to), lnSD(pp, po), max(len(left)-5, leastDoF)
	}
	return nil
}

// leaveOut predicts the samples of each fold from all others, folds side by
// side: training networks from scratch takes many seconds.
func (t *teacher) leaveOut(ctx context.Context, samples []tegra.Measured, folds [][]int) (left []tegra.Measured, preds []Prediction, err error) {
	outs, byFold, errs := make([][]tegra.Measured, len(folds)), make([][]Prediction, len(folds)), make([]error, len(folds))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), runtime.NumCPU(), len(folds)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(folds)); i = next.Add(1) - 1 {
				var rest []tegra.Measured
				rest, outs[i] = split(samples, folds[i])
				p, err := t.teach(ctx, rest)
				if err != nil {
					errs[i] = err
					continue
				}
				byFold[i] = predictSamples(p, outs[i])
			}
		})
	}
	wait.Wait()
	return slices.Concat(outs...), slices.Concat(byFold...), errors.Join(errs...)
}

// folds gives the sets of sample numbers to leave out together, and their
// name. None when too few would be left.
func (t *teacher) folds(n int) ([][]int, string) {
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

// split parts samples into those not in fold and those in it.
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

// predictSamples predicts what was measured, with its minibatch size.
func predictSamples(p Predictor, samples []tegra.Measured) []Prediction {
	list := settingsOf(samples)
	if s, ok := p.(*Surrogate); ok {
		return s.PredictSettings(list)
	}
	return p.Predict(modesIn(list))
}

// lnSD is the root mean square error of logarithms; NaN where nothing was
// measured.
func lnSD(pred, obs []float64) float64 {
	sum := 0.0
	for i, o := range obs {
		sum += square(math.Log(pred[i] / o))
	}
	return max(math.Sqrt(sum/float64(len(obs))), leastSD)
}
