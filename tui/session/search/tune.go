package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/preflight"
	"jtune/tui/session/soak"
	"jtune/tui/session/workloads"
)

// MostMeasured returns the default cap on the measurements of a search, with what its answer is compared with.
func MostMeasured(r measure.TuneRequest) int {
	switch r.Baseline {
	case measure.NoBaseline:
		return mostOf(r)
	case measure.PresentBaseline:
		return mostOf(r) + 1
	}
	return mostOf(r) + 2
}

// mostOf returns the default cap without those.
func mostOf(r measure.TuneRequest) int {
	if r.Workload.Serves() && r.Depth != optimize.Thorough {
		return optimize.MostServed(len(r.Limits))
	}
	return optimize.MostProbes(len(r.Limits))
}

// capped returns the cap on the measurements of a search, baselines included; 0: its strategy's own.
func capped(r measure.TuneRequest, compared optimize.Baselines) int {
	if auto := r.Strategy == "" || r.Strategy == optimize.Auto; r.Probes > 0 || !auto {
		return r.Probes
	}
	return mostOf(r) + compared.Probes()
}

// Tune searches for the best mode by measuring on this device, and records every measurement in a campaign folder. The
// device is restored. When no mode meets the limit the error wraps optimize.ErrInfeasible and the result is the nearest
// mode; on any error it holds what was measured.
func Tune(ctx context.Context, s *session.Session, r measure.TuneRequest,
	observe func(measure.Event)) (measure.TuneResult, error) {
	asked, before := r, measure.TuneResult{}
	for try := 1; ; try++ {
		out, err := tune(ctx, s, r, observe)
		out.After(before)
		if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
			return out, err
		}
		if prove(ctx, s, asked, &out, observe) {
			keepAnswer(&out, asked, err, observe)
		}
		i := slices.IndexFunc(out.Answers, func(a answers.Answer) bool { return a.Soak != nil && !a.Feasible })
		if err != nil || i < 0 || try == mostAnswers || ctx.Err() != nil {
			return out, err
		}
		hot := out.Answers[i]
		measure.Observer(observe).Note(fmt.Sprintf("%s %s. The search goes on with what this says of the board's heat.",
			s.Device.Space().Setting(hot.Setting), hot.Soak.Sentence()))
		r, before = goingOn(r, out), out
	}
}

// goingOn returns the request of a search that goes on after an answer of it was refuted: with all that was measured,
// in a further campaign.
func goingOn(r measure.TuneRequest, out measure.TuneResult) measure.TuneRequest {
	r.PartOf, r.Dir, r.Fresh, r.Before = out.Began, "", false, time.Time{}
	return r
}

// tune is Tune without soaks of the answers.
func tune(ctx context.Context, s *session.Session, r measure.TuneRequest,
	observe func(measure.Event)) (measure.TuneResult, error) {
	asked, err := r, error(nil)
	if r.Workload.Live() {
		r, err = guarded(r)
	}
	if err == nil {
		err = mayTune(s, r)
	}
	if err == nil {
		r.Heat, err = limited(s, r.Limits, observe)
	}
	if err != nil {
		return measure.TuneResult{}, err
	}
	if err := preflight.MayMeasure(ctx, s, r.Limits[0].Of(metric.Power)); err != nil {
		return measure.TuneResult{}, err
	}
	if err := above(s, r, observe); err != nil {
		return measure.TuneResult{}, err
	}
	release, err := preflight.Claim(s, "search for "+r.Workload.Name, true)
	if err != nil {
		return measure.TuneResult{}, err
	}
	defer release()
	ref, err := models.Reference(s.Options.Paths, r.Reference)
	if err != nil {
		return measure.TuneResult{}, err
	}
	search := tuneLimit
	switch {
	case r.Load.Any():
		search = tuneServed
		r.Workload.Load = workload.Demand{} // models learn service times, one request at a time
	case r.Watched.LatencyMS > 0:
		search = tuneWatched
	}
	present := s.Setup()
	var found record.Row
	var out measure.TuneResult
	for first := r; ; {
		if found, err = asFound(ctx, s, &r, present, observe); err != nil {
			return measure.TuneResult{}, err
		}
		out, err = search(ctx, s, r, ref, observe)
		w, withdrawn := errors.AsType[*profiles.WithdrawnError](err)
		if !withdrawn || ctx.Err() != nil || len(first.Workload.NotJobs) >= mostNotJobs {
			break
		}
		if first, err = without(first, w.Not); err != nil {
			return out, err
		}
		measure.Observer(observe).Note(w.Why + ". The search begins again.")
		r = first
	}
	out.Found, out.Took = found, out.Took+seconds(found.TookS)
	out.AnswerTo(asked, s.Device.Board())
	err = errors.Join(err, summarise(s, &out, r, ref, present))
	keepAnswer(&out, asked, err, observe)
	return out, err
}

