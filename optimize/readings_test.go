package optimize

import (
	"errors"
	"math"
	"testing"

	"jtune/learn"
	"jtune/tegra"
)

func TestKnownReplacesPredictionsByReadings(t *testing.T) {
	t.Parallel()
	preds := []learn.Prediction{pred(1, 100, 10, 0.1, 0.1), pred(2, 80, 15, 0.1, 0.1), pred(3, 60, 20, 0.1, 0.1)}
	over := tegra.Measured{Setting: tegra.Setting{Mode: preds[1].Mode}, TimeMS: 79, PowerW: 16.5}
	within := tegra.Measured{Setting: tegra.Setting{Mode: preds[2].Mode}, TimeMS: 61, PowerW: 15.9}
	foreign := tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: 99}}, TimeMS: 1, PowerW: 1}
	for _, c := range []struct {
		name     string
		measured []tegra.Measured
		want     int // cores of the choice within 16 W, one deviation kept; 0: none
	}{
		{"predictions keep their margin", nil, 1},
		{"a measurement within the limit needs no margin", []tegra.Measured{within}, 3},
		{"a measurement over the limit is refused whatever was predicted", []tegra.Measured{over}, 1},
		{"both", []tegra.Measured{over, within}, 3},
		{"a measured mode that is not among the predictions changes nothing", []tegra.Measured{foreign}, 1},
	} {
		known := Known(preds, c.measured)
		got, err := Choose(known, Limit{PowerW: 16})
		if err != nil || known[got].Mode.Cores != c.want {
			t.Errorf("%s: chose %v, %v; want %d cores", c.name, known[got].Mode, err, c.want)
		}
		if len(known) != len(preds) {
			t.Errorf("%s: %d of %d modes", c.name, len(known), len(preds))
		}
	}
	if preds[2].TimeMS != 60 {
		t.Error("the predictions that were given are changed")
	}
	_, err := Choose(Known(preds[1:2], []tegra.Measured{over}), Limit{PowerW: 16})
	var none *InfeasibleError
	if !errors.As(err, &none) || none.Nearest.PowerW != over.PowerW {
		t.Errorf("got %v; want infeasible, with the measured power of the nearest mode", err)
	}
	if p := Known(preds, []tegra.Measured{within})[2]; !math.IsNaN(p.TimeLoMS) || p.LnPowerSD != 0 ||
		p.Measured != within {
		t.Errorf("a measurement became %+v", p)
	}
}

// Readings on either side of the limit: the mean decides where no other mode keeps it.
func TestSearchAnswersByTheMeanWhereNoModeHasOnlyReadingsWithin(t *testing.T) {
	t.Parallel()
	modes := fourModes()
	space, err := tegra.Spanned(tegra.ModesOf(tegra.SettingsOf(modes)))
	if err != nil {
		t.Fatal(err)
	}
	for second, feasible := range map[float64]bool{10.1: true, 10.25: false} {
		s, err := newSearch(t.Context(), nil, TuneOptions{Space: space, Limit: Limit{PowerW: 10}})
		if err != nil {
			t.Fatal(err)
		}
		for _, watts := range []float64{9.8, second} {
			m := modes[0]
			m.PowerW = watts
			i, _ := s.places.Index(m.Setting)
			s.read(i, m)
		}
		r := s.result()
		want := map[bool]State{true: Measured, false: Over}[feasible]
		if got := r.Standing(s.limit); r.Feasible != feasible || got.State != want || got.N != 2 {
			t.Errorf("9.8 and %g W within 10 W: feasible %v, %v", second, r.Feasible, got)
		}
	}
}

// The answer is the best mode whose mean keeps the limit, even if its newest reading is just over.
func TestResultCountsSeveralReadingsAsTheirMean(t *testing.T) {
	t.Parallel()
	s, b := searchOn(t, TuneOptions{Limit: Limit{PowerW: 20}})
	reading := func(i int, ms, watts float64) {
		m := b.Answer(s.places.At(i).Mode)
		m.TimeMS, m.PowerW = ms, watts
		s.read(i, m)
	}
	const slow, fast = 4, 0
	reading(slow, 200, 15)
	reading(fast, 100, 19.6)
	reading(fast, 100, 20.1)
	if r := s.result(); r.Setting != s.places.At(fast) || r.N != 2 || !r.Feasible {
		t.Errorf("%v by %d readings, feasible %v; want %v", r.Setting, r.N, r.Feasible, s.places.At(fast))
	}
}

func TestInformativeModesLeaveOutAPresentModeFarOverTheLimit(t *testing.T) {
	t.Parallel()
	for watts, want := range map[float64]int{19: 2, 40: 1} {
		s, b := searchOn(t, TuneOptions{Limit: Limit{PowerW: 20}})
		s.o.Baselines.Present = tegra.Some(s.places.At(7))
		for i, w := range map[int]float64{7: watts, 4: 50} {
			m := b.Answer(s.places.At(i).Mode)
			m.PowerW = w
			s.read(i, m)
		}
		if got := s.compared.informative(); got != want {
			t.Errorf("with a present mode of %g W: %d modes inform about 20 W, want %d", watts, got, want)
		}
	}
}
