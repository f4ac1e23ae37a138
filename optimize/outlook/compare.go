package outlook

import (
	"math"
	"slices"
	"strings"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Difference is the difference of one setting from another, in percent of the other: TimePct +34 takes a third longer,
// PowerPct -41 draws 41 % less.
type Difference struct {
	TimePct   float64 `json:"time_pct"`
	PowerPct  float64 `json:"power_pct"`
	EnergyPct float64 `json:"energy_pct"`
}

// Against returns the difference of mine from its.
func Against(mine, its tegra.Measured) Difference {
	pct := func(mine, its float64) float64 { return 100 * (mine/its - 1) }
	return Difference{pct(mine.TimeMS, its.TimeMS), pct(mine.PowerW, its.PowerW), pct(mine.EnergyJ(), its.EnergyJ())}
}

// MedianOf returns the median of each field.
func MedianOf(list []Difference) Difference {
	var time, power, energy []float64
	for _, d := range list {
		time, power, energy = append(time, d.TimePct), append(power, d.PowerPct), append(energy, d.EnergyPct)
	}
	usual := func(v []float64) float64 { return stats.OrZero(stats.Median(v)) }
	return Difference{usual(time), usual(power), usual(energy)}
}

// Comparison compares another mode with a chosen one.
type Comparison struct {
	Name         string
	ID           tegra.Val[int]   // of a preset
	Other        learn.Prediction // at the chosen mode's batch size; its reading, without bands, if Measured
	Measured     bool             // else predicted
	Extrapolated bool             // predicted, outside the measured range
	Difference                    // of the chosen mode from this one
	// Lo and Hi are the ends of the difference's 95 % band, treating the errors of both modes as independent; equal to
	// Difference if both were measured.
	Lo, Hi Difference
}

// BothMeasured reports whether the difference compares two readings; otherwise it lies between Lo and Hi.
func (c *Comparison) BothMeasured() bool { return c.Measured && c.Lo == c.Hi }

// How returns the source of the difference, in one word.
func (c *Comparison) How() string {
	switch {
	case c.BothMeasured():
		return "measured"
	case c.Extrapolated:
		return "extrapolated"
	}
	return "predicted"
}

// Comparisons compare a choice with the alternatives.
type Comparisons struct {
	MaxN    *Comparison // every knob at its largest; nil if unknown
	Present *Comparison // the current mode; nil if no mode matches the state
	Presets []Comparison
}

// Distinct lists the other modes once each, with all their names: a preset may be MAXN, or the current mode.
func (v Comparisons) Distinct() []Comparison {
	const sameAs = " = "
	var out []Comparison
	add := func(c Comparison) {
		i := slices.IndexFunc(out, func(o Comparison) bool { return o.Other.Mode == c.Other.Mode })
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

// Compare is the function Compare for setting i.
func (o *Outlook) Compare(i int, presets []tegra.Preset, present tegra.Setup) Comparisons {
	chosen, p := o.Known[i], o.Predictor
	if o.Several() {
		p = o.Model.At(chosen.Batch)
	}
	return Compare(chosen, p, o.Measured(), o.space, presets, present)
}

// Compare compares the chosen mode with MAXN of a space, the current mode and the presets, all at the chosen mode's
// batch size, so that times and energies compare as per sample; p must predict that size. Measured values take
// precedence over predictions; modes without either are omitted (p may be nil). All are compared with locked clocks, as
// modelled.
func Compare(chosen learn.Prediction, p learn.Predictor, measured []tegra.Measured, space *tegra.Space,
	presets []tegra.Preset, present tegra.Setup) Comparisons {
	c := comparer{chosen: chosen, predictor: p, measured: measured, at: map[tegra.Mode]tegra.Measured{}}
	for _, m := range measured {
		if m.Batch == chosen.Batch {
			c.at[m.Mode] = m
		}
	}
	var v Comparisons
	if top := space.Max(); space.Contains(top) {
		v.MaxN = c.with(tegra.NameOf(top, space, presets), top)
	}
	if present.Mode.OK {
		v.Present = c.with(PresentName(present), present.Mode.V)
	}
	for _, preset := range presets {
		if other := c.with(preset.Name, preset.ModeIn(space)); other != nil {
			other.ID = tegra.Some(preset.ID)
			v.Presets = append(v.Presets, *other)
		}
	}
	return v
}

// PresentName returns the name of the current mode in a comparison, which assumes locked clocks.
func PresentName(s tegra.Setup) string {
	if !s.Mode.OK && !s.Locked.Or(false) {
		return "present, free clocks"
	}
	if s.Locked.OK && !s.Locked.V {
		return "present, locked"
	}
	return "present"
}

type comparer struct {
	chosen    learn.Prediction
	predictor learn.Predictor
	measured  []tegra.Measured
	at        map[tegra.Mode]tegra.Measured // at the chosen batch size
}

// with returns the comparison with mode m; nil if m is unknown.
func (c *comparer) with(name string, m tegra.Mode) *Comparison {
	out := &Comparison{Name: name}
	if read, ok := c.at[m]; ok {
		out.Other, out.Measured = optimize.MeasuredPrediction(read), true
	} else if c.predictor == nil {
		return nil
	} else {
		out.Other = c.predictor.Predict([]tegra.Mode{m})[0]
		out.Extrapolated = learn.Extrapolates(c.measured, m)
	}
	out.Other.Batch = c.chosen.Batch
	out.Difference = Against(c.chosen.Measured, out.Other.Measured)
	mine, its := c.chosen, out.Other
	time := math.Hypot(halfBand(mine.TimeLoMS, mine.TimeHiMS), halfBand(its.TimeLoMS, its.TimeHiMS))
	power := math.Hypot(halfBand(mine.PowerLoW, mine.PowerHiW), halfBand(its.PowerLoW, its.PowerHiW))
	out.Lo = out.Difference.moved(-time, -power, -math.Hypot(time, power))
	out.Hi = out.Difference.moved(time, power, math.Hypot(time, power))
	return out
}

// halfBand returns half the width of a band in logarithms; 0 for a measured value, which has none.
func halfBand(lo, hi float64) float64 {
	if half := math.Log(hi/lo) / 2; half > 0 {
		return half
	}
	return 0
}

// moved returns the difference shifted by these logarithms.
func (d Difference) moved(time, power, energy float64) Difference {
	by := func(pct, ln float64) float64 { return (100+pct)*math.Exp(ln) - 100 }
	return Difference{by(d.TimePct, time), by(d.PowerPct, power), by(d.EnergyPct, energy)}
}

// ModelComparison is the difference of two models over all modes of a space.
type ModelComparison struct {
	Difference                          // medians of the absolute differences
	Choices    [2]tegra.Val[tegra.Mode] // each model's choice for a limit; absent if none
	Worst      tegra.Mode               // mode in which their times differ most
	WorstPct   float64
}

// CompareModels predicts every mode by both models and chooses for a limit as in Outlook.Answer.
func CompareModels(models [2]*learn.Model, space *tegra.Space, l metric.Goal) ModelComparison {
	var c ModelComparison
	var preds [2][]learn.Prediction
	for i, m := range models {
		o := New("", m, space)
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
	c.Difference = MedianOf(off)
	return c
}
