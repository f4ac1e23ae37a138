package outlook

import (
	"jtune/internal/report"
	"jtune/optimize/advice"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Projection is the cost of a whole training in the modes of several strategies: minibatches times the time and energy
// of one.
type Projection struct {
	Epochs, Minibatches int
	Rows                []Projected // the answer first
}

// Projected is the cost of a whole training in one mode.
type Projected struct {
	Strategy string
	Mode     tegra.Mode
	advice.Training
	Saved    advice.Training // by the answer relative to this mode; negative: it costs more
	Measured bool            // else predicted
	Met      bool            // the mode keeps the limit
}

// Hours returns the duration of the whole training in hours.
func (t *Projected) Hours() float64 { return t.Time.Hours() }

// Columns are the columns of whole trainings; in text, mode formats a mode and said the name of a strategy.
func (t *Projection) Columns(mode func(tegra.Mode) string, said func(name string) string) report.Table[Projected] {
	type r = Projected
	return report.Table[r]{
		{Key: "strategy", Title: "strategy", Of: func(x r) any { return x.Strategy },
			Text: func(x r) string { return said(x.Strategy) }},
		{Key: "mode", Title: "mode", Of: func(x r) any { return x.Mode },
			Text: func(x r) string { return mode(x.Mode) }},
		{Key: "time_h", Title: "hours", Of: func(x r) any { return x.Hours() }},
		{Key: "energy_kwh", Title: "kWh", Of: func(x r) any { return x.KWh }},
		{Key: "saved_h", Title: "hours saved", Of: func(x r) any { return x.Saved.Time.Hours() }},
		{Key: "saved_kwh", Title: "kWh saved", Of: func(x r) any { return x.Saved.KWh }},
		{Key: "measured", Title: "how known", Of: func(x r) any { return x.Measured },
			Text: func(x r) string { return map[bool]string{true: "measured", false: "predicted"}[x.Measured] }},
		{Key: "within_limit", Title: "limit", Of: func(x r) any { return x.Met },
			Text: func(x r) string { return map[bool]string{false: "exceeds the limit"}[x.Met] }},
	}
}

// Project compares whole trainings in the mode of setting at, in the best measured mode (as chosen without a model),
// and in the modes of v.
func (o *Outlook) Project(at int, v Comparisons, l metric.Goal, epochs, perEpoch int) Projection {
	out := Projection{Epochs: epochs, Minibatches: epochs * perEpoch}
	add := func(strategy string, m tegra.Measured, measured bool) {
		row := Projected{Strategy: strategy, Mode: m.Mode, Training: advice.TrainingOf(m, out.Minibatches),
			Measured: measured, Met: l.Met(m)}
		first := row
		if len(out.Rows) > 0 {
			first = out.Rows[0]
		}
		row.Saved = advice.Training{Time: row.Time - first.Time, KWh: row.KWh - first.KWh}
		out.Rows = append(out.Rows, row)
	}
	answer := o.Known[at]
	add("this answer", answer.Measured, o.At(at).Measured())
	var measured []int
	for i, p := range o.Known {
		if o.readings[p.Setting].N > 0 && p.Batch == answer.Batch {
			measured = append(measured, i)
		}
	}
	if best, err := o.choose(l, measured); err == nil {
		add("best measured", o.Known[best].Measured, true)
	}
	for _, c := range v.Distinct() {
		add(c.Name, c.Other.Measured, c.Measured)
	}
	return out
}
