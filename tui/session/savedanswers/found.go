package savedanswers

import (
	"cmp"
	"slices"

	"jtune/learn"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/workloads"
)

// about reports whether a campaign measured a model's workload on the model's board.
func about(c campaigns.Campaign, from learn.Provenance) bool {
	d := c.Header.Device
	return c.Err == nil && c.Header.Workload.Name == from.Workload && d.Name == from.Device &&
		d.Virtual == from.Virtual && d.Replay == from.Replay
}

// sized returns a setting of a campaign with its batch size, and whether a model has that size; a model of several has
// them all.
func sized(c campaigns.Campaign, at tegra.Setting, from learn.Provenance) (tegra.Setting, bool) {
	at.Batch = cmp.Or(at.Batch, c.Header.Workload.Batch)
	return at, from.Batch == 0 || at.Batch == from.Batch
}

// teaches reports whether a campaign has rows of a model's batch size.
func teaches(c campaigns.Campaign, from learn.Provenance) bool {
	return from.Batch == 0 && c.Readings > 0 || slices.Contains(c.Sizes, from.Batch)
}

// Answered returns the settings that the newest search of a model's workload, at the model's batch size, found for its
// questions; none if the workload was measured again since, because the model may now choose better.
func Answered(list []campaigns.Campaign, from learn.Provenance) map[metric.Question]outlook.Answered {
	return answered(list, from)
}

// answered is Answered where campaigns of other kinds too, whose rows no model learns, belong to a search.
func answered(list []campaigns.Campaign, from learn.Provenance, also ...string) map[metric.Question]outlook.Answered {
	out := map[metric.Question]outlook.Answered{}
	for _, c := range slices.Backward(list) {
		if !about(c, from) || !teaches(c, from) || !c.Pools() && !slices.Contains(also, c.Header.Plan.Kind) {
			continue
		}
		_, k, err := Find(list, c)
		if err != nil || k == nil || k.Worked {
			break
		}
		for i, a := range k.Answers {
			if at, ok := sized(c, a.Setting, from); ok && a.Feasible {
				out[k.Goal(i)] = outlook.Answered{Setting: at, Over: a.ChanceOver()}
			}
		}
		break
	}
	return out
}

// Readings returns the newest rows that a model's workload contributes to its model, the oldest first.
// They have the further quantities that a goal limits.
func Readings(list []campaigns.Campaign, from learn.Provenance, l metric.Goal) (rows []record.Row) {
	of := slices.DeleteFunc(slices.Clone(list), func(c campaigns.Campaign) bool {
		return !about(c, from) || !c.Pools()
	})
	for _, c := range campaigns.Newest(of) {
		rows = append(rows, c.Further(c.Rows(), l)...)
	}
	return rows
}

// Board identifies the board of a model's newest campaign; "" if it has none.
func Board(list []campaigns.Campaign, from learn.Provenance) string {
	for _, c := range slices.Backward(list) {
		if about(c, from) {
			return c.Board
		}
	}
	return ""
}

// likeRate is the factor within which two load rates count as similar.
const likeRate = 2.0

// tried is what a setting did with requests, at a rate.
type tried struct {
	answers.Trial
	rate  float64
	asked bool // at the ask's own rate
}

// trials returns what the settings of a model's workload did with requests at loads similar to an ask's, oldest first.
// Repeated readings are averaged.
func trials(list []campaigns.Campaign, from learn.Provenance, a mix.Ask) (out []tried) {
	if !a.Load.Open() {
		return nil
	}
	for _, c := range list {
		w := c.Header.Workload
		want := workloads.DemandOf(a, w)
		like := w.Load.Rate <= likeRate*a.Load.RatePerS && a.Load.RatePerS <= likeRate*w.Load.Rate
		if !about(c, from) || c.Header.Plan.Kind != campaigns.LoadKind || !like ||
			w.Load.Arrivals != want.Arrivals || w.Load.MaxWaitMS != want.MaxWaitMS {
			continue
		}
		for _, row := range c.Rows() {
			if row.Status == record.Hot || !row.Answered() {
				continue
			}
			t := answers.TrialOf(row, tegra.Setting{Mode: row.Mode}.WithBatch(w.Batch), a, w)
			before := slices.IndexFunc(out, func(b tried) bool {
				return b.Setting == t.Setting && b.rate == w.Load.Rate
			})
			if before < 0 {
				out = append(out, tried{t, w.Load.Rate, w.Load.Rate == a.Load.RatePerS})
			} else {
				out[before].Trial = out[before].And(t, a, w)
			}
		}
	}
	return out
}

// Sent returns what requests have shown about a model's workload: the settings that failed an ask at its load, and the
// latencies of settings at similar loads. Repeated readings are averaged.
func Sent(list []campaigns.Campaign, from learn.Provenance, a mix.Ask) (failed []tegra.Setting, sent []mix.Sent) {
	for _, t := range trials(list, from, a) {
		if t.asked && !t.Meets() {
			failed = append(failed, t.Setting)
		}
		if t.LatencyMS.OK {
			sent = append(sent, mix.Sent{Setting: t.Setting, RatePerS: t.rate, LatencyMS: t.LatencyMS.V})
		}
	}
	return failed, sent
}

// Trial returns what a setting of a model's workload did with requests at exactly the load of an ask; nil if none were
// sent.
func Trial(list []campaigns.Campaign, from learn.Provenance, a mix.Ask, at tegra.Setting) *answers.Trial {
	for _, t := range trials(list, from, a) {
		if t.asked && t.Setting == at {
			return &t.Trial
		}
	}
	return nil
}

// Known returns an ask with the results of earlier searches: the answer to exactly this goal, and the settings that
// failed.
func Known(list []campaigns.Campaign, from learn.Provenance, g metric.Question, a mix.Ask) mix.Ask {
	a.Failed, a.Sent = Sent(list, from, a)
	if found, ok := answered(list, from, campaigns.LoadKind)[g]; ok {
		at := found.WithBatch(from.Batch)
		a.Found = &at
	}
	return a
}