// above says which limit on the power is above all that is known of the board.
func above(s *session.Session, r measure.TuneRequest, observe func(measure.Event)) error {
	limitW, readW := 0.0, 0.0
	for _, g := range r.Limits {
		limitW = max(limitW, g.Of(metric.Power))
	}
	pool, err := poolOf(s, r)
	for _, m := range pool.Rows() {
		readW = max(readW, m.PowerW)
	}
	if why := preflight.AboveMost(s, limitW, readW); why != "" {
		measure.Observer(observe).Note("note: " + why)
	}
	return err
}

// mostNotJobs is how many counters may turn out not to be the job, one search after another.
const mostNotJobs = 3

// without returns the request of a search that does not take a counter for the job. The counter's readings are moved
// out of the folder that the user named.
func without(r measure.TuneRequest, counter string) (measure.TuneRequest, error) {
	r.Workload.NotJobs = append(slices.Clone(r.Workload.NotJobs), counter)
	if r.Dir == "" {
		return r, nil
	}
	return r, os.Rename(r.Dir, fmt.Sprintf("%s-withdrawn-%d", r.Dir, len(r.Workload.NotJobs)))
}

// limited returns how the board warms, for goals that limit its temperature, or an error for a limit on what the board
// does not have.
func limited(s *session.Session, goals []metric.Goal, observe func(measure.Event)) (metric.Heat, error) {
	var bounds []metric.Bound // but on power: without the module's nothing is measured, which preflight says
	for _, g := range goals {
		if err := g.Told(); err != nil {
			return metric.Heat{}, err
		}
		bounds = append(bounds, g.Limits.Further()...)
	}
	if bounds == nil {
		return metric.Heat{}, nil
	}
	now, err := s.Device.Read()
	for _, b := range bounds {
		if err == nil { // one line, of the first
			err = metric.Limits{}.With(b).Shown(s.Device.Board(), now)
		}
	}
	if err != nil {
		return metric.Heat{}, err
	}
	warms, err := soak.HeatFor(s, now, goals...)
	measure.Observer(observe).Note(soak.HeatSays(warms))
	return warms, err
}

// keepAnswer saves the answer of a finished search in the folder of its first campaign.
func keepAnswer(out *measure.TuneResult, asked measure.TuneRequest, err error, observe func(measure.Event)) {
	answered := err == nil || errors.Is(err, optimize.ErrInfeasible)
	if !answered || out.Home == "" || !(out.Result.Answers[0].TimeMS > 0) || out.Ended == optimize.Cancelled {
		return
	}
	kept := answers.Kept{Jtune: session.Version, When: time.Now(), Load: asked.Load, Batches: asked.Batches,
		Warnings: out.Warnings, Answers: out.Answers}
	if out.Fitted != nil {
		kept.Software = out.Fitted.Provenance.Software
	}
	if err := answers.Keep(out.Home, kept); err != nil {
		measure.Observer(observe).Note("the answer is not kept: " + err.Error())
	}
}

// mayTune refuses requests that no search can answer here.
func mayTune(s *session.Session, r measure.TuneRequest) error {
	if err := workloads.LoadFault(r.Workload, r.Load); err != nil && !s.Replays() {
		return err
	}
	if err := Fault(r); err != nil {
		return err
	}
	return workloads.CheckSizes(s, r.Workload, r.Batches)
}

