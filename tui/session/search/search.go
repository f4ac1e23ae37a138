package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/ladder"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
)

// searchPatience is how long a search measures a mode with slow minibatches: in the first, low mode 40 of them take
// minutes, and the model's error is larger than that of the mean of ten.
const searchPatience = 30 * time.Second

// A search measures a mode until its time and power are known to searchPrecision, with a power sample every
// searchSamples.
const (
	searchPrecision = 0.01
	searchSamples   = 200 * time.Millisecond
)

// settingsOf returns the measurement settings of a search: each mode for no longer than a model needs. Exceptions are
// requests with a number of minibatches, and inference requests, whose times vary with their lengths.
func settingsOf(r measure.TuneRequest) record.Settings {
	set := r.Settings
	if set.Minibatches > 0 || r.Load.Any() {
		return set
	}
	set.Patience = cmp.Or(set.Patience, searchPatience)
	if steadyPower(r) {
		set.Precision, set.SampleEvery = searchPrecision, cmp.Or(set.SampleEvery, searchSamples)
	}
	return set
}

// steadyPower reports whether a job's power is steady in a mode; a server's power varies with each request.
func steadyPower(r measure.TuneRequest) bool {
	w := r.Workload
	return !r.Load.Any() && !w.Serves() && !w.Live() && !harness.EndsWithSummary(w.Pattern)
}

// FrontModes is how many modes a search over the whole front spreads over the space before it looks for answers;
// AboutFront is about how many measurements it makes for one limit.
const (
	FrontModes = 25
	AboutFront = 35
)

// tuneLimit searches for the answers in a closed loop: a campaign whose plan is the search.
func tuneLimit(ctx context.Context, s *session.Session, r measure.TuneRequest, ref *learn.Reference,
	observe func(measure.Event)) (measure.TuneResult, error) {
	pool, err := poolOf(s, r)
	if err != nil {
		return measure.TuneResult{}, err
	}
	known, compared := knownOf(pool, observe), baselines(s, r, pool)
	r.Settings = settingsOf(r)
	most, cover := capped(r, compared), 0
	if r.Coverage == campaigns.CoverFront {
		most, cover = mostOf(r)+compared.Probes(), cmp.Or(r.Probes, FrontModes)
	}
	rotation, err := ladder.ParseRotation(r.Rotation)
	if err != nil {
		return measure.TuneResult{}, err
	}
	options := optimize.TuneOptions{
		Known:     known,
		Baselines: compared,
		Limits:    r.Limits,
		Probes:    most,
		Cover:     cover,
		Depth:     r.Depth,
		Risk:      r.Risk,
		Heat:      r.Heat,
		Strategy:  r.Strategy,
		Rotation:  rotation,
		Seed:      s.Seed,
		Space:     s.Device.Space(),
		Batches:   r.Batches,
		Only:      measurableSettings(s, r.Batches),
		Reference: ref,
		Choosing:  measure.Observer(observe).Step,
		Observe:   seen(s, observe),
		Halved:    measure.Observer(observe).Halved,
	}
	out := measure.TuneResult{Warm: warm(pool, r.Before, s.Clock.Wall())}
	find, source := optimize.Tune, r.Limits[0].Words()
	if r.Load.Any() {
		out.Ask = r.Ask
		source, options.Problem = out.Ask.String(), out.Ask.Problem(r.Batches, r.Workload.Batch)
		find = func(ctx context.Context, m optimize.Measure, o optimize.TuneOptions) (optimize.Result, error) {
			found, err := optimize.Tune(ctx, m, o)
			served, err := out.Ask.Answer(found, err, r.Batches, r.Workload.Batch)
			out.Served = &served
			return found, err
		}
	}
	plan := newSearchPlan(ctx, find, options)
	plan.ends = steadyPower(r)
	head := campaigns.HeaderOf(s, r.Workload, record.PlanHeader{Kind: campaigns.TuneKind, Modes: r.Probes,
		Source: source, Batches: r.Batches, PartOf: r.PartOf}, SearchHeader(r), r.Settings)
	res, err := measure.RunPlan(ctx, s, measure.ProfileRequest{Measuring: r.Measuring, Retries: -1}, plan, head,
		observe)
	plan.End(res.Summary)
	if err != nil && errors.Is(plan.err, context.Canceled) && ctx.Err() == nil {
		plan.found.Ended, plan.err = optimize.Failing, nil // the job, the device or the record failed
	}
	out.Result, out.Dir, out.Took, out.Rows = plan.found, res.Dir, res.Elapsed, res.Rows
	out.Home, out.Began = res.Dir, head.Began()
	return out, errors.Join(plan.err, err)
}

