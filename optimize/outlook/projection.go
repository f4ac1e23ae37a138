package outlook

import (
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
