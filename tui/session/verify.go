package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
)

// Verify measures one mode and leaves the device as it was found. A row that
// is not usable says why.
func (s *Session) Verify(ctx context.Context, w profiles.Workload, m tegra.Mode, observe func(Event)) (profiles.Row, error) {
	bench, err := s.bench(ctx, w, profiles.Settings{}, observe)
	if err != nil {
		return profiles.Row{}, err
	}
	row, err := bench.Measure(ctx, profiles.Step{Mode: m, Why: "verify"})
	return row, errors.Join(err, bench.Close(), restore(ctx, bench.Applier))
}

// VerifyRequest asks to measure what limits choose along a model's front.
type VerifyRequest struct {
	Model    *learn.Model // a gp
	Workload profiles.Workload
	Most     int       // modes to measure
	BudgetsW []float64 // power limits that may be asked for; nil: along the whole front
	Margin   float64   // deviations of ln power that a choice keeps from its limit
	Dir      string    // campaign folder, new; "" makes one below the data directory
	Settings profiles.Settings
	Gate     profiles.Gate
}

// VerifyResult is what was measured and what the model says since.
type VerifyResult struct {
	ProfileResult
	Before   []learn.Prediction // of the measured modes, by place in Measured, before any was
	Measured []tegra.Measured
	Fitted   *learn.Model // knows them; the model as it was when nothing was measured
}

// VerifyFront measures along a model's front on this device (recipe §7): each
// time the mode that most limits choose and whose power is least sure, then the
// model learns it. The measurements are a campaign of their own; the device is
// left as it was found. Where every choice was measured before there is nothing
// to do and no folder. On an error the result holds what was measured.
func (s *Session) VerifyFront(ctx context.Context, r VerifyRequest, observe func(Event)) (VerifyResult, error) {
	space := s.Device.Space()
	if r.Model.Batches != nil {
		return VerifyResult{}, fmt.Errorf("%w: the model has the size of a minibatch as an input: fit one size with --batch N", ErrUsage)
	}
	for _, m := range r.Model.Space.Modes() {
		if !space.Contains(m) {
			return VerifyResult{}, fmt.Errorf("%w: the model speaks of %s, which is no mode of this device: fit it for this one", ErrUsage, r.Model.Space.Format(m))
		}
	}
	if r.BudgetsW == nil {
		r.BudgetsW = optimize.FrontLimits(optimize.Known(r.Model.Predict(r.Model.Space.Modes()), r.Model.Trusted()))
	}
	plan := &frontPlan{ctx: ctx, model: r.Model, n: r.Most, check: optimize.FrontCheck{Space: r.Model.Space, Margin: r.Margin, BudgetsW: r.BudgetsW}}
	if _, err := r.Model.With(ctx, nil, false); err != nil {
		return VerifyResult{}, err
	}
	if _, more := plan.Next(nil); !more {
		return VerifyResult{Fitted: r.Model}, plan.err
	}
	res, err := s.profile(ctx, ProfileRequest{Workload: r.Workload, Dir: r.Dir, Settings: r.Settings, Gate: r.Gate}, plan, profiles.PlanHeader{Kind: "front", Modes: r.Most}, observe)
	out := VerifyResult{ProfileResult: res, Measured: usable(res.Rows), Fitted: r.Model}
	modes := make([]tegra.Mode, len(out.Measured))
	for i, m := range out.Measured {
		modes[i] = m.Mode
	}
	out.Before = r.Model.Predict(modes)
	if err = errors.Join(err, plan.err); len(out.Measured) == 0 || ctx.Err() != nil {
		return out, err
	}
	fitted, fitErr := r.Model.With(ctx, out.Measured, true)
	if fitErr == nil {
		out.Fitted = fitted
	}
	return out, errors.Join(err, fitErr)
}

// frontPlan lets each mode follow from what the model has learnt of the rows.
type frontPlan struct {
	ctx   context.Context
	model *learn.Model
	check optimize.FrontCheck
	n     int
	err   error // the model could not be fitted again
}

var _ profiles.Plan = (*frontPlan)(nil)

func (p *frontPlan) Len() (int, bool) { return p.n, false }

func (p *frontPlan) Next(done []profiles.Row) (profiles.Step, bool) {
	if len(done) >= p.n || p.err != nil {
		return profiles.Step{}, false
	}
	model, rows := p.model, usable(done)
	if len(rows) > 0 {
		if model, p.err = p.model.With(p.ctx, rows, false); p.err != nil {
			return profiles.Step{}, false
		}
	}
	preds := model.Predict(model.Space.Modes())
	for _, r := range done { // one that failed is not asked for again
		if i, ok := model.Space.Index(r.Mode); ok && !r.Status.Usable() {
			preds[i].PowerW = 0
		}
	}
	m, ok := p.check.Next(preds, slices.Concat(model.Trusted(), rows))
	return profiles.Step{Mode: m, Why: "front"}, ok
}
