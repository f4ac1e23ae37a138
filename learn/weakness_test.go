package learn

import (
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

func TestWeaknessOfFewerThanSixModesHasNoError(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	for n, known := range map[int]bool{LeastJudged - 1: false, LeastJudged: true} {
		m := must.Get(Fit(t.Context(), truths(space.Sample(n, 5)), Options{Space: space}))(t)
		if m.CV.Known() != known || m.ErrorPct().OK != known ||
			known == strings.Contains(m.Weakness(), "error unknown") {
			t.Errorf("%d modes: errors %+v, weakness %q", n, m.CV, m.Weakness())
		}
	}
}

func TestErrorAboveAFifthIsAWeakness(t *testing.T) {
	t.Parallel()
	m := &Model{Samples: truths(smallSpace(t).Sample(8, 1)), CV: Errors{3, 21, "leave-one-out"}}
	if got := m.Weakness(); got != "its own error is 21 %" {
		t.Errorf("got %q", got)
	}
	if m.CV.PowerMAPEPct = 19; m.Weakness() != "" {
		t.Errorf("got %q of errors %+v", m.Weakness(), m.CV)
	}
}

// A file of an older version may judge a model of few samples.
func TestErrorOfFewModesIsLeftOutWhenAFileIsRead(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	m := must.Get(Fit(t.Context(), truths(space.Sample(2, 5)), Options{Space: space}))(t)
	m.CV = Errors{16.4, 3.5, "leave-one-out"}
	path := filepath.Join(t.TempDir(), "old.model")
	must.NoError(t, m.Save(path))
	if got, err := Load(path); err != nil || got.CV.Known() {
		t.Errorf("%v: errors %+v of two modes", err, got.CV)
	}
}

// The model is fitted to the median of several readings, while Readings has their mean: also after saving, and with
// later readings.
func TestReadingsOfAModeCountAsTheirMean(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(8, 5))
	again := func(factor float64) tegra.Measured {
		m := samples[0]
		m.TimeMS, m.PowerW = m.TimeMS*factor, m.PowerW*factor
		return m
	}
	m := must.Get(Fit(t.Context(), append(samples, again(1.01), again(1.05)), Options{Space: space}))(t)
	path := filepath.Join(t.TempDir(), "repeats.model")
	must.NoError(t, m.Save(path))
	m = must.Get(Load(path))(t)
	check := func(m *Model, n int, factor float64) {
		t.Helper()
		got, want := m.Readings()[0], samples[0].PowerW*factor
		if got.N != n || got.PowerW < want*0.9999 || got.PowerW > want*1.0001 || m.Readings()[1].N != 1 {
			t.Errorf("%d readings with a mean of %g W, want %d of %g W", got.N, got.PowerW, n, want)
		}
	}
	check(m, 3, 1.02)
	if got, want := m.Samples[0].PowerW, samples[0].PowerW*1.01; got < want*0.9999 || got > want*1.0001 {
		t.Errorf("%g W are learned, want the median of %g W", got, want)
	}
	m = must.Get(m.With(t.Context(), []tegra.Measured{again(1.06)}, false))(t)
	check(m, 4, 1.03)
}
