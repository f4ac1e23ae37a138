package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// campaignEnd describes the end of a campaign.
func (s *Session) campaignEnd(dir string, h record.Header, sum profiles.Summary, err error) CampaignEnd {
	b := s.Device.Board()
	e := CampaignEnd{Campaign: filepath.Base(dir), Workload: h.Workload.Name, Kind: h.Plan.Kind, End: sum.End.String(),
		Modes: len(sum.Rows), Device: b.Name, Virtual: b.Virtual}
	e.Text = fmt.Sprintf("%s of %s on %s: %s, %s", e.Kind, e.Workload, e.Device, e.End, text.Count(e.Modes, "mode"))
	if err != nil {
		e.Error = text.Optional(text.OneLine(err.Error()))
		e.Text += ": " + string(e.Error)
	}
	if mark := tegra.VirtualMark(b.Origin()); mark != "" {
		e.Text += " " + mark
	}
	return e
}

// Profile measures the modes that r selects and records each. It ends with the
// found state back on the device. An interrupted campaign keeps its rows and
// can be resumed. The model of the workload's pool learns them.
func (s *Session) Profile(ctx context.Context, r ProfileRequest, observe func(Event)) (ProfileResult, error) {
	if warning := s.fanWarning(r.Settings.KeepFan); warning != "" && !r.Force {
		return ProfileResult{}, fmt.Errorf("%w: not started: %s; then give %s, or %s",
			tegra.ErrUnsupported, strings.TrimPrefix(warning, warningMark), usage.KeepFan, usage.Force)
	}
	r.lean = learn.ReferenceFor(s.Device.Board(), s.Device.Space())
	out, err := s.profilePlanned(ctx, r, nil, observe)
	out.Kept = s.update(r.Workload, r.Batches, out.Dir, record.Usable(out.Rows), observe)
	return out, err
}

// profilePlanned measures what a request selects; search says what for, where a search asks.
func (s *Session) profilePlanned(ctx context.Context, r ProfileRequest, search *record.SearchHeader,
	observe func(Event)) (ProfileResult, error) {
	plan, head, err := s.plan(r)
	if err != nil {
		return ProfileResult{}, err
	}
	return s.profile(ctx, r, plan, s.header(r.Workload, head, search, r.Settings), observe)
}

// profile measures what a plan asks for; head describes it in the record.
func (s *Session) profile(ctx context.Context, r ProfileRequest, plan profiles.Plan, head record.Header,
	observe func(Event)) (ProfileResult, error) {
	notify, err := s.notifier()
	if err != nil {
		return ProfileResult{}, err
	}
	bench, err := s.bench(ctx, r.Workload, r.Settings, observe)
	if err != nil {
		return ProfileResult{}, err
	}
	rec, err := s.record(r.Dir, head, r.Resume)
	if errors.Is(err, record.ErrOtherJob) && head.Pair == nil { // whose command has no such flag
		err = fmt.Errorf("%w; %s runs that", err, usage.TrustCommand)
	}
	if err != nil {
		return ProfileResult{}, err
	}
	defer rec.Close()
	observer(observe).note(rec.Notes()...)
	s.endOrphans(r.Workload, observe)
	bench.Settings = r.Settings.Over(rec.Header().Settings)
	bench.NewHarness = s.harness(r.Workload, bench.Settings, rec.Log(), 0, 0)
	if own, ok := plan.(preparedPlan); ok {
		own.Prepare(bench, rec.Log())
	}
	done := rec.Rows()
	if r.RedoFailed {
		done = slices.DeleteFunc(done, func(row record.Row) bool { return !row.Status.Usable() })
	}
	observer(observe).note(s.scaledBatchNote(r.Workload, r.Batches))
	observer(observe).coming(plan)
	if head.Plan.Kind != tuneKind && head.Plan.Kind != loadKind { // how long a search takes is not known
		observer(observe).note(s.cost(ctx, r.Measuring, plan, done, bench.Settings))
	}
	c := profiles.Campaign{Bench: bench, Plan: plan, Record: rec, Retries: r.Retries,
		RedoFailed: r.RedoFailed, Gate: r.Gate}
	sum, err := c.Run(ctx)
	err = errors.Join(usageOfFixedBatch(err), rec.End(sum.End.String()))
	if told := notify.tell(ctx, s.campaignEnd(rec.Dir(), head, sum, err)); told != nil {
		observer(observe).note(text.OneLine(told.Error()))
	}
	return ProfileResult{Summary: sum, Dir: rec.Dir()}, err
}

