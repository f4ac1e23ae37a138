package session

import (
	"math"
	"slices"
	"strings"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
)

// Difference is how one setting differs from another, in percent of the other:
// TimePct +34 takes a third longer, PowerPct -41 draws that much less.
type Difference struct{ TimePct, PowerPct, EnergyPct float64 }

// Against is how mine differs from its.
func Against(mine, its tegra.Measured) Difference {
	pct := func(mine, its float64) float64 { return 100 * (mine/its - 1) }
	return Difference{pct(mine.TimeMS, its.TimeMS), pct(mine.PowerW, its.PowerW), pct(mine.EnergyJ(), its.EnergyJ())}
}

// medianOf are the medians of differences, one by one.
func medianOf(list []Difference) Difference {
	var time, power, energy []float64
	for _, d := range list {
		time, power, energy = append(time, d.TimePct), append(power, d.PowerPct), append(energy, d.EnergyPct)
	}
	usual := func(v []float64) float64 { return stats.OrZero(stats.Median(v)) }
	return Difference{usual(time), usual(power), usual(energy)}
}

// Comparison is another mode beside a chosen one.
type Comparison struct {
	Name           string
	ID             tegra.Val[int] // of a preset
	tegra.Setting                 // with the chosen mode's batch size
	TimeMS, PowerW float64
	Measured       bool // else predicted
	Difference          // of the chosen mode from this one
}

// Versus compares a choice with what one would have had without it.
type Versus struct {
	MaxN    *Comparison // every knob at its largest; nil when it is unknown
	Present *Comparison // the mode the device is in; nil when none expresses it
	Presets []Comparison
}

// Distinct lists the other modes, each once under all of its names: a preset may
// be MAXN itself, and the board may be in it.
func (v Versus) Distinct() []Comparison {
	const sameAs = " = "
	var out []Comparison
	add := func(c Comparison) {
		i := slices.IndexFunc(out, func(o Comparison) bool { return o.Mode == c.Mode })
		switch {
		case i < 0:
			out = append(out, c)
		case !slices.Contains(strings.Split(out[i].Name, sameAs), c.Name):
			out[i].Name += sameAs + c.Name
		}
	}
	for _, c := range []*Comparison{v.MaxN, v.Present} {
		if c != nil {
			add(*c)
		}
	}
	for _, c := range v.Presets {
		add(c)
	}
	return out
}

// Compare is the function Compare for what is known of setting i.
func (o *Outlook) Compare(i int, presets []tegra.Preset, present tegra.Val[tegra.Mode]) Versus {
	chosen, p := o.Known[i].Measured, o.predictor
	if o.Several() {
		p = o.Model.At(chosen.Batch)
	}
	return Compare(chosen, p, o.Measured(), o.space, presets, present)
}

// Compare puts the chosen mode beside MAXN of a space, the present mode and
// presets, all with minibatches of the chosen mode's size, so that times and
// energies compare as those per sample do; p must speak of that size. Measured
// values count before predicted ones; what neither the
// predictor (may be nil) nor a measurement knows is left out.
func Compare(chosen tegra.Measured, p learn.Predictor, measured []tegra.Measured, space *tegra.Space,
	presets []tegra.Preset, present tegra.Val[tegra.Mode]) Versus {
	c := comparer{chosen: chosen, predictor: p, measured: map[tegra.Mode]tegra.Measured{}}
	for _, m := range measured {
		if m.Batch == chosen.Batch {
			c.measured[m.Mode] = m
		}
	}
	var v Versus
	if top := space.Max(); space.Contains(top) {
		v.MaxN = c.with("MAXN", top)
	}
	if present.OK {
		v.Present = c.with("present", present.V)
	}
	for _, preset := range presets {
		if other := c.with(preset.Name, preset.Mode); other != nil {
			other.ID = tegra.Some(preset.ID)
			v.Presets = append(v.Presets, *other)
		}
	}
	return v
}

type comparer struct {
	chosen    tegra.Measured
	predictor learn.Predictor
	measured  map[tegra.Mode]tegra.Measured
}

// with gives the comparison with mode m; nil when nothing is known about m.
func (c comparer) with(name string, m tegra.Mode) *Comparison {
	other, known := c.measured[m]
	if !known {
		if c.predictor == nil {
			return nil
		}
		other = c.predictor.Predict([]tegra.Mode{m})[0].Measured
	}
	return &Comparison{
		Name: name, Setting: tegra.Setting{Mode: m, Batch: c.chosen.Batch}, TimeMS: other.TimeMS, PowerW: other.PowerW,
		Measured: known, Difference: Against(c.chosen, other),
	}
}

// ModelComparison is how two models differ over all modes of a space.
type ModelComparison struct {
	Difference                          // medians of the absolute differences
	Choices    [2]tegra.Val[tegra.Mode] // what each chooses for a limit; absent where it has none
	Worst      tegra.Mode               // where their times differ most, and by how much
	WorstPct   float64
}

// CompareModels predicts every mode by both models and chooses for a limit as
// Outlook.Answer does.
func CompareModels(models [2]*learn.Model, space *tegra.Space, l optimize.Limit) ModelComparison {
	var c ModelComparison
	var preds [2][]learn.Prediction
	l.Margin = Margin
	for i, m := range models {
		o := NewOutlook("", m, space)
		if at, err := o.Choose(l); err == nil {
			c.Choices[i] = tegra.Some(o.Known[at].Mode)
		}
		preds[i] = o.Predicted
	}
	off := make([]Difference, len(preds[0]))
	for i, p := range preds[0] {
		d := Against(preds[1][i].Measured, p.Measured)
		off[i] = Difference{math.Abs(d.TimePct), math.Abs(d.PowerPct), math.Abs(d.EnergyPct)}
		if off[i].TimePct > c.WorstPct {
			c.WorstPct, c.Worst = off[i].TimePct, p.Mode
		}
	}
	c.Difference = medianOf(off)
	return c
}
