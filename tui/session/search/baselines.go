package search

import (
	"cmp"
	"context"
	"slices"
	"time"

	"jtune/optimize"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
)

// warmFor is the maximum age of a reading that still describes the board.
const warmFor = time.Hour

// baselines returns what the answer of a search is compared with.
func baselines(s *session.Session, r measure.TuneRequest, pool models.Pool) optimize.Baselines {
	var out optimize.Baselines
	if r.Baseline == measure.NoBaseline {
		return out
	}
	if m := s.Setup().Mode; m.OK {
		out.Present = tegra.Some(tegra.Setting{Mode: m.V, Batch: usualBatch(r)})
	}
	if r.Baseline != measure.PresentBaseline {
		out.Presets = s.Device.Presets()
	}
	out.Warm = record.Usable(warm(pool, r.Before, s.Clock.Wall()))
	return out
}

// asFound measures the board in its present state if no mode expresses it, because a search could not restore that
// state. The row has no mode; it is empty if this was not requested or if it failed.
func asFound(ctx context.Context, s *session.Session, r *measure.TuneRequest, present tegra.Setup,
	observe func(measure.Event)) (record.Row, error) {
	if r.Baseline == measure.NoBaseline || present.Mode.OK || s.Replays() ||
		r.Probes > 0 && r.Probes < optimize.CapForPresent {
		return record.Row{}, nil
	}
	tell := measure.Observer(observe)
	tell.Note("today's clocks match no power mode: they are measured unchanged")
	row, err := measure.AsFound(ctx, s, r.Workload, usualBatch(*r), settingsOf(*r), observe)
	if err != nil {
		return record.Row{}, err
	}
	if !row.Status.Usable() {
		tell.Note("the state of the board could not be measured: " + row.Why)
		return record.Row{TookS: row.TookS}, nil
	}
	if r.Probes > 0 {
		r.Probes--
	}
	return row, nil
}

// seconds converts a number of seconds.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// usualBatch returns the requested batch size nearest to the workload's own.
func usualBatch(r measure.TuneRequest) int {
	return slices.MinFunc(r.Sizes(), func(a, b int) int {
		return cmp.Compare(max(a, r.Workload.Batch)-min(a, r.Workload.Batch),
			max(b, r.Workload.Batch)-min(b, r.Workload.Batch))
	})
}

// warm returns the readings of a pool that are at most warmFor old.
func warm(pool models.Pool, before, now time.Time) (out []record.Row) {
	if !before.IsZero() { // a repetition
		now = before
	}
	for _, part := range pool.Parts {
		for _, row := range part.Rows {
			if now.Sub(row.When) <= warmFor {
				out = append(out, row)
			}
		}
	}
	return out
}

// compare sets the baselines and gains of a search's answers. present is the board's setup before the search.
func compare(s *session.Session, out *measure.TuneResult, r measure.TuneRequest, present tegra.Setup) {
	rows := slices.Concat(out.Warm, out.Rows, []record.Row{out.Found})
	baseline := func(m tegra.Mean, name string) *answers.Baseline {
		if m.N == 0 {
			return nil
		}
		return &answers.Baseline{Name: name, Mean: m, Error: answers.ErrorsOf(m.Setting, m.N, rows)}
	}
	for i, found := range out.Result.Answers {
		a := &out.Answers[i]
		a.Error = answers.ErrorsOf(a.Setting, a.Reading.N, rows)
		if out.Found.TimeMS > 0 {
			found.Before = tegra.Mean{Measured: out.Found.Measured, N: 1}
		}
		a.Before = baseline(found.Before, outlook.PresentName(present))
		if found.Preset.Setting != found.Before.Setting {
			a.Preset = baseline(found.Preset, presetName(s, found.Preset.Mode))
		}
		if a.Compared(); r.Baseline != measure.NoBaseline {
			a.Guessed()
		}
	}
}

// presetName names a measured mode, by its preset if it has one.
func presetName(s *session.Session, m tegra.Mode) string {
	for _, p := range s.Device.Presets() {
		if p.ModeIn(s.Device.Space()) == m {
			return answers.MeasuredAs(p)
		}
	}
	return tegra.NameOf(m, s.Device.Space(), s.Device.Presets())
}