// preparedPlan is a plan whose steps have benches of their own, made of the campaign's; log is for their jobs' output.
type preparedPlan interface {
	Prepare(b *profiles.Bench, log string)
}

// coming tells the order of a plan that is fixed.
func (f observer) coming(plan profiles.Plan) {
	if order := orderOf(plan); order != nil {
		f.send(OrderEvent{order})
	}
}

// orderOf are the settings of a plan in their order; nil where each is chosen from the results
// so far.
func orderOf(plan profiles.Plan) []tegra.Setting {
	if fixed, ok := plan.(interface{ Settings() []tegra.Setting }); ok {
		return fixed.Settings()
	}
	return nil
}

// cost describes what is to be measured and about how long that takes.
func (s *Session) cost(ctx context.Context, m Measuring, plan profiles.Plan, done []record.Row,
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
	p := Planned{Order: toCome(orderOf(plan), counts), settings: set}
	p.Lo, p.Hi = set.Cost(n)
	how := "closer once some are measured"
	if known := p.Expecting(s.Expects(ctx, m)); known.Expected {
		p, how = known, "by what is known of this workload on this board"
	}
	return fmt.Sprintf("%s to measure, about %s to %s: %s", text.Count(n, "mode"), roundly(p.Lo), roundly(p.Hi), how)
}

// mostExpected is how many of a pool's modes an estimate is fitted to: a tenth of a second.
const mostExpected = 100

// Expectation knows about how long the modes of a workload take on this board. nil knows nothing.
type Expectation struct{ model *learn.Model }

// Expects learns how long the modes of a workload take from what was measured with it here; nil where that is too
// little.
func (s *Session) Expects(ctx context.Context, m Measuring) *Expectation {
	pool, err := s.Pool(m.Workload, m.Batches)
	if err != nil {
		return nil
	}
	rows, _ := pool.Aligned()
	samples := tegra.OncePerSetting(rows)
	if len(samples) < LeastPreview {
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

// Expecting is the plan with the time that it takes by what is known; as it was where that says nothing of it.
func (p Planned) Expecting(e *Expectation) Planned {
	if e == nil || len(p.Order) == 0 || p.settings.Epochs > 0 ||
		e.model.Batches == nil && tegra.BatchSizes(p.Order) != nil {
		return p
	}
	p.Lo, p.Hi, p.Expected = 0, 0, true
	for _, one := range e.model.PredictSettings(p.Order) {
		least, most := p.settings.CostOf(one.TimeLoMS, one.TimeHiMS)
		p.Lo, p.Hi = p.Lo+least, p.Hi+most
	}
	return p
}

// roundly leaves out what nobody wants to know of an estimate.
func roundly(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// plan turns the selection into a plan and the record's words for it.
func (s *Session) plan(r ProfileRequest) (profiles.Plan, record.PlanHeader, error) {
	if r.Batches != nil {
		if err := s.checkSizes(r.Workload); err != nil {
			return nil, record.PlanHeader{}, err
		}
	}
	return selection{s.Device.Space(), s.settings, s.Seed}.plan(r)
}

// usageOfFixedBatch marks the error of a job that turned out to have a fixed
// batch size as one of usage.
func usageOfFixedBatch(err error) error {
	if errors.Is(err, profiles.ErrFixedBatch) {
		return usage.Of(err)
	}
	return err
}

// scaledBatchNote explains the times of other batch sizes on a virtual board; ""
// where they are measured, or there is one size.
func (s *Session) scaledBatchNote(w workload.Workload, sizes []int) string {
	if sizes == nil || s.Virtual == nil || !s.Virtual.ScalesBatches() || s.runsOnHost(w) {
		return ""
	}
	return "the virtual board scales the times of other batch sizes by slopes that were published for an " +
		"AGX Xavier: no " + s.Device.Board().Name + " was measured at them"
}