// poolOf returns what a search may start from: everything known of its workload, unless it must start from scratch.
func poolOf(s *session.Session, r measure.TuneRequest) (models.Pool, error) {
	if r.Fresh || r.Strategy != "" && r.Strategy != optimize.Auto {
		return models.Pool{}, nil
	}
	pool, err := models.PoolOf(s, r.Workload, r.Batches)
	return pool.Before(r.Before).Further(r.Limits...), err
}

// knownOf returns the rows of a pool; older campaigns are aligned with later ones if the board has drifted.
func knownOf(pool models.Pool, observe func(measure.Event)) []tegra.Measured {
	rows, aligned := pool.Aligned()
	if len(rows) == 0 {
		return nil
	}
	note := fmt.Sprintf("starts from the %s known of this workload on this board (%s)",
		text.Count(len(tegra.OncePerSetting(rows)), "mode"), text.Count(len(pool.Parts), "campaign"))
	if aligned := aligned.String(); aligned != "" {
		note += "; " + aligned
	}
	measure.Observer(observe).Note(note)
	return rows
}

// SearchHeader records the question of a search.
func SearchHeader(r measure.TuneRequest) *record.SearchHeader {
	h := &record.SearchHeader{Asked: r.Asked, Questions: r.Questions}
	h.Limits = slices.DeleteFunc(slices.Clone(r.Limits), func(g metric.Goal) bool { return g == metric.Goal{} })
	h.Strategy, h.Depth, h.Coverage = cmp.Or(r.Strategy, optimize.Auto), cmp.Or(r.Depth, optimize.Quick),
		cmp.Or(r.Coverage, campaigns.CoverLimit)
	return h
}

// searchPlan is the plan of a search for modes.
type searchPlan struct {
	*Plan
	most  int             // cap on probes; 0: the search's own
	found optimize.Result // result and error once the search has ended
	err   error
	step  optimize.Step // description of the present setting
	ends  bool          // stop measuring a mode that draws more than its step allows
}

// searching is the signature of optimize.Tune.
type searching func(context.Context, optimize.Measure, optimize.TuneOptions) (optimize.Result, error)

func newSearchPlan(ctx context.Context, find searching, o optimize.TuneOptions) *searchPlan {
	p := &searchPlan{most: o.Probes + o.Cover, found: optimize.Result{Ended: optimize.Cancelled,
		Answers: make([]optimize.Answer, len(o.Limits))}, err: context.Canceled}
	tell := o.Choosing
	o.Choosing = func(s optimize.Step) {
		if p.step = s; tell != nil {
			tell(s)
		}
	}
	p.Plan = Searching(ctx, func(ctx context.Context,
		measure func(profiles.Step) (record.Row, error)) {
		p.found, p.err = find(ctx, func(_ context.Context, a tegra.Setting) (tegra.Measured, error) {
			step := profiles.Step{Setting: a, Change: p.change(a)}
			if p.ends && p.step.Setting == a {
				step.MostW = p.step.MostW
			}
			row, err := measure(step)
			return row.Measured, err
		}, o)
	})
	return p
}

func (p *searchPlan) Len() (int, bool) { return p.most, p.most > 0 }

// change returns the expected log change of power from the previous mode, two standard deviations beyond the
// prediction; absent without a prediction.
func (p *searchPlan) change(to tegra.Setting) tegra.Val[float64] {
	if !p.step.PowerW.OK || p.step.Setting != to || !p.Last.Status.Usable() || p.Last.Batch != to.Batch {
		return tegra.Val[float64]{}
	}
	by := math.Log(p.step.PowerW.V / p.Last.PowerW)
	return tegra.Finite(by + math.Copysign(2*p.step.LnPowerSD, by))
}