// Fault returns why a search by the request's strategy and coverage cannot answer its limits, or nil.
func Fault(r measure.TuneRequest) error {
	several, auto := len(r.Batches) > 1, r.Strategy == "" || r.Strategy == optimize.Auto
	switch {
	case r.Soak > 0 && r.Load.Any():
		return usage.Errorf("a soak runs the job without requests").Advise("soak the answer with jtune soak")
	case r.Coverage == campaigns.CoverFront && several:
		return usage.Batch.Errorf("%s front takes one batch size", usage.Coverage).Advise("give one %s", usage.Batch)
	case r.Coverage == campaigns.CoverFront && !auto:
		return usage.Strategy.Errorf("%s front chooses its own modes by a design", usage.Coverage).
			Advise("remove %s", usage.Strategy)
	case r.Load.Any() && (r.Coverage == campaigns.CoverFront || len(r.Limits) > 1 || !auto):
		return usage.Errorf("a search under a load answers one limit, by strategy auto and coverage limit")
	case further(r) && (r.Load.Any() || r.Watched.LatencyMS > 0):
		return usage.Limit.Errorf("a search under a load keeps limits on power and time")
	case len(r.Limits) > 1 && !auto:
		return usage.Strategy.Errorf("%s %s answers one limit", usage.Strategy, r.Strategy).
			Advise("give one, or %s auto", usage.Strategy)
	case several && r.Strategy == optimize.PowerTrain:
		return usage.Batch.Errorf("strategy powertrain takes one batch size").
			Advise("give one %s, or use auto, binary or random", usage.Batch)
	case several && r.Strategy == optimize.Binary && !r.Limits[0].Limits.Harm():
		return usage.PowerLimit.Errorf("strategy binary over batch sizes looks for the most samples per second").
			Advise("it needs %s, with or without %s", usage.PowerLimit, usage.TimeLimit)
	case r.Strategy == optimize.Binary && !r.Limits[0].Limited():
		return usage.Strategy.Errorf("strategy binary looks for a mode within a limit").
			Advise("give %s or %s, or use auto or random", usage.PowerLimit, usage.TimeLimit)
	}
	return nil
}

// further reports whether a goal limits more than time and power.
func further(r measure.TuneRequest) bool {
	return slices.ContainsFunc(r.Limits, func(g metric.Goal) bool { return g.Limits.Further() != nil })
}

// measurableSettings returns the settings of those sizes that a replay can answer; nil: all.
func measurableSettings(s *session.Session, sizes []int) []tegra.Setting {
	var out []tegra.Setting
	for _, a := range s.Replayed() {
		if slices.Contains(sizes, a.Batch) {
			out = append(out, a)
		}
	}
	return out
}

// summarise fits the model of everything known and compares the answer.
func summarise(s *session.Session, out *measure.TuneResult, r measure.TuneRequest, ref *learn.Reference,
	present tegra.Setup) error {
	readings := MeasuredOf(out.Probes)
	if len(readings) == 0 {
		return nil
	}
	known, err := models.Learn(s, r.Workload, r.Batches, out.Dir, readings, ref, r.Keep)
	out.Fitted, out.Kept = known.Model, known.Path
	versus := func(m tegra.Measured) outlook.Comparisons {
		var predictor learn.Predictor
		if known.Model != nil {
			predictor = known.At(m.Batch)
		}
		return outlook.Compare(optimize.MeasuredPrediction(m), predictor, tegra.OncePerSetting(known.Rows),
			s.Device.Space(),
			s.Device.Presets(), present)
	}
	for i, a := range out.Answers {
		out.Answers[i].Versus = versus(a.Reading.Measured)
		if known.Model != nil && out.Served == nil {
			out.Answers[i].Exchange = answers.ExchangeAt(outlookOf(known.Model, s.Device.Space()), a)
		}
	}
	compare(s, out, r, present)
	if r.Keep {
		return err
	}
	return nil
}

// outlookOf predicts all settings that a model covers on a board.
func outlookOf(m *learn.Model, space *tegra.Space) *outlook.Outlook {
	return outlook.OutlookOf(m, tegra.Settings(space.Modes(), m.Batches))
}

// MeasuredOf returns the readings of the successful probes.
func MeasuredOf(probes []optimize.Probe) []tegra.Measured {
	var out []tegra.Measured
	for _, p := range probes {
		if p.Err == nil {
			out = append(out, p.Measured)
		}
	}
	return out
}
