package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/models"
	"jtune/tui/session/preflight"
	"jtune/tui/session/workloads"
)

// Profile measures and records the modes that r selects, restores the device, and updates the model of the workload's
// pool. An interrupted campaign keeps its rows and can be resumed.
func Profile(ctx context.Context, s *session.Session, r ProfileRequest, observe func(Event)) (ProfileResult, error) {
	if warning := workloads.FanWarning(s, r.Settings.KeepFan); warning != "" && !r.Force {
		return ProfileResult{}, fmt.Errorf("%w: not started: %s; then give %s, or %s",
			tegra.ErrUnsupported, strings.TrimPrefix(warning, workloads.WarningMark), usage.KeepFan, usage.Force)
	}
	plan, head, err := plan(s, r)
	if err != nil {
		return ProfileResult{}, err
	}
	out, err := RunPlan(ctx, s, r, plan, campaigns.HeaderOf(s, r.Workload, head, nil, r.Settings), observe)
	out.Kept = Update(s, r.Workload, r.Batches, out.Dir, record.Usable(out.Rows), observe)
	return out, err
}

// RunPlan measures the steps of a plan; head describes the plan in the record.
func RunPlan(ctx context.Context, s *session.Session, r ProfileRequest, plan profiles.Plan, head record.Header,
	observe func(Event)) (ProfileResult, error) {
	if err := preflight.MayMeasure(ctx, s, 0); err != nil {
		return ProfileResult{}, err
	}
	release, err := preflight.Claim(s, "campaign of "+r.Workload.Name, true)
	if err != nil {
		return ProfileResult{}, err
	}
	defer release()
	notify, err := s.Notifier()
	if err != nil {
		return ProfileResult{}, err
	}
	own := head.Plan.Kind == record.ExperimentKind // its command checks its jobs, and says what is to come
	if !own {
		err = workloads.CanRun(s, r.Workload)
	}
	if err != nil {
		return ProfileResult{}, err
	}
	bench, err := newBench(ctx, s, r.Workload, r.Settings, observe)
	if err != nil {
		return ProfileResult{}, err
	}
	rec, err := campaigns.Record(s, r.Dir, head, r.Resume)
	if errors.Is(err, record.ErrOtherJob) && !own {
		err = fmt.Errorf("%w; %s runs that", err, usage.TrustCommand)
	}
	if err != nil {
		return ProfileResult{}, err
	}
	defer rec.Close()
	if err := r.Settings.GoOn(rec.Header().Settings); r.Resume && err != nil {
		return ProfileResult{}, fmt.Errorf("cannot resume %s: %w", rec.Dir(), err)
	}
	Observer(observe).Note(rec.Notes()...)
	EndOrphans(s, r.Workload, observe)
	bench.Settings = r.Settings.Over(rec.Header().Settings)
	bench.NewHarness = NewHarness(s, r.Workload, bench.Settings, rec.Log(), 0, 0)
	if e := r.Workload.Elsewhere; e != nil {
		if log, err := e.Output(); err == nil {
			rec.LogOf(log)
		}
	}
	if prepared, ok := plan.(PreparedPlan); ok {
		prepared.Prepare(bench, rec)
	}
	done := rec.Rows()
	if r.RedoFailed {
		done = slices.DeleteFunc(done, func(row record.Row) bool { return !row.Status.Usable() })
	}
	Observer(observe).Note(scaledBatchNote(s, r.Workload, r.Batches))
	Observer(observe).coming(plan)
	if !own && head.Plan.Kind != campaigns.TuneKind &&
		head.Plan.Kind != campaigns.LoadKind { // the duration of a search is not known in advance
		Observer(observe).Note(cost(ctx, s, r.Measuring, plan, done, bench.Settings))
	}
	c := profiles.Campaign{Bench: bench, Plan: plan, Record: rec, Retries: r.Retries,
		RedoFailed: r.RedoFailed, Gate: r.Gate}
	sum, err := c.Run(ctx)
	err = errors.Join(usageOfFixedBatch(err), rec.End(sum.End.String()))
	if failed := announce(ctx, notify, campaignEnd(s, rec.Dir(), head, sum, err)); failed != nil {
		Observer(observe).Note(text.OneLine(failed.Error()))
	}
	return ProfileResult{Summary: sum, Dir: rec.Dir()}, err
}

