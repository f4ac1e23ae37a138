package optimize

import (
	"context"
	"testing"

	"jtune/tegra"
	"jtune/tegra/metric"
)

// The present mode is measured once, if that is possible, was not done already, and leaves a probe for the search.
func TestMeasurePresentReadsAModeOfTheBoardOnce(t *testing.T) {
	t.Parallel()
	const present = 7
	for _, c := range []struct {
		name   string
		change func(s *search)
		probes int
	}{
		{"one of the board's", func(*search) {}, 1},
		{"none", func(s *search) { s.o.Baselines.Present = tegra.Val[tegra.Setting]{} }, 0},
		{"a custom mode", func(s *search) { s.o.Baselines.Present.V.Mode.Cores = 99 }, 0},
		{"one that cannot be measured", func(s *search) { s.absent[present] = true }, 0},
		{"one read lately", func(s *search) { s.o.Baselines.Warm = []tegra.Measured{{Setting: s.places.At(present)}} },
			0},
		{"by a search of one probe", func(s *search) { s.cap = 1 }, 0},
		{"by a search of two", func(s *search) { s.cap = 2 }, 0},
		{"by a search of three", func(s *search) { s.cap = 3 }, 1},
	} {
		s, _ := searchOn(t, TuneOptions{Limits: goals(metric.Watts(20))})
		s.o.Baselines.Present = tegra.Some(s.places.At(present))
		c.change(s)
		for range 2 {
			if !s.compared.measurePresent() {
				t.Errorf("%s: the search is over", c.name)
			}
		}
		if len(s.probes) != c.probes {
			t.Errorf("%s: %d probes, want %d", c.name, len(s.probes), c.probes)
		}
	}
}

// The preset of a search for one limit stays the one that was measured, even if a later reading favours another.
func TestTuneOfOneLimitKeepsThePresetItMeasured(t *testing.T) {
	t.Parallel()
	const measured, later = 2, 3
	s, b := searchOn(t, TuneOptions{Limits: goals(metric.Watts(20))})
	s.o.Baselines.Presets = []tegra.Preset{{Name: "a", Mode: s.places.At(measured).Mode},
		{Name: "b", Mode: s.places.At(later).Mode}}
	s.measure = func(_ context.Context, at tegra.Setting) (tegra.Measured, error) {
		m := b.Answer(at.Mode)
		if m.TimeMS, m.PowerW = 100, 18; s.at(at) == later {
			m.TimeMS = 50
		}
		return m, nil
	}
	s.probe(measured, Vendor)
	s.probe(later, Improve)
	s.compared.preset = tegra.Some(s.places.At(measured))
	s.compared.best[0] = s.compared.preset
	if r := s.answer(0); r.Preset.N != 1 || r.Preset.Setting != s.places.At(measured) {
		t.Errorf("compared with %v, read %d times", r.Preset.Setting, r.Preset.N)
	}
}

// A preset of the board is measured once for the comparison, if a probe is left for it.
func TestMeasurePresetReadsAPresetOfTheBoardOnce(t *testing.T) {
	t.Parallel()
	const answer, preset = 1, 2
	for _, c := range []struct {
		name   string
		change func(s *search)
		probes int
	}{
		{"one of the board's", func(*search) {}, 1},
		{"none", func(s *search) { s.o.Baselines.Presets = nil }, 0},
		{"one of another board", func(s *search) { s.o.Baselines.Presets[0].Mode.Cores = 99 }, 0},
		{"one that cannot be measured", func(s *search) { s.absent[preset] = true }, 0},
		{"one that failed", func(s *search) { s.failed[preset] = true }, 0},
		{"one read lately", func(s *search) {
			s.o.Baselines.Warm = []tegra.Measured{{Setting: s.places.At(preset), TimeMS: 100, PowerW: 15}}
		}, 0},
		{"the present one", func(s *search) { s.o.Baselines.Present = tegra.Some(s.places.At(preset)) }, 0},
		{"no probe left", func(s *search) { s.cap = 4; s.probes = make([]Probe, 4) }, 0},
		{"a small cap", func(s *search) { s.cap = capForPreset - 1 }, 0},
		{"the smallest cap", func(s *search) { s.cap = capForPreset }, 1},
		{"a search that was cancelled", func(s *search) { s.ended = Cancelled }, 0},
		{"no answer", func(s *search) { s.limit.Limits = metric.Time.Max(1) }, 0},
		{"a search that read one mode", func(s *search) {
			s.limit, s.known, s.order = metric.Watts(60), nil, []int{answer}
		}, 1},
	} {
		s, _ := searchOn(t, TuneOptions{Limits: goals(metric.Watts(20))})
		s.o.Baselines.Presets = []tegra.Preset{{Name: "10W", Mode: s.places.At(preset).Mode}}
		row := func(i int, ms float64) tegra.Measured {
			return tegra.Measured{Setting: s.places.At(i), TimeMS: ms, PowerW: 15}
		}
		s.recall([]tegra.Measured{row(preset, 100)})
		s.read(answer, row(answer, 90))
		c.change(s)
		before := len(s.probes)
		for range 2 {
			s.compared.measurePreset(goals(s.limit))
		}
		if n := len(s.probes) - before; n != c.probes {
			t.Errorf("%s: %d probes, want %d", c.name, n, c.probes)
		}
	}
}

// A search of random modes leaves a probe to verify its answer, with a baseline too.
func TestTuneAtRandomVerifiesItsAnswer(t *testing.T) {
	t.Parallel()
	for _, present := range []bool{false, true} {
		s, b := searchOn(t, TuneOptions{Limits: goals(metric.Watts(30))})
		o := TuneOptions{Limits: goals(s.limit), Space: b.Space, Strategy: Random, Probes: 10, Seed: 1}
		if present {
			o.Baselines.Present = tegra.Some(s.places.At(5))
		}
		if r, err := tuneOn(t, b, o); err != nil || !r.Verified || len(r.Probes) > 10 {
			t.Errorf("present mode %v: measured twice: %v, %d probes; %v", present, r.Verified, len(r.Probes), err)
		}
	}
}
