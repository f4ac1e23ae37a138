package learn

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

func TestModelWithFitsAgain(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	modes := space.Sample(24, 3)
	ref := &Reference{Name: "another, at home", Samples: truths(space.Sample(120, 9))}
	o := Options{Space: space, Reference: ref, Seed: 4, SkipCV: true}
	first := must.Get(Fit(t.Context(), truths(modes[:16]), o))(t)
	got := must.Get(first.With(t.Context(), truths(modes[16:]), false))(t)
	want := must.Get(Fit(t.Context(), truths(modes), o))(t)
	if len(got.Samples) != 24 || got.Reference != want.Reference || got.Seed != 4 {
		t.Errorf("got %d samples and reference %q, want 24 and %q", len(got.Samples), got.Reference, want.Reference)
	}
	a, b := got.Predict(space.Modes()), want.Predict(space.Modes())
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("learnt on, %v is predicted as %+v; learnt at once, as %+v", a[i].Mode, a[i], b[i])
		}
	}
	tree := must.Get(Fit(t.Context(), truths(modes), Options{Space: space, Method: Tree, SkipCV: true}))(t)
	if _, err := tree.With(t.Context(), nil, false); err == nil {
		t.Error("a tree was learnt on")
	}
}

// A reading that disagrees with all others is ignored until a second one agrees with it; then both count, whatever the
// model predicts, also in a model that was saved and updated.
func TestModelWithKeepsASuspiciousReadingOnceItIsRepeated(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	samples := truths(space.Sample(25, 3))
	honest := samples[6]
	samples[6].PowerW *= 0.6
	odd := honest.Setting
	first := mustFit(t, samples, Options{Space: space, SkipCV: true})
	trusts := func(m *Model) bool {
		return slices.ContainsFunc(m.Trusted(), func(s tegra.Measured) bool { return s.Setting == odd })
	}
	if !slices.Contains(first.Suspicious, odd) || trusts(first) || len(first.Trusted()) != 25-len(first.Suspicious) ||
		!hasWarning(first, first.Doubt()) ||
		!strings.Contains(first.Doubt(), "a false reading, or an error of the model") {
		t.Fatalf("suspicious %v, %d trusted, doubt %q", first.Suspicious, len(first.Trusted()), first.Doubt())
	}
	near := samples[6]
	near.PowerW *= 1.03
	for _, c := range []struct {
		name   string
		more   []tegra.Measured
		trusts bool
		powerW float64
	}{
		{"a second reading agrees", []tegra.Measured{near}, true, (near.PowerW + samples[6].PowerW) / 2},
		{"a second reading is another " +
			"one", []tegra.Measured{{Setting: tegra.Setting{Mode: odd.Mode}, TimeMS: honest.TimeMS,
			PowerW: 3 * honest.PowerW}}, false, (3*honest.PowerW + samples[6].PowerW) / 2},
		{"two more agree with each other", []tegra.Measured{honest, honest}, true, honest.PowerW},
	} {
		again := must.Get(first.With(t.Context(), c.more, false))(t)
		path := filepath.Join(t.TempDir(), "x.model")
		must.NoError(t, again.Save(path))
		loaded := must.Get(Load(path))(t)
		on := must.Get(loaded.With(t.Context(), truths(space.Sample(26, 3))[25:], false))(t)
		for what, m := range map[string]*Model{"learnt on": again, "saved and loaded": loaded, "and learnt on " +
			"again": on} {
			if got := m.Samples[6].PowerW; trusts(m) != c.trusts || math.Abs(got/c.powerW-1) > 1e-9 {
				t.Errorf("%s, %s: trusted %v with %g W, want %v with %g W",
					c.name, what, trusts(m), got, c.trusts, c.powerW)
			}
		}
	}
}

// A part of thousands of measured modes is fitted; a glitch among the others is found too. MobileNet's reading of
// this mode is 14.3 W, its neighbours' 20 W.
func TestSuspiciousIncludesAGlitchThatWasNotFitted(t *testing.T) {
	if testing.Short() {
		t.Skip("fits a thousand modes")
	}
	t.Parallel()
	s := loadSweep(t, sweeptest.MobileNet)
	m := mustFit(t, s.rows, Options{Space: s.space, SkipCV: true})
	glitch := tegra.Setting{Mode: parseUnderscored(t, "10_422400_624750000_3199000000")}
	fit, _ := m.surrogate()
	if slices.ContainsFunc(fit.Samples(), func(r tegra.Measured) bool { return r.Setting == glitch }) {
		t.Fatal("the model has learned from it: this test needs one that it has not")
	}
	t.Logf("%d of %d suspicious", len(m.Suspicious), len(m.Samples))
	if !slices.Contains(m.Suspicious, glitch) || len(m.Suspicious) > len(m.Samples)/20 {
		t.Errorf("%d of %d suspicious, the glitch among them: %v",
			len(m.Suspicious), len(m.Samples), slices.Contains(m.Suspicious, glitch))
	}
}
