package optimize

import (
	"math"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// fewModes is the part of the toy's board that keep tells, and its readings.
func fewModes(t *testing.T, b *optimizetest.Board, keep func(m tegra.Mode) bool) (*tegra.Space, []tegra.Measured) {
	t.Helper()
	var modes []tegra.Mode
	var rows []tegra.Measured
	for _, m := range b.Space.All() {
		if keep(m) {
			modes, rows = append(modes, m), append(rows, b.Answer(m))
		}
	}
	space := must.Get(tegra.NewSubspace(modes))(t)
	return space, rows
}

func TestTuneOnSpacesOfFewModes(t *testing.T) {
	t.Parallel()
	for name, keep := range map[string]func(m tegra.Mode) bool{
		"three modes": func(m tegra.Mode) bool {
			return m.Cores == 2 && m.CPU == 300*tegra.MHz && m.GPU == 150*tegra.MHz
		},
		"all alike in the GPU": func(m tegra.Mode) bool { return m.GPU == 630*tegra.MHz },
		"all alike but for the cores": func(m tegra.Mode) bool {
			return m.GPU == 630*tegra.MHz && m.CPU == 1300*tegra.MHz && m.EMC == 1600*tegra.MHz
		},
		"no grid: a diagonal": func(m tegra.Mode) bool {
			return (m.CPU-300*tegra.MHz)/(250*tegra.MHz) == (m.GPU-150*tegra.MHz)/(160*tegra.MHz)
		},
	} {
		for _, limit := range []metric.Goal{metric.Watts(25), metric.Millis(1000), {Objective: metric.Energy}} {
			b := optimizetest.New(t)
			space, rows := fewModes(t, b, keep)
			best, err := bestOf(rows, limit)
			if err != nil {
				t.Fatalf("%s, %v: %v", name, limit, err)
			}
			res, err := tuneModes(t.Context(), b.Measure, TuneOptions{Limits: goals(limit), Space: space, Seed: 1})
			if err != nil || !res.Feasible {
				t.Errorf("%s, %v: %v, feasible %v", name, limit, err, res.Feasible)
				continue
			}
			got := limit.Aim().Aim(b.Answer(res.Mode))
			if want := limit.Aim().Aim(best.Measured); got > 1.05*want {
				t.Errorf("%s, %v: %v gives %.4g, the best of all %.4g", name, limit, res.Mode, got, want)
			}
		}
	}
}

// A reading with too little power must not select a mode that exceeds the limit: the winner is measured a second time.
func TestTuneNeverPicksOneReadingOfTooLittlePower(t *testing.T) {
	t.Parallel()
	for glitch := 1; glitch < 12; glitch += 2 {
		b := optimizetest.New(t)
		b.Shake = func(call int, r *tegra.Measured) {
			if call == glitch {
				r.PowerW *= 0.6
			}
		}
		limit := metric.Watts(22)
		res, err := tuneOn(t, b, TuneOptions{Limits: goals(limit), Seed: 3})
		if err != nil {
			t.Fatalf("reading %d: %v", glitch, err)
		}
		if true := b.Answer(res.Mode).PowerW; res.Verified && true > limit.Of(metric.Power) {
			t.Errorf("reading %d glitched: the answer %v draws %.2f W, limit %g", glitch, res.Mode, true,
				limit.Of(metric.Power))
		}
	}
}

func TestTuneIgnoresUselessStartsAndReferences(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	good := b.Answer(b.Space.At(100))
	twice := good
	twice.TimeMS, twice.PowerW = 3*good.TimeMS, 0.5*good.PowerW
	spoiled := &learn.Reference{Name: "spoiled"}
	for i := range 150 {
		m := b.Answer(b.Space.At(i))
		if i == 7 {
			m.TimeMS = math.NaN()
		}
		spoiled.Samples = append(spoiled.Samples, m)
	}
	for name, o := range map[string]TuneOptions{
		"one mode measured twice with other values": {Known: []tegra.Measured{good, twice}},
		"a reference of few modes": {Reference: &learn.Reference{
			Name:    "few",
			Samples: []tegra.Measured{good, twice},
		}},
		"a reference with a reading of NaN": {Reference: spoiled},
		"a reference of nothing":            {Reference: &learn.Reference{Name: "empty"}},
	} {
		o.Limits, o.Space = goals(metric.Watts(25)), b.Space
		res, err := tuneOn(t, b, o)
		if err != nil || !res.Feasible || b.Answer(res.Mode).PowerW > 25 {
			t.Errorf("%s: %v, answer %v", name, err, res.Measured)
		}
		if best, _ := bestOf(b.All(), o.Limits[0]); b.Answer(res.Mode).TimeMS > 1.06*best.TimeMS {
			t.Errorf("%s: %.1f ms, the best mode takes %.1f", name, b.Answer(res.Mode).TimeMS, best.TimeMS)
		}
		if o.Reference != nil && len(res.Warnings) != 1 {
			t.Errorf("%s: warnings %q, want one", name, res.Warnings)
		}
	}
}
