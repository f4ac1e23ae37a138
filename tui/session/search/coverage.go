package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
)

const (
	// FrontModes is how many modes a search over the whole front measures before it answers.
	FrontModes = 25
	// frontTries is how many choices of the model are measured; after these, up to as many choices among the measured
	// modes.
	frontTries = 4
)

// tuneFront learns the whole Pareto front and then answers one limit. A design chooses the modes of a campaign; the
// model fitted to them chooses the answer with a margin, and that is measured. The measurement updates the model, and
// while the model then chooses another mode, that is measured too. After some tries only measured modes are candidates,
// so the answer is never worse than a measured mode.
func tuneFront(ctx context.Context, s *session.Session, r measure.TuneRequest, ref *learn.Reference,
	observe func(measure.Event)) (out measure.TuneResult, err error) {
	observe = tracked(s, r.Limit, observe)
	known, err := knownOfFront(s, r, observe)
	if err != nil {
		return out, err
	}
	camp, err := measure.ProfilePlanned(ctx, s, measure.ProfileRequest{Measuring: r.Measuring,
		Choose: cmp.Or(r.Probes, FrontModes), First: toCompare(s), Known: known}, SearchHeader(r), observe)
	if _, withdrawn := errors.AsType[*profiles.WithdrawnError](err); withdrawn {
		return out, err
	}
	out.Dir, out.Home, out.Ended = camp.Dir, camp.Dir, optimize.NoWay
	out.Rows = camp.Rows
	for _, row := range camp.Rows {
		out.Probes = append(out.Probes, probeOf(row, optimize.Improve, r.Limit))
	}
	if err == nil {
		err = ctx.Err() // interrupted: the rows are on disk and the campaign can be resumed
	}
	_, aligned := known.With(camp.Rows)
	if measure.Observer(observe).Note(aligned.String()); aligned.LeftOut == 0 {
		out.Known = len(tegra.OncePerSetting(known.Rows))
	}
	begun, measured := s.Clock.Now(), err
	err = answerFront(ctx, s, r, ref, &out, measured, observe)
	if failed := frontBaselines(ctx, s, r, &out, observe); err == nil {
		err = failed
	}
	for _, l := range r.More {
		one, asked := out, r
		asked.Limit, one.Result = l, optimize.Result{Probes: out.Probes, Ended: optimize.NoWay, Known: out.Known}
		if failed := answerFront(ctx, s, asked, ref, &one, measured, observe); measured == nil {
			err = errors.Join(err, failed)
		}
		out.Probes, out.Fitted = one.Probes, one.Fitted
		one.Before = out.Before
		out.More = append(out.More, one.Result)
	}
	for i := range out.More {
		out.More[i].Probes = out.Probes
	}
	out.Took = camp.Elapsed + s.Clock.Now() - begun
	return out, err
}

// answerFront answers the limit of a request, unless the campaign ended with an error.
func answerFront(ctx context.Context, s *session.Session, r measure.TuneRequest, ref *learn.Reference,
	out *measure.TuneResult, err error,
	observe func(measure.Event)) error {
	for try, more := 1, true; err == nil && more && try <= 2*frontTries; try++ {
		more, err = tryFront(ctx, s, r, ref, out, try >= frontTries, observe)
	}
	if out.Feasible && errors.Is(err, optimize.ErrInfeasible) {
		err = nil // a later probe broke the limit, not the answer
	}
	switch {
	case out.Feasible:
		out.Ended = optimize.Converged
	case ctx.Err() != nil:
		out.Ended = optimize.Cancelled
	case err == nil:
		err = &optimize.InfeasibleError{Limit: r.Limit, Nearest: out.Measured, Measured: true}
	case !errors.Is(err, optimize.ErrInfeasible):
		out.Ended = optimize.Failing
	}
	return err
}

// knownOfFront returns what a search over the whole front starts from; a resumed one starts from the same rows as
// before.
func knownOfFront(s *session.Session, r measure.TuneRequest, observe func(measure.Event)) (out measure.KnownRows,
	err error) {
	if r.Resume {
		head, _, err := record.Read(r.Dir)
		if err != nil {
			return out, err
		}
		r.Before, r.Fresh = head.Created, head.Search != nil && head.Search.Fresh
	}
	out.Limit = r.Limit
	out.Rows, err = Known(s, r, observe)
	return out, err
}

// tryFront measures the choice of the model fitted to all probes; last: the best measured mode. It becomes the answer
// if it is better. more reports that another mode may be better still, as when a prediction was too optimistic.
func tryFront(ctx context.Context, s *session.Session, r measure.TuneRequest, ref *learn.Reference,
	out *measure.TuneResult, last bool,
	observe func(measure.Event)) (more bool, err error) {
	known, err := models.Learn(s, r.Workload, nil, out.Dir, MeasuredOf(out.Probes), ref, false)
	if err != nil {
		return false, err
	}
	m := known.Model
	out.Fitted = m
	all := outlook.New(r.Workload.Name, m, m.Space)
	o := all
	at, err := o.Choose(r.Limit)
	if last || errors.Is(err, optimize.ErrInfeasible) {
		o = outlook.Measured(m.Trusted(), m.Provenance)
		at, err = o.Choose(r.Limit)
	}
	if none, ok := errors.AsType[*optimize.InfeasibleError](err); ok && !out.Feasible {
		none.Measured = true
		out.Measured, out.N = none.Nearest, all.About(none.Nearest.Mode).Reading.N
	}
	if err != nil {
		return false, err
	}
	choice := o.Known[at].Mode
	if out.Feasible && choice == out.Mode {
		return false, nil
	}
	head, _, err := record.Read(out.Dir)
	if err != nil {
		return false, err
	}
	again := measure.Measuring{Workload: r.Workload, Dir: out.Dir, Resume: true, Settings: r.Settings}
	row, _, err := measure.MeasureOne(ctx, s, measure.ProfileRequest{Measuring: again}, head, choice, observe)
	if err != nil {
		return false, err
	}
	probe := probeOf(row, optimize.Verify, r.Limit)
	probe.Predicted = m.Predict([]tegra.Mode{choice})[0]
	out.Probes, out.Rows = append(out.Probes, probe), append(out.Rows, row)
	if probe.Err != nil {
		return false, fmt.Errorf("verification %w", probe.Err)
	}
	got := all.With(row.Measured).About(choice).Reading
	met := optimize.Stand(r.Limit, optimize.MeasuredPrediction(got.Measured), got.N).State == optimize.Measured
	if out.Feasible && !(met && r.Limit.Better(got.Measured, out.Measured)) {
		return true, nil
	}
	out.Predicted, out.Measured, out.N = probe.Predicted, got.Measured, got.N
	out.Verified, out.Feasible = true, met
	return true, nil
}

// probeOf converts a row of a campaign to a probe of a search.
func probeOf(row record.Row, why optimize.Why, l metric.Goal) optimize.Probe {
	p := optimize.Probe{Measured: tegra.Measured{Setting: row.Setting}, Why: why,
		Feasible: row.Status.Usable() && l.Met(row.Measured)}
	p.Read(row.Measured, Unusable(row))
	return p
}

// Unusable returns the error of a row without a value; nil for other rows.
func Unusable(row record.Row) error {
	switch {
	case row.Status.Usable():
		return nil
	case row.Status == record.Over:
		return optimize.OverLimit(row.Why)
	}
	return fmt.Errorf("%s: %s", row.Status, row.Why)
}
