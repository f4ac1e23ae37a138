package measure

import (
	"context"
	"errors"
	"os"
	"slices"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/pareto"
	"jtune/optimize/standing"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// ModeRequest asks to measure one mode again.
type ModeRequest struct {
	Workload workload.Workload
	Mode     tegra.Mode
	// Limit is what the readings are compared with: there are several until they decide. Not limited: one.
	Limit metric.Goal
	// InForce measures the board as it is in the mode, writes nothing, and goes on until its context ends: what was
	// read until then counts.
	InForce bool
	Free    bool // in force with free clocks
}

// plan describes the request in the record.
func (r ModeRequest) plan() record.PlanHeader {
	p := record.PlanHeader{Kind: campaigns.VerifyKind, Modes: 1}
	if r.Limit.Limited() {
		p.Limit = &r.Limit
	}
	return p
}

// again reports whether readings do not decide yet, or a mode in force is read until the end.
func (r ModeRequest) again(rows []record.Row) bool {
	list := record.Usable(rows)
	return len(list) == len(rows) && len(list) < standing.MostReadings &&
		(r.InForce || standing.VerdictOf(r.Limit, list) == standing.AtLimit)
}

// Verify measures one mode as a separate campaign and restores the device, unless the mode is in force. An unusable row
// says why. The model of the workload's pool learns the rows.
func Verify(ctx context.Context, s *session.Session, r ModeRequest, observe func(Event)) ([]record.Row, error) {
	p := ProfileRequest{Measuring: Measuring{Workload: r.Workload}}
	plan := &onePlan{mode: r.Mode, again: r.again}
	if r.InForce {
		p.Settings = record.Settings{KeepFan: true, DVFS: r.Free}
		plan.end, ctx = ctx.Done(), context.WithoutCancel(ctx)
	}
	head := campaigns.HeaderOf(s, r.Workload, r.plan(), nil, p.Settings)
	rows, dir, err := measureAgain(ctx, s, p, head, plan, observe)
	if r.InForce && len(rows) == 0 && dir != "" {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	Update(s, r.Workload, nil, dir, record.Usable(rows), observe)
	return rows, err
}

// MeasureOne measures and records one mode: in the campaign that r resumes, or in a new one.
func MeasureOne(ctx context.Context, s *session.Session, r ProfileRequest, head record.Header, m tegra.Mode,
	observe func(Event)) (row record.Row, dir string, err error) {
	rows, dir, err := measureAgain(ctx, s, r, head, &onePlan{mode: m}, observe)
	if len(rows) > 0 {
		row = rows[0]
	}
	return row, dir, err
}

// measureAgain returns the new rows of a plan for one mode.
func measureAgain(ctx context.Context, s *session.Session, r ProfileRequest, head record.Header, plan *onePlan,
	observe func(Event)) ([]record.Row, string, error) {
	r.Retries = -1
	res, err := RunPlan(ctx, s, r, plan, head, observe)
	var hot *profiles.HotError
	switch {
	case errors.As(err, &hot) && res.New > 0: // the row says that
		err = nil
	case err == nil && res.New == 0:
		err = context.Cause(ctx)
	}
	return res.Rows[len(res.Rows)-res.New:], res.Dir, err
}

// onePlan measures a mode, whatever was measured before, and then as long as again says.
type onePlan struct {
	mode   tegra.Mode
	again  func([]record.Row) bool // of its rows; nil: once
	end    <-chan struct{}         // closed when a mode in force is measured no longer; nil: the mode is set
	before int                     // rows of a resumed campaign
	asked  bool
}

var (
	_ profiles.Plan = (*onePlan)(nil)
	_ PreparedPlan  = (*onePlan)(nil)
)

// Prepare implements PreparedPlan: nothing is written for a mode in force.
func (p *onePlan) Prepare(b *profiles.Bench, _ *record.Record) {
	if p.end != nil {
		b.Applier = nil
	}
}

func (p *onePlan) Len() (int, bool) { return 0, false } // besides the rows of a resumed campaign

func (p *onePlan) Next(rows []record.Row) (profiles.Step, bool) {
	first := !p.asked
	if first {
		p.asked, p.before = true, len(rows)
	}
	select {
	case <-p.end:
		return profiles.Step{}, false
	default:
		return profiles.Step{Setting: tegra.Setting{Mode: p.mode}, AsFound: p.end != nil, End: p.end},
			first || p.again != nil && p.again(rows[p.before:])
	}
}

// VerifyRequest asks to measure the modes that limits choose along a model's Pareto front.
type VerifyRequest struct {
	Measuring
	Model    *learn.Model // a gp
	Most     int          // modes to measure
	BudgetsW []float64    // power limits; nil: along the whole front
}

// VerifyResult holds the measurements and the updated model.
type VerifyResult struct {
	ProfileResult
	Before   []learn.Prediction // predictions for Measured, in the same order, before measuring
	Measured []tegra.Measured
	Fitted   *learn.Model // includes the measurements; unchanged if there were none
}

// VerifyFront measures along a model's front on this device (docs/method.md): each time the mode that most limits
// choose and whose power is least certain, which then updates the model. The measurements are a separate campaign, and
// the device is restored. If every choice was measured before, nothing happens and no folder is created. On an error
// the result holds the measurements so far.
func VerifyFront(ctx context.Context, s *session.Session, r VerifyRequest, observe func(Event)) (VerifyResult, error) {
	space := s.Device.Space()
	if there, here := r.Model.Provenance.Device, s.Device.Board().Name; there != "" && there != here {
		return VerifyResult{}, usage.Errorf("the model describes %s, this is %s: measure on that device, or fit a "+
			"model for this one", there, here)
	}
	if len(r.Model.Batches) > 1 {
		return VerifyResult{}, usage.Batch.Errorf("the model has the batch size as an input").
			Advise("fit one size with %s", usage.Batch.Value())
	}
	for _, m := range r.Model.Space.Modes() {
		if !space.Contains(m) {
			return VerifyResult{}, usage.Errorf("the model is for %s, which is not a mode of this device: fit it "+
				"for this one", r.Model.Space.Format(m))
		}
	}
	if r.BudgetsW == nil {
		r.BudgetsW = pareto.Limits(optimize.Known(r.Model.Predict(r.Model.Space.Modes()), r.Model.Trusted()))
	}
	plan := &frontPlan{ctx: ctx, model: r.Model, n: r.Most, check: pareto.Check{Space: r.Model.Space,
		BudgetsW: r.BudgetsW}}
	if _, err := r.Model.With(ctx, nil, false); err != nil {
		return VerifyResult{}, err
	}
	if _, more := plan.Next(nil); !more {
		return VerifyResult{Fitted: r.Model}, plan.err
	}
	res, err := RunPlan(ctx, s, ProfileRequest{Measuring: r.Measuring}, plan,
		campaigns.HeaderOf(s, r.Workload, record.PlanHeader{Kind: "front", Modes: r.Most}, nil, r.Settings), observe)
	res.Kept = Update(s, r.Workload, nil, res.Dir, record.Usable(res.Rows), observe)
	out := VerifyResult{ProfileResult: res, Measured: record.Usable(res.Rows), Fitted: r.Model}
	out.Before = r.Model.Predict(tegra.ModesOf(tegra.SettingsOf(out.Measured)))
	if err = errors.Join(err, plan.err); len(out.Measured) == 0 || ctx.Err() != nil {
		return out, err
	}
	fitted, fitErr := r.Model.With(ctx, out.Measured, true)
	if fitErr == nil {
		out.Fitted = fitted
	}
	return out, errors.Join(err, fitErr)
}

// frontPlan chooses each mode with the model updated by the rows so far.
type frontPlan struct {
	ctx   context.Context
	model *learn.Model
	check pareto.Check
	n     int
	err   error // the model could not be refitted
}

var _ profiles.Plan = (*frontPlan)(nil)

func (p *frontPlan) Len() (int, bool) { return p.n, false }

func (p *frontPlan) Next(done []record.Row) (profiles.Step, bool) {
	if len(done) >= p.n || p.err != nil {
		return profiles.Step{}, false
	}
	model, rows := p.model, record.Usable(done)
	if len(rows) > 0 {
		if model, p.err = p.model.With(p.ctx, rows, false); p.err != nil {
			return profiles.Step{}, false
		}
	}
	preds := model.Predict(model.Space.Modes())
	for _, r := range done { // a failed mode is not measured again
		if i, ok := model.Space.Index(r.Mode); ok && !r.Status.Usable() {
			preds[i].PowerW = 0
		}
	}
	m, ok := p.check.Next(preds, slices.Concat(model.Trusted(), rows))
	return profiles.Step{Setting: tegra.Setting{Mode: m}}, ok
}