// PreparedPlan is a plan whose steps have their own benches, made from the campaign's, or which changes that.
type PreparedPlan interface {
	Prepare(b *profiles.Bench, rec *record.Record)
}

// coming sends the order of a fixed plan.
func (f Observer) coming(plan profiles.Plan) {
	if order := orderOf(plan); order != nil {
		f.Send(OrderEvent{order})
	}
}

// orderOf returns the settings of a plan in order; nil if each is chosen from the results so far.
func orderOf(plan profiles.Plan) []tegra.Setting {
	if fixed, ok := plan.(interface{ Settings() []tegra.Setting }); ok {
		return fixed.Settings()
	}
	return nil
}

// cost describes what will be measured and about how long it takes.
func cost(ctx context.Context, s *session.Session, m Measuring, plan profiles.Plan, done []record.Row,
	set record.Settings) string {
	n, _ := plan.Len()
	n -= len(done)
	if n <= 0 {
		return ""
	}
	counts := map[tegra.Setting]int{}
	for _, row := range done {
		counts[row.Setting]++
	}
	p := Planned{Plan: record.PlanHeader{Modes: n}, Order: campaigns.ToCome(orderOf(plan), counts), settings: set}
	p.Lo, p.Hi = set.Cost(n)
	return p.Expecting(Expects(ctx, s, m)).String()
}

// mostExpected caps the modes of a pool that an estimate is fitted to: a fit takes a tenth of a second.
const mostExpected = 100

// Expectation predicts how long the modes of a workload take on this board. nil predicts nothing.
type Expectation struct{ Model *learn.Model }

// Expects fits an Expectation to earlier measurements of the workload on this board; nil if there are too few.
func Expects(ctx context.Context, s *session.Session, m Measuring) *Expectation {
	pool, err := models.PoolOf(s, m.Workload, m.Batches)
	if err != nil {
		return nil
	}
	rows, _ := pool.Aligned()
	samples := tegra.OncePerSetting(rows)
	if len(samples) < outlook.LeastPreview {
		return nil
	}
	var some []tegra.Measured
	for i := range min(len(samples), mostExpected) {
		some = append(some, samples[i*len(samples)/min(len(samples), mostExpected)])
	}
	model, err := learn.Fit(ctx, some, learn.Options{Space: s.Device.Space(), SkipCV: true})
	if err != nil {
		return nil
	}
	return &Expectation{model}
}

// Expecting returns the plan with the predicted duration, or unchanged without a prediction.
func (p Planned) Expecting(e *Expectation) Planned {
	if e == nil || len(p.Order) == 0 || p.settings.Epochs > 0 ||
		len(e.Model.Batches) == 1 && !slices.Equal(e.Model.Batches, tegra.BatchSizes(p.Order)) {
		return p
	}
	p.Lo, p.Hi, p.Expected = 0, 0, true
	for _, one := range e.Model.PredictSettings(p.Order) {
		least, most := p.settings.CostOf(one.TimeLoMS, one.TimeHiMS)
		p.Lo, p.Hi = p.Lo+least, p.Hi+most
	}
	return p
}

// Roundly formats an estimate with as many digits as are useful.
func Roundly(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// plan turns the selection into a plan and its header for the record.
func plan(s *session.Session, r ProfileRequest) (profiles.Plan, record.PlanHeader, error) {
	if err := workloads.CheckSizes(s, r.Workload, r.Batches); err != nil {
		return nil, record.PlanHeader{}, err
	}
	return selection{s.Device.Space(), s.Replayed(), s.Seed}.plan(r)
}

// usageOfFixedBatch marks the error of a job with a fixed batch size as a usage error.
func usageOfFixedBatch(err error) error {
	if errors.Is(err, profiles.ErrFixedBatch) {
		return usage.Of(err)
	}
	return err
}

// scaledBatchNote explains the times of other batch sizes on a virtual board; "" if they are measured or there is only
// one size.
func scaledBatchNote(s *session.Session, w workload.Workload, sizes []int) string {
	if sizes == nil || s.Virtual == nil || !s.Virtual.ScalesBatches() || s.RunsOnHost(w) {
		return ""
	}
	return "the virtual board scales the times of other batch sizes by slopes that were published for an " +
		"AGX Xavier: no " + s.Device.Board().Name + " was measured at them"
}
