package tui

import (
	"context"
	"errors"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tui/session"
)

// frontTries is how many choices are measured before the limit counts as out
// of reach.
const frontTries = 4

// frontJob learns the whole map and then answers for one limit: it measures
// the modes that teach most, fits, chooses with a margin, and measures the
// choice. A choice that breaks the limit teaches the model and is followed by
// another one.
type frontJob struct {
	h     host
	j     *job
	space *tegra.Space
	seed  uint64
	board tegra.Board
	dir   string // of a campaign to go on with; "" begins one
	modes int    // to measure
}

func (f frontJob) run(ctx context.Context, j *job) jobDoneMsg {
	req := session.ProfileRequest{Workload: j.workload, Choose: f.modes, Gate: j.gate.wait, Dir: f.dir, Resume: f.dir != ""}
	camp, err := f.h.Profile(ctx, req, j.observe)
	if err == nil {
		err = ctx.Err() // cut off: the rows are on disk and the campaign can go on
	}
	if err != nil {
		return jobDoneMsg{err: err}
	}
	var measured []tegra.Measured
	for _, r := range camp.Rows {
		if r.Status.Usable() {
			measured = append(measured, r.Measured)
		}
	}
	res := session.TuneResult{Dir: camp.Dir}
	for range frontTries {
		if res.Fitted, err = f.fit(measured); err != nil {
			return jobDoneMsg{err: err}
		}
		var row profiles.Row
		if row, err = f.try(ctx, &res); err != nil {
			break
		}
		measured = append(measured, row.Measured)
		if res.Feasible {
			break
		}
	}
	if last, fitErr := f.fit(measured); fitErr == nil {
		res.Fitted = last
	}
	_, saveErr := f.h.SaveModel(modelName(f.j.workload.Name, f.board), res.Fitted)
	msg := jobDoneMsg{err: errors.Join(err, saveErr), view: newMapView(f.j.workload.Name, res.Fitted, f.space)}
	if res.Verified {
		msg.tuned = &res
	}
	return msg
}

func (f frontJob) fit(measured []tegra.Measured) (*learn.Model, error) {
	from := learn.Provenance{Device: f.board.Name, Workload: f.j.workload.Name, Virtual: f.board.Virtual, Replay: f.board.Replay}
	return learn.Fit(context.Background(), measured, learn.Options{Space: f.space, Seed: f.seed, Provenance: from})
}

// try measures what the model would choose.
func (f frontJob) try(ctx context.Context, res *session.TuneResult) (profiles.Row, error) {
	limit := f.j.limit
	limit.Margin = 1
	choice, err := optimize.Choose(res.Fitted.Predict(f.space.Modes()), limit)
	if err != nil {
		return profiles.Row{}, err
	}
	row, err := f.h.Verify(ctx, f.j.workload, choice.Mode, f.j.observe)
	if err == nil && !row.Status.Usable() {
		err = errors.New("verification " + string(row.Status) + ": " + row.Why)
	}
	if err != nil {
		return row, err
	}
	res.Mode, res.Predicted, res.Measured = choice.Mode, choice.Prediction, row.Measured
	res.Verified, res.Feasible = true, f.j.limit.Met(optimize.MeasuredPoint(row.Measured))
	return row, nil
}
