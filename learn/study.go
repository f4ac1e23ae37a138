package learn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"jtune/internal/stats"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// LeftOut is a measured mode and its prediction by a model fitted without it.
type LeftOut struct {
	Measured   tegra.Measured
	Prediction Prediction
}

// CurvePoint is the error of models fitted to a number of modes, on all other measured modes.
type CurvePoint struct {
	Modes                     int
	TimeMAPEPct, PowerMAPEPct float64    // medians of the draws
	TimeRange, PowerRange     [2]float64 // smallest and largest of the draws
}

// curveDraws is the number of random orders of the modes in a learning curve. Each point learns from the first modes of
// each order, so that a later point knows all that an earlier one does, and one unlucky draw moves no median.
const curveDraws = 5

// LeaveOut repeats the model's cross-validation and returns its predictions. Networks take many seconds.
func (m *Model) LeaveOut(ctx context.Context) ([]LeftOut, error) {
	m = m.Whole()
	t, err := m.refitter(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := t.fit(ctx, m.Samples); err != nil { // chooses the hyper-parameters
		return nil, err
	}
	samples := thin(m.Samples, mostSamples, m.Seed)
	folds, _ := t.folds(len(samples))
	measured, preds, err := t.leaveOut(ctx, samples, folds)
	if err != nil {
		return nil, err
	}
	out := make([]LeftOut, len(measured))
	for i := range out {
		out[i] = LeftOut{measured[i], preds[i]}
	}
	return out, nil
}

// Curve returns the model's learning curve at these numbers of modes, without those that leave too few others for
// testing. It costs curveDraws fits per point.
func (m *Model) Curve(ctx context.Context, sizes []int) ([]CurvePoint, error) {
	const leastJudges = 3
	m = m.Whole()
	var out []CurvePoint
	rng := rand.New(rand.NewPCG(m.Seed, 0x6375727665))
	var orders [curveDraws][]int
	for k := range orders {
		orders[k] = rng.Perm(len(m.Samples))
	}
	for _, n := range sizes {
		if n < 1 || n+leastJudges > len(m.Samples) {
			continue
		}
		var time, power []float64
		for _, order := range orders {
			e, err := m.errorsFrom(ctx, order[:n])
			if err != nil {
				return nil, err
			}
			time, power = append(time, e.TimeMAPEPct), append(power, e.PowerMAPEPct)
		}
		out = append(out, CurvePoint{n, stats.Median(time), stats.Median(power),
			[2]float64{slices.Min(time), slices.Max(time)}, [2]float64{slices.Min(power), slices.Max(power)}})
	}
	return out, nil
}

// Losses returns the model's networks with their loss curves; Power is nil without measured power. Networks from files
// without curves are trained again from the samples, settings and seed, which takes as long as their training. Other
// methods have no losses.
func (m *Model) Losses(ctx context.Context) (nn.Pair, error) {
	if m.Method != NN && m.Method != PowerTrain {
		return nn.Pair{}, fmt.Errorf("method %s has no training loss", m.Method)
	}
	if pair, ok := m.Networks(); ok && pair.Time.Report.Curve != nil {
		return pair, nil
	}
	t, err := m.refitter(ctx)
	if err != nil {
		return nn.Pair{}, err
	}
	fitted, err := t.fitBaseline(ctx, m.Samples)
	if err != nil {
		return nn.Pair{}, err
	}
	nets, _ := fitted.Networks()
	return nets, nil
}

// errorsFrom fits the chosen samples and tests on all others.
func (m *Model) errorsFrom(ctx context.Context, chosen []int) (Errors, error) {
	judges, fitted := split(m.Samples, chosen)
	t, err := m.refitter(ctx)
	if err != nil {
		return Errors{}, err
	}
	p, err := t.fit(ctx, fitted)
	if err != nil {
		return Errors{}, fmt.Errorf("learning from %d modes: %w", len(fitted), err)
	}
	e, _, _ := errorsOf(predictSamples(p, judges), judges)
	return e, nil
}

// refitter returns a fitter for the model's method and reference.
func (m *Model) refitter(ctx context.Context) (*fitter, error) {
	if len(m.Samples) == 0 {
		return nil, fmt.Errorf("the model holds no measured modes")
	}
	o := Options{Method: m.Method, Space: m.Space, Seed: m.Seed, Provenance: m.Provenance, Reference: m.usedReference()}
	if pair, ok := m.Networks(); ok {
		c := pair.Time.Config
		if m.Method == PowerTrain {
			c.Layers = nn.Layers{} // use the reference's
		}
		o.Network = &c
	}
	blank := &Model{Method: m.Method, Space: m.Space, Batches: m.Batches, Seed: m.Seed, Provenance: m.Provenance}
	return newFitter(ctx, blank, o)
}
