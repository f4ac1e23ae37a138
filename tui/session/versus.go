package session

import (
	"jtune/learn"
	"jtune/tegra"
)

// Comparison is another mode beside a chosen one.
type Comparison struct {
	Name           string
	ID             tegra.Val[int] // of a preset
	Mode           tegra.Mode
	Batch          int // samples per minibatch, the chosen mode's, where that is an input; else 0
	TimeMS, PowerW float64
	Measured       bool // else predicted
	// How the chosen mode differs from this one, in percent of this one:
	// TimePct +34 takes a third longer, PowerPct -41 draws that much less.
	TimePct, PowerPct, EnergyPct float64
}

// Versus compares a choice with what one would have had without it.
type Versus struct {
	MaxN    *Comparison // every knob at its largest; nil when it cannot be told
	Present *Comparison // the mode the device is in; nil when none expresses it
	Presets []Comparison
}

// Compare puts the chosen mode beside MAXN of a space, the present mode and
// presets, all with minibatches of the chosen mode's size, so that times and
// energies compare as those per sample do; p must speak of that size. Measured
// values count before predicted ones; what neither the
// predictor (may be nil) nor a measurement knows is left out.
func Compare(chosen tegra.Measured, p learn.Predictor, measured []tegra.Measured, space *tegra.Space, presets []tegra.Preset, present tegra.Val[tegra.Mode]) Versus {
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
		other = c.predictor.Predict([]tegra.Mode{m})[0].Measured()
	}
	pct := func(mine, its float64) float64 { return 100 * (mine/its - 1) }
	return &Comparison{Name: name, Mode: m, Batch: c.chosen.Batch, TimeMS: other.TimeMS, PowerW: other.PowerW, Measured: known,
		TimePct: pct(c.chosen.TimeMS, other.TimeMS), PowerPct: pct(c.chosen.PowerW, other.PowerW),
		EnergyPct: pct(c.chosen.EnergyJ(), other.EnergyJ())}
}
