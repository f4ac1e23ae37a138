package questions

import (
	"slices"

	"jtune/internal/arrivals"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/models"
)

// about reports whether a campaign measured the workload of a model on its board.
func about(c campaigns.Campaign, from learn.Provenance) bool {
	d := c.Header.Device
	return c.Err == nil && c.Header.Workload.Name == from.Workload && d.Name == from.Device &&
		d.Virtual == from.Virtual && d.Replay == from.Replay
}

// Found is the setting that the newest search of a model's workload has found for this very goal by measuring; false
// where something else of the workload was measured since, which the model may choose better by.
func Found(list []campaigns.Campaign, from learn.Provenance, g mix.Goal) (at tegra.Setting, ok bool) {
	for _, c := range slices.Backward(list) {
		loaded := c.Header.Plan.Kind == campaigns.LoadKind // whose rows no model learns
		if !about(c, from) || !models.Pools(c) && !loaded {
			continue
		}
		_, k, err := Find(list, c)
		if err != nil || k == nil || k.Worked {
			return at, false
		}
		for i, a := range k.Answers {
			if a.Feasible && k.Goal(i) == g {
				return a.Setting, true
			}
		}
		return at, false
	}
	return at, false
}

// Answered are the settings that the newest search of a model's workload has found for its limits, as Found has them;
// none under a load.
func Answered(list []campaigns.Campaign, from learn.Provenance) map[optimize.Limit]tegra.Setting {
	out := map[optimize.Limit]tegra.Setting{}
	for _, c := range slices.Backward(list) {
		if !about(c, from) || !models.Pools(c) {
			continue
		}
		_, k, err := Find(list, c)
		if err != nil || k == nil || k.Worked || k.Load != (arrivals.Spec{}) {
			return out
		}
		for _, a := range k.Answers {
			if a.Feasible {
				out[a.Limit] = a.Setting
			}
		}
		return out
	}
	return out
}

// Failed are the settings of a model's workload that did not meet an ask when requests came at its load, by the mean of
// their readings.
func Failed(list []campaigns.Campaign, from learn.Provenance, a mix.Ask) (out []tegra.Setting) {
	if !a.Load.Open() {
		return nil
	}
	tried := map[tegra.Setting]answers.Trial{}
	for _, c := range list {
		w := c.Header.Workload
		if !about(c, from) || c.Header.Plan.Kind != campaigns.LoadKind || w.Load.Rate != a.Load.RatePerS ||
			w.Load.Arrivals != string(a.Load.Pattern) {
			continue
		}
		for _, row := range c.Rows {
			if row.Status == record.Hot || row.Serving == nil || !row.Status.Usable() {
				continue
			}
			t := answers.Trial{Setting: tegra.Setting{Mode: row.Mode, Batch: max(1, w.Batch)}, N: 1,
				Serving: row.Serving, MeanW: tegra.Finite(row.PowerW)}
			t.Judge(a, w)
			if before, twice := tried[t.Setting]; twice {
				t = before.And(t, a, w)
			}
			tried[t.Setting] = t
		}
	}
	for at, t := range tried {
		if !t.Meets() {
			out = append(out, at)
		}
	}
	return out
}

// Known is an ask with what searches have found out of it: the answer to this very goal, and what failed.
func Known(list []campaigns.Campaign, from learn.Provenance, g mix.Goal, a mix.Ask) mix.Ask {
	a.Failed = Failed(list, from, a)
	if at, ok := Found(list, from, g); ok {
		if at.Batch == 0 {
			at.Batch = max(1, from.Batch)
		}
		a.Found = &at
	}
	return a
}
