package learn

import (
	"context"
	"fmt"
	"math/rand/v2"

	"jtune/tegra"
)

// LeftOut is a measured mode and what a model that has not seen it says.
type LeftOut struct {
	Measured   tegra.Measured
	Prediction Prediction
}

// CurvePoint is the error of models that learn from so many modes, on all the
// others that were measured.
type CurvePoint struct {
	Modes                     int
	TimeMAPEPct, PowerMAPEPct float64
}

// curveDraws is how often a learning curve draws the modes to learn from; its
// errors are means over them.
const curveDraws = 4

// LeaveOut predicts the model's own samples one fold at a time by models fitted
// without them, as its cross-validation did. Networks take many seconds.
func (m *Model) LeaveOut(ctx context.Context) ([]LeftOut, error) {
	m = m.Whole()
	t, err := m.again(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := t.teach(ctx, m.Samples); err != nil { // settles the hyper-parameters
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

// Curve gives the model's learning curve at these numbers of modes, those left
// out for which too few others are there to judge by. It costs curveDraws fits
// a point.
func (m *Model) Curve(ctx context.Context, sizes []int) ([]CurvePoint, error) {
	const leastJudges = 3
	m = m.Whole()
	var out []CurvePoint
	rng := rand.New(rand.NewPCG(m.Seed, 0x6375727665))
	for _, n := range sizes {
		if n < 1 || n+leastJudges > len(m.Samples) {
			continue
		}
		at := CurvePoint{Modes: n}
		for range curveDraws {
			order := rng.Perm(len(m.Samples))
			e, err := m.errorsOf(ctx, order[:n])
			if err != nil {
				return nil, err
			}
			at.TimeMAPEPct += e.TimeMAPEPct / curveDraws
			at.PowerMAPEPct += e.PowerMAPEPct / curveDraws
		}
		out = append(out, at)
	}
	return out, nil
}

// errorsOf fits on these samples alone and judges by all others.
func (m *Model) errorsOf(ctx context.Context, chosen []int) (Errors, error) {
	judges, learnt := split(m.Samples, chosen)
	t, err := m.again(ctx)
	if err != nil {
		return Errors{}, err
	}
	p, err := t.teach(ctx, learnt)
	if err != nil {
		return Errors{}, fmt.Errorf("learning from %d modes: %w", len(learnt), err)
	}
	var tp, to, pp, po []float64
	for i, pr := range predictSamples(p, judges) {
		tp, to, pp, po = append(tp, pr.TimeMS), append(to, judges[i].TimeMS), append(pp, pr.PowerW), append(po, judges[i].PowerW)
	}
	return Errors{TimeMAPEPct: MAPE(tp, to), PowerMAPEPct: MAPE(pp, po)}, nil
}

// again is a teacher of the model's method, with the reference that it leant on.
func (m *Model) again(ctx context.Context) (*teacher, error) {
	if len(m.Samples) == 0 {
		return nil, fmt.Errorf("the model holds no measured modes")
	}
	o := Options{Method: m.Method, Space: m.Space, Seed: m.Seed, Provenance: m.Provenance, Reference: m.leant()}
	blank := &Model{Method: m.Method, Space: m.Space, Batches: m.Batches, Seed: m.Seed, Provenance: m.Provenance}
	return newTeacher(ctx, blank, o)
}
